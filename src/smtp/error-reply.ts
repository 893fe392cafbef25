/** The one table from our error codes to SMTP (RFC 5321 section 4.2, RFC 3463). What nobody foresaw is tried again. */
import { isClash, toAppError } from '../platform/database-errors.ts';
import type { ErrorCode } from '../platform/errors.ts';

const REPLY_OF: Record<ErrorCode, string> = {
  BAD_REQUEST: '550 5.7.1',
  UNAUTHORIZED: '535 5.7.8',
  FORBIDDEN: '550 5.7.1',
  NOT_FOUND: '550 5.1.1',
  METHOD_NOT_ALLOWED: '502 5.5.1',
  CONFLICT: '550 5.7.1',
  already_sent: '550 5.7.1',
  TOO_LARGE: '552 5.3.4',
  IDEMPOTENCY_MISMATCH: '550 5.7.1',
  RATE_LIMITED: '451 4.7.1',
  INTERNAL: '451 4.3.0',
  UNAVAILABLE: '451 4.3.0',
};

/** An error in the form that the library answers with. */
export type Reply = Error & { responseCode: number };

export function isReply(error: unknown): error is Reply {
  return error instanceof Error && 'responseCode' in error;
}

export function toErrorReply(error: unknown): Reply {
  const { code, message } = toAppError(error);
  // The sender did nothing wrong and should try again; a 550 would lose the message.
  return reply(isClash(error) ? REPLY_OF.UNAVAILABLE : REPLY_OF[code], message);
}

/**
 * `codes` is the reply code with the enhanced one, as `550 5.7.1`. The library has a single enhanced code for each
 * reply code and writes it between that and the text; it knows none for a text in place of the number, which is how
 * ours get through.
 */
export function reply(codes: string, text: string): Reply {
  return Object.assign(new Error(text), { responseCode: codes as unknown as number });
}

/** 421 is the one code that the library itself must see as a number: it then ends the connection. */
export function closingReply(text: string): Reply {
  return Object.assign(new Error(text), { responseCode: 421 });
}
