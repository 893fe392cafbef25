/** What an error of PostgreSQL, or of the way to it, means. */
import pg from 'pg';
import { AppError } from './errors.ts';

export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return hasCode(error, '23505') && (error as pg.DatabaseError).constraint === constraint;
}

/**
 * Two callers met: one made what the other makes too (a unique violation), or deleted what the other refers to (a
 * violation of a foreign key), and no operation handled it.
 */
export function isClash(error: unknown): boolean {
  return hasCode(error, '23505') || hasCode(error, '23503');
}

export function isCheckViolation(error: unknown, constraint: string): boolean {
  return hasCode(error, '23514') && (error as pg.DatabaseError).constraint === constraint;
}

export function isDeadlock(error: unknown): boolean {
  return hasCode(error, '40P01') || hasCode(error, '40001');
}

/** The fault is with what was asked or stored, not with the way to the database. */
export function isAboutData(error: unknown): boolean {
  return error instanceof AppError || isRefusal(error) || isOfClass(error, /^40/);
}

/** PostgreSQL will not take these rows, however often they come. */
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
 * Classes of SQLSTATE: no connection (08), not let in (28), no such database (3D), no disk, memory or connection left
 * (53), stopped by an operator or a timeout (57), a fault of its machine (58); and a standby or a transaction that was
 * ended because we were silent in it.
 */
const AWAY_STATES = /^((08|28|53|57|58)...|3D000|25006|25P03)$/;
const AWAY_CODES =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
const AWAY_MESSAGES =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when|Query read timeout)/;

/** What came from a database that is down, starting, full or out of reach, rather than from our own mistake. */
function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseAway);
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string' && (AWAY_STATES.test(code) || AWAY_CODES.test(code))) return true;
  return AWAY_MESSAGES.test(error.message);
}

/** Anything thrown becomes the product's own error here, before a door turns it into an answer. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isDatabaseAway(error)) {
    return new AppError('UNAVAILABLE', 'The database cannot be reached right now. Try again in a moment.', {
      cause: error,
    });
  }
  if (isClash(error)) {
    const message = 'Another request changed the same thing at the same moment. Look at it and try again.';
    return new AppError('CONFLICT', message, { cause: error });
  }
  if (isDeadlock(error)) {
    const message = 'Too many requests change the same thing at the moment. Try again.';
    return new AppError('UNAVAILABLE', message, { cause: error });
  }
  return new AppError('INTERNAL', 'Something went wrong on our side. Try again; the log has the details.', {
    cause: error,
  });
}
