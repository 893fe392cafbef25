/** Classifies errors of PostgreSQL and of the connection to it. */
import pg from 'pg';
import { AppError } from '../errors.ts';

export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return hasCode(error, '23505') && (error as pg.DatabaseError).constraint === constraint;
}

/**
 * True for a unique or foreign key violation that no operation handled: concurrent calls created or deleted the
 * same row.
 */
export function isConflict(error: unknown): boolean {
  return hasCode(error, '23505') || hasCode(error, '23503');
}

export function isCheckViolation(error: unknown, constraint: string): boolean {
  return hasCode(error, '23514') && (error as pg.DatabaseError).constraint === constraint;
}

export function isDeadlock(error: unknown): boolean {
  return hasCode(error, '40P01') || hasCode(error, '40001');
}

/** True if the disk of the database is full. */
export function isDiskFull(error: unknown): boolean {
  return hasCode(error, '53100');
}

/** True if a statement was ended because it took too long. */
export function isStatementTimeout(error: unknown): boolean {
  return hasCode(error, '57014');
}

/** True if the error comes from the data or from a conflict, not from the connection. */
export function isAboutData(error: unknown): boolean {
  return error instanceof AppError || isRefusal(error) || isOfClass(error, /^40/);
}

/** True if PostgreSQL rejects this data permanently, so that a retry is useless. */
export function isRefusal(error: unknown): boolean {
  return isOfClass(error, /^(22|23|54)/);
}

function isOfClass(error: unknown, pattern: RegExp): boolean {
  return error instanceof pg.DatabaseError && pattern.test(error.code ?? '');
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof pg.DatabaseError && error.code === code;
}

/**
 * Classes of SQLSTATE: connection exception (08), invalid authorization (28), unknown database (3D000), insufficient
 * disk, memory or connections (53), operator intervention or timeout (57), system error (58). Also a read-only standby
 * (25006) and a transaction that was ended for being idle (25P03).
 */
const AWAY_STATES = /^((08|28|53|57|58)...|3D000|25006|25P03)$/;
const AWAY_CODES =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
const AWAY_MESSAGES =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when|Query read timeout)/;

/** True if the database is down, starting, full or unreachable. */
function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseAway);
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string' && (AWAY_STATES.test(code) || AWAY_CODES.test(code))) return true;
  return AWAY_MESSAGES.test(error.message);
}

/** The SQLSTATE of a write for a closed team (refuse_closed_team in migrations/functions.sql). */
const TEAM_CLOSED = 'PHTC0';
const TRY_CLOSED_AGAIN_SECONDS = 30;

/** True if a write was rejected because its team is moving to another instance, or has moved. */
export function isTeamClosed(error: unknown): boolean {
  return hasCode(error, TEAM_CLOSED);
}

export function teamClosed(cause?: unknown): AppError {
  const message = 'This team is being moved to another server. Try again in a minute.';
  return new AppError('UNAVAILABLE', message, { cause, retryAfterSeconds: TRY_CLOSED_AGAIN_SECONDS });
}

export function teamMoved(url: string): AppError {
  return new AppError('UNAUTHORIZED', `This team has moved to ${url} and can be reached only there.`);
}

/** Converts any thrown value to an AppError, which each door translates to a response. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isDiskFull(error)) {
    const message = 'The disk of the database is full. Try again later.';
    return new AppError('UNAVAILABLE', message, {
      cause: error,
      retryAfterSeconds: 60,
      isReported: true,
    });
  }
  if (isStatementTimeout(error)) {
    const message =
      'The database took too long for this request. Request less at once, for example with a simpler filter, or try again later.';
    return new AppError('UNAVAILABLE', message, { cause: error, retryAfterSeconds: 60 });
  }
  if (isDatabaseAway(error)) {
    return new AppError('UNAVAILABLE', 'The database is not available right now. Try again in a moment.', {
      cause: error,
    });
  }
  if (isTeamClosed(error)) return teamClosed(error);
  if (isConflict(error)) {
    const message = 'Another request changed the same resource at the same time. Reload it and try again.';
    return new AppError('CONFLICT', message, { cause: error });
  }
  if (isDeadlock(error)) {
    const message = 'Too many requests are changing the same resource. Try again.';
    return new AppError('UNAVAILABLE', message, { cause: error });
  }
  return new AppError('INTERNAL', 'Internal server error. Try again. The server log has the details.', {
    cause: error,
  });
}
