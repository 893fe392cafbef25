/**
 * The error type of all features. Its message is shown to callers: it says what to change and must not contain SQL,
 * stack traces or paths. Details go into `cause`, which is only logged. HTTP and SMTP each translate the codes to their
 * own responses with an exhaustive table.
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
  | 'NOT_IMPLEMENTED'
  | 'UNAVAILABLE';

/** The maximum number of issues in one response. The caller sees the others after fixing these. */
export const MAX_ISSUES = 50;

/** A problem with the input. `path` is a JSON pointer to the invalid value. The message follows the name of the field. */
export interface Issue {
  path: string;
  message: string;
}

export const UNKNOWN_FIELD = 'is not a known field';

/** Describes an issue without the full stop at the end: "name is required", or "Unknown field: nmae". */
export function describeIssue({ path, message }: Issue): string {
  return describeFault(path === '' ? 'The request body' : path.slice(1).replaceAll('/', '.'), message);
}

function describeFault(name: string, message: string): string {
  return message === UNKNOWN_FIELD ? `Unknown field: ${name}` : `${name} ${message}`;
}

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly issues: Issue[] | undefined;
  /** The indexes of all invalid items, if the input is a list. The answer names each of them. */
  readonly invalidItems: readonly number[] | undefined;
  /** How long the caller should wait before a retry. */
  readonly retryAfterSeconds: number | undefined;
  /** True if a team has used its storage. */
  readonly isOverQuota: boolean;
  /** True if the log already has a line about the state that causes the error. */
  readonly isReported: boolean;

  constructor(
    code: ErrorCode,
    message: string,
    details: {
      cause?: unknown;
      issues?: Issue[];
      invalidItems?: readonly number[];
      retryAfterSeconds?: number;
      isOverQuota?: boolean;
      isReported?: boolean;
    } = {},
  ) {
    super(message, { cause: details.cause });
    this.name = 'AppError';
    this.code = code;
    this.issues = details.issues;
    this.invalidItems = details.invalidItems;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.isOverQuota = details.isOverQuota ?? false;
    this.isReported = details.isReported ?? false;
  }
}

/** True for errors that concern the operator rather than the caller. */
export function isServerFault({ code }: AppError): boolean {
  return code === 'INTERNAL' || code === 'UNAVAILABLE';
}

/** True for server faults that the log does not know yet. */
export function needsLogging(error: AppError): boolean {
  return isServerFault(error) && !error.isReported;
}

/** `notFound('Contact book')` has the message "Contact book not found". */
export function notFound(what: string): AppError {
  return new AppError('NOT_FOUND', `${what} not found`);
}

export function badRequest(message: string, issues?: Issue[]): AppError {
  return new AppError('BAD_REQUEST', message, { issues });
}

export function conflict(message: string): AppError {
  return new AppError('CONFLICT', message);
}

/** For a field that has a valid shape but does not match stored data: `invalidField('code', 'is not right')`. */
export function invalidField(name: string, message: string): AppError {
  return badRequest(`${describeFault(name, message)}.`, [{ path: `/${name}`, message }]);
}
