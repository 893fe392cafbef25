/** The one table from our error codes to HTTP, and the two forms that an error can take. */
import { MAX_ISSUES, type AppError, type ErrorCode, type Issue } from '../platform/errors.ts';

type ErrorForm = 'object' | 'string';

export const STATUS_OF: Record<ErrorCode, number> = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  already_sent: 409,
  TOO_LARGE: 413,
  IDEMPOTENCY_MISMATCH: 422,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
};

const AWAY_RETRY_SECONDS = 2;
/** In JSON a character takes six bytes at most, so the whole answer stays below 20 kB. */
const MAX_MESSAGE_LENGTH = 1_000;
const MAX_PATH_LENGTH = 300;
const MAX_ISSUE_LENGTH = 500;
const MAX_ISSUES_BYTES = 13_000;

export interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export function toErrorAnswer(error: AppError, form: ErrorForm): ErrorAnswer {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (error.code === 'UNAUTHORIZED') headers['www-authenticate'] = 'Bearer';
  const wait = error.retryAfterSeconds ?? (error.code === 'UNAVAILABLE' ? AWAY_RETRY_SECONDS : undefined);
  if (wait !== undefined) headers['retry-after'] = String(wait);
  return { status: STATUS_OF[error.code], headers, body: JSON.stringify(errorBody(error, form)) };
}

function errorBody(error: AppError, form: ErrorForm): unknown {
  const message = shorten(error.message, MAX_MESSAGE_LENGTH);
  if (form === 'string') return { error: message };
  const { code, issues } = error;
  return { error: issues ? { code, message, issues: fewOf(issues) } : { code, message } };
}

/** Paths and messages may hold what the caller sent, of any length. */
function fewOf(issues: Issue[]): Issue[] {
  const few: Issue[] = [];
  let bytes = 0;
  for (const { path, message } of issues.slice(0, MAX_ISSUES)) {
    const issue = {
      path: shorten(path, MAX_PATH_LENGTH),
      message: shorten(message, MAX_ISSUE_LENGTH),
    };
    bytes += Buffer.byteLength(JSON.stringify(issue));
    if (bytes > MAX_ISSUES_BYTES) break;
    few.push(issue);
  }
  return few;
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
}
