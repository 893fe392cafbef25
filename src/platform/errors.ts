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

/** So many are said of one input; who has mended them hears of the others. */
export const MAX_ISSUES = 50;

/** One thing wrong with the input; `path` is a JSON pointer into it. */
export interface Issue {
  path: string;
  message: string;
}

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly issues: Issue[] | undefined;
  /** How long to wait before it is worth trying again. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    details: { cause?: unknown; issues?: Issue[]; retryAfterSeconds?: number } = {},
  ) {
    super(message, { cause: details.cause });
    this.name = 'AppError';
    this.code = code;
    this.issues = details.issues;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** Something for the log and its reader, and not for who asked. */
export function isOurs({ code }: AppError): boolean {
  return code === 'INTERNAL' || code === 'UNAVAILABLE';
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

/** `wrongField('code', 'is not right')`: a field whose shape is fine but which does not fit what is stored. */
export function wrongField(name: string, message: string): AppError {
  return badRequest(`${name} ${message}.`, [{ path: `/${name}`, message }]);
}
