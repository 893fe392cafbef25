/** Translates error codes to SMTP replies (RFC 5321 section 4.2, RFC 3463). Unexpected errors are temporary. */
import { isConflict, isDiskFull, toAppError } from '../../platform/database/database-errors.ts';
import type { DiskSpace } from '../../platform/disk-space.ts';
import { lookUpError, type ErrorTable } from '../../platform/errors.ts';

/** RFC 3463 section 3.3. The sender tries again later, when the team has deleted something. */
const MAILBOX_FULL = '452 4.2.2';

const REPLIES: ErrorTable<string> = {
  codes: {
    BAD_REQUEST: '550 5.7.1',
    UNAUTHORIZED: '535 5.7.8',
    FORBIDDEN: '550 5.7.1',
    NOT_FOUND: '550 5.1.1',
    METHOD_NOT_ALLOWED: '502 5.5.1',
    CONFLICT: '550 5.7.1',
    already_sent: '550 5.7.1',
    THREAD_CHANGED: '550 5.7.1',
    TOO_LARGE: '552 5.3.4',
    IDEMPOTENCY_MISMATCH: '550 5.7.1',
    RATE_LIMITED: '451 4.7.1',
    INTERNAL: '451 4.3.0',
    NOT_IMPLEMENTED: '502 5.5.1',
    UNAVAILABLE: '451 4.3.0',
  },
  reasons: {
    'unverified-sender': null,
    'sender-of-another-domain': null,
    'invalid-json': null,
    'inactive-recipients': null,
    'request-in-progress': null,
    'invalid-idempotency-key': null,
    'folder-exists': null,
    'over-quota': MAILBOX_FULL,
    'no-such-email': null,
    'no-such-template': null,
    'no-such-bounce': null,
    'blocked-by-policy': null,
  },
};

/** An error that smtp-server sends as the reply. */
export type Reply = Error & { responseCode: number };

export function isReply(error: unknown): error is Reply {
  return error instanceof Error && 'responseCode' in error;
}

export function toErrorReply(error: unknown): Reply {
  const known = toAppError(error);
  if (isDiskFull(error)) return reply(STORAGE, known.message);
  // A conflict is not the sender's fault. It should try again, because a 550 would lose the message.
  return reply(isConflict(error) ? REPLIES.codes.UNAVAILABLE : lookUpError(REPLIES, known), known.message);
}

/** RFC 5321 section 4.2.2: insufficient system storage. The sender tries again later. */
const STORAGE = '452 4.3.1';

export async function requireDiskSpace(disk: DiskSpace): Promise<void> {
  await disk.require().catch(() => {
    throw reply(STORAGE, 'The disk of this server is full. Try again later');
  });
}

/**
 * `codes` is the reply code with the enhanced code, such as `550 5.7.1`. smtp-server adds a fixed enhanced code for
 * each numeric reply code. It adds none if the code is a string, so a string lets us choose our own.
 */
export function reply(codes: string, text: string): Reply {
  return Object.assign(new Error(text), { responseCode: codes as unknown as number });
}

/** 421 must be a number, because smtp-server then closes the connection. */
export function closingReply(text: string): Reply {
  return Object.assign(new Error(text), { responseCode: 421 });
}
