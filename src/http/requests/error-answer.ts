/** Translates error codes to HTTP status codes, and errors to the two forms of error bodies. */
import type { ErrorForm } from '../../features/api/route.ts';
import { MAX_ISSUES, AppError, type ErrorCode, type Issue } from '../../platform/errors.ts';

export const STATUS_OF: Record<ErrorCode, number> = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  already_sent: 409,
  THREAD_CHANGED: 409,
  TOO_LARGE: 413,
  IDEMPOTENCY_MISMATCH: 422,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  NOT_IMPLEMENTED: 501,
  UNAVAILABLE: 503,
};

const AWAY_RETRY_SECONDS = 2;
/**
 * A character has at most six bytes in JSON, so the whole response stays below 20 kB. The indexes of invalid items are
 * added to that: up to 25 kB for 10,000 items of which every other one is invalid.
 */
const MAX_MESSAGE_LENGTH = 1_000;
const MAX_PATH_LENGTH = 300;
const MAX_ISSUE_LENGTH = 500;
const MAX_ISSUES_BYTES = 13_000;

export interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** `header` reads a header of the request. */
export function toErrorAnswer(
  error: AppError,
  form: ErrorForm,
  header: (name: string) => string | undefined,
): ErrorAnswer {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (error.code === 'UNAUTHORIZED') headers['www-authenticate'] = 'Bearer';
  const wait = error.retryAfterSeconds ?? (error.code === 'UNAVAILABLE' ? AWAY_RETRY_SECONDS : undefined);
  if (wait !== undefined) headers['retry-after'] = String(wait);
  if (typeof form === 'function') {
    const { status, body, challenge } = form(shortenError(error), header);
    if (error.code === 'UNAUTHORIZED' && challenge) headers['www-authenticate'] = challenge;
    return { status, headers, body: JSON.stringify(body) };
  }
  return { status: STATUS_OF[error.code], headers, body: JSON.stringify(errorBody(error, form)) };
}

/** For an error form that includes the message and the issues in its own way. */
function shortenError({ code, reason, message, issues }: AppError): AppError {
  return new AppError(code, shorten(message, MAX_MESSAGE_LENGTH), {
    reason,
    issues: issues && limitIssues(issues),
  });
}

function errorBody(error: AppError, form: 'object' | 'string'): unknown {
  const message = shorten(error.message, MAX_MESSAGE_LENGTH);
  if (form === 'string') return { error: message };
  const { code, issues, invalidItems, newMessages, owner } = error;
  if (owner) return { error: { code, message, owner } };
  if (newMessages) return { error: { code, message, newMessages } };
  if (!issues) return { error: { code, message } };
  const listed = limitIssues(issues).map(({ path, message: fault }) => ({ path, message: fault }));
  return { error: { code, message: message + nameUnlisted(invalidItems ?? [], listed), issues: listed } };
}

/** Names all invalid items of a list, if the issues do not have room for each of them. */
function nameUnlisted(invalidItems: readonly number[], listed: Issue[]): string {
  const named = new Set(listed.map(({ path }) => path.split('/', 2)[1]));
  if (invalidItems.every((item) => named.has(String(item)))) return '';
  return ` The invalid items are ${toRanges(invalidItems)}, counted from 0.`;
}

/** `[0, 1, 2, 5]` becomes `0-2, 5`. The numbers are in ascending order. */
function toRanges(numbers: readonly number[]): string {
  const ranges: { first: number; last: number }[] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range?.last === number - 1) range.last = number;
    else ranges.push({ first: number, last: number });
  }
  return ranges.map(({ first, last }) => (first === last ? String(first) : `${first}-${last}`)).join(', ');
}

/** Paths and messages may contain input from the caller, of any length. */
function limitIssues(issues: Issue[]): Issue[] {
  const limited: Issue[] = [];
  let bytes = 0;
  for (const { path, message, reason } of issues.slice(0, MAX_ISSUES)) {
    const issue = {
      path: shorten(path, MAX_PATH_LENGTH),
      message: shorten(message, MAX_ISSUE_LENGTH),
    };
    bytes += Buffer.byteLength(JSON.stringify(issue));
    if (bytes > MAX_ISSUES_BYTES) break;
    limited.push({ ...issue, reason });
  }
  return limited;
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
}
