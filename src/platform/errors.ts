/**
 * The one error of the product. Its message is read by strangers: it says what to change and holds no SQL,
 * stack or path of the machine. What really happened goes into `cause`, for the log alone.
 * No door is known here: each door turns a code into its own answer with one exhaustive table.
 */
export type ErrorCode =
  | 'BAD_REQUEST'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'CONFLICT'
  | 'already_sent'
  | 'TOO_LARGE'
  | 'IDEMPOTENCY_MISMATCH'
  | 'RATE_LIMITED'
  | 'INTERNAL'
  | 'UNAVAILABLE';

/** One thing wrong with the input; `path` is a JSON pointer into it. */
export interface Issue {
  path: string;
  message: string;
}

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly issues: Issue[] | undefined;

  constructor(code: ErrorCode, message: string, details: { cause?: unknown; issues?: Issue[] } = {}) {
    super(message, { cause: details.cause });
    this.name = 'AppError';
    this.code = code;
    this.issues = details.issues;
  }
}

/** `notFound('Contact book')` says "Contact book not found". */
export function notFound(what: string): AppError {
  return new AppError('NOT_FOUND', `${what} not found`);
}

export function badRequest(message: string, issues?: Issue[]): AppError {
  return new AppError('BAD_REQUEST', message, { issues });
}

export function conflict(message: string): AppError {
  return new AppError('CONFLICT', message);
}
