/** Errors as Postmark returns them: `{"ErrorCode": 300, "Message": "…"}`. */
import type { ErrorForm } from '../../../features/api/route.ts';
import type { AppError, ErrorCode } from '../../../platform/errors.ts';

type Coded = [status: number, code: number];

const CODES: Record<ErrorCode, Coded> = {
  BAD_REQUEST: [422, 300],
  UNAUTHORIZED: [401, 10],
  FORBIDDEN: [401, 10],
  NOT_FOUND: [404, 404],
  METHOD_NOT_ALLOWED: [405, 404],
  CONFLICT: [422, 300],
  already_sent: [422, 300],
  TOO_LARGE: [413, 300],
  IDEMPOTENCY_MISMATCH: [422, 300],
  RATE_LIMITED: [429, 429],
  INTERNAL: [500, 500],
  NOT_IMPLEMENTED: [501, 501],
  UNAVAILABLE: [503, 100],
};

/** The beginnings of messages that have their own code. */
const BY_MESSAGE: [start: string, code: Coded][] = [
  ['from must use a verified domain', [422, 400]],
  ['This API key is limited to another domain and cannot send', [422, 400]],
  ['The request body is not valid JSON', [422, 402]],
  ['You tried to send to recipients that', [422, 406]],
  ['Template not found', [422, 1101]],
  ['Email not found', [422, 701]],
  ['Bounce not found', [422, 407]],
];

/**
 * Postmark's scheme has no registered name. A 401 must name a scheme (RFC 9110 section 11.6.1), but not one that is
 * rejected.
 */
const CHALLENGE = 'X-Postmark-Server-Token';

export const postmarkErrors: ErrorForm = (error) => {
  const [status] = codeOf(error);
  return { status, body: toPostmarkError(error), challenge: CHALLENGE };
};

/** Also used as the result of one email in a batch. */
export function toPostmarkError(error: AppError): { ErrorCode: number; Message: string } {
  return { ErrorCode: codeOf(error)[1], Message: toTheirNames(error) };
}

/** Checks that run when the email is stored use the field names of our own API. */
function toTheirNames({ code, message }: AppError): string {
  if (code !== 'BAD_REQUEST') return message;
  return message
    .replace(/^(?:from|to|subject|attachments)(?= must )/, (name) => name[0]!.toUpperCase() + name.slice(1))
    .replace('together with cc and bcc', 'together with Cc and Bcc');
}

function codeOf({ code, message }: AppError): Coded {
  return BY_MESSAGE.find(([start]) => message.startsWith(start))?.[1] ?? CODES[code];
}
