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
  | 'THREAD_CHANGED'
  | 'TOO_LARGE'
  | 'IDEMPOTENCY_MISMATCH'
  | 'RATE_LIMITED'
  | 'INTERNAL'
  | 'NOT_IMPLEMENTED'
  | 'UNAVAILABLE';

/**
 * Why an error is not like others of its code. Doors whose codes are finer than ours map reasons, with tables that name
 * all of them, so that the words of a message can change without changing what a caller gets.
 */
export type ErrorReason =
  | 'unverified-sender'
  | 'sender-of-another-domain'
  | 'invalid-json'
  | 'inactive-recipients'
  | 'request-in-progress'
  | 'invalid-idempotency-key'
  | 'folder-exists'
  | 'over-quota'
  | 'no-such-email'
  | 'no-such-template'
  | 'no-such-bounce'
  | 'blocked-by-policy';

/** What a door makes of errors. A reason with null counts as its code. */
export interface ErrorTable<Value> {
  codes: Record<ErrorCode, Value>;
  reasons: Record<ErrorReason, Value | null>;
}

export function lookUpError<Value>(
  { codes, reasons }: ErrorTable<Value>,
  { code, reason }: Pick<AppError, 'code' | 'reason'>,
): Value {
  return (reason && reasons[reason]) ?? codes[code];
}

/** The maximum number of issues in one response. The caller sees the others after fixing these. */
export const MAX_ISSUES = 50;

/** A problem with the input. `path` is a JSON pointer to the invalid value. The message follows the name of the field. */
export interface Issue {
  path: string;
  message: string;
  /** What doors tell apart; it is not shown. */
  reason?: IssueReason | undefined;
}

export type IssueReason = 'required' | 'empty';

export const IS_REQUIRED = 'is required';
export const IS_EMPTY = 'must not be empty';
export const UNKNOWN_FIELD = 'is not a known field';

/** Describes an issue without the full stop at the end: "name is required", or "Unknown field: nmae". */
export function describeIssue({ path, message }: Pick<Issue, 'path' | 'message'>): string {
  return describeFault(path === '' ? 'The request body' : path.slice(1).replaceAll('/', '.'), message);
}

/** For messages that are the same for every field. Others say their reason themselves. */
export function issueReasonOf(message: string): IssueReason | undefined {
  if (message === IS_REQUIRED) return 'required';
  return message === IS_EMPTY ? 'empty' : undefined;
}

function describeFault(name: string, message: string): string {
  return message === UNKNOWN_FIELD ? `Unknown field: ${name}` : `${name} ${message}`;
}

export class AppError extends Error {
  readonly code: ErrorCode;
  /** Null if the code says all. */
  readonly reason: ErrorReason | null;
  readonly issues: Issue[] | undefined;
  /** The indexes of all invalid items, if the input is a list. The answer names each of them. */
  readonly invalidItems: readonly number[] | undefined;
  /** How long the caller should wait before a retry. */
  readonly retryAfterSeconds: number | undefined;
  /** For THREAD_CHANGED: the IDs of the messages that the writer has not seen. */
  readonly newMessages: readonly string[] | undefined;
  /** The person to whom what was asked for belongs. */
  readonly owner: { user_id: string; name: string } | undefined;
  /** True if the log already has a line about the state that causes the error. */
  readonly isReported: boolean;

  constructor(
    code: ErrorCode,
    message: string,
    details: {
      reason?: ErrorReason | null;
      cause?: unknown;
      issues?: Issue[];
      invalidItems?: readonly number[];
      retryAfterSeconds?: number;
      newMessages?: readonly string[];
      owner?: { user_id: string; name: string };
      isReported?: boolean;
    } = {},
  ) {
    super(message, { cause: details.cause });
    this.name = 'AppError';
    this.code = code;
    this.reason = details.reason ?? null;
    this.issues = details.issues;
    this.invalidItems = details.invalidItems;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.newMessages = details.newMessages;
    this.owner = details.owner;
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
export function notFound(what: string, reason?: ErrorReason): AppError {
  return new AppError('NOT_FOUND', `${what} not found`, { reason });
}

export function badRequest(message: string, issues?: Issue[], reason?: ErrorReason): AppError {
  return new AppError('BAD_REQUEST', message, { issues, reason });
}

export function conflict(message: string, reason?: ErrorReason): AppError {
  return new AppError('CONFLICT', message, { reason });
}

/** For a field that has a valid shape but does not match stored data: `invalidField('code', 'is not right')`. */
export function invalidField(name: string, message: string): AppError {
  return badRequest(`${describeFault(name, message)}.`, [
    { path: `/${name}`, message, reason: issueReasonOf(message) },
  ]);
}
