/** Errors as Postmark returns them: `{"ErrorCode": 300, "Message": "…"}`. */
import type { ErrorForm } from '../../../features/api/route.ts';
import { lookUpError, type AppError, type ErrorTable } from '../../../platform/errors.ts';
import { renameFirstWord } from '../mapping/rename-first-word.ts';

type Coded = [status: number, code: number];

const CODES: ErrorTable<Coded> = {
  codes: {
    BAD_REQUEST: [422, 300],
    UNAUTHORIZED: [401, 10],
    FORBIDDEN: [401, 10],
    NOT_FOUND: [404, 404],
    METHOD_NOT_ALLOWED: [405, 404],
    CONFLICT: [422, 300],
    already_sent: [422, 300],
    THREAD_CHANGED: [422, 300],
    TOO_LARGE: [413, 300],
    IDEMPOTENCY_MISMATCH: [422, 300],
    RATE_LIMITED: [429, 429],
    INTERNAL: [500, 500],
    NOT_IMPLEMENTED: [501, 501],
    UNAVAILABLE: [503, 100],
  },
  reasons: {
    'unverified-sender': [422, 400],
    'sender-of-another-domain': [422, 400],
    'invalid-json': [422, 402],
    'inactive-recipients': [422, 406],
    'request-in-progress': null,
    'invalid-idempotency-key': null,
    'folder-exists': null,
    'over-quota': null,
    'no-such-email': [422, 701],
    'no-such-template': [422, 1101],
    'no-such-bounce': [422, 407],
    'blocked-by-policy': null,
  },
};

const FIELDS = { from: 'From', to: 'To', subject: 'Subject', attachments: 'Attachments' };

/**
 * Postmark's scheme has no registered name. A 401 must name a scheme (RFC 9110 section 11.6.1), but not one that is
 * rejected.
 */
const CHALLENGE = 'X-Postmark-Server-Token';

export const postmarkErrors: ErrorForm = (error) => {
  const [status] = lookUpError(CODES, error);
  return { status, body: toPostmarkError(error), challenge: CHALLENGE };
};

/** Also used as the result of one email in a batch. */
export function toPostmarkError(error: AppError): { ErrorCode: number; Message: string } {
  return { ErrorCode: lookUpError(CODES, error)[1], Message: toTheirNames(error) };
}

/** Checks that run when the email is stored use the field names of our own API. */
function toTheirNames({ code, message }: AppError): string {
  if (code !== 'BAD_REQUEST') return message;
  return renameFirstWord(message, FIELDS).replace('together with cc and bcc', 'together with Cc and Bcc');
}
