/** The one table from our error codes to HTTP, and the two forms that an error can take. */
import type { AppError, ErrorCode } from '../platform/errors.ts';

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
  if (form === 'string') return { error: error.message };
  const { code, message, issues } = error;
  return { error: issues ? { code, message, issues } : { code, message } };
}
