/**
 * Decides which deliveries may use a connection to one server. The functions are pure; session-pool.ts keeps
 * the state and passes the time.
 * - `busy` deliveries are admitted: each has a connection, is opening one or is about to. The others wait in
 *   two queues.
 * - When a server refuses a connection while others are open, it has reached its limit. `limit` drops to the
 *   number it has accepted, and one more connection is tried every 10 s.
 * - When a server refuses the only connection, or fails as a whole, the pool backs off: 1 s at first, doubling
 *   up to 60 s. Until the backoff ends, deliveries fail immediately with the same error.
 */
import type { SmtpFailure } from '../../../mail/smtp/failure.ts';

const MIN_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;
/**
 * With this many connections or more, a share is reserved for urgent mail. With fewer, urgent mail only goes
 * first.
 */
const MIN_SESSIONS_TO_RESERVE = 4;
const URGENT_SHARE = 0.1;
/** Time after a refused connection before one more is tried. */
const RAISE_LIMIT_MS = 10_000;

export interface SessionPoolState {
  readonly maxSessions: number;
  /** The number of connections that the server accepts, as far as we know. */
  readonly limit: number;
  readonly raiseLimitAtMs: number;
  readonly busy: number;
  /** Busy deliveries that have a connection, and those that are opening one. */
  readonly connected: number;
  readonly opening: number;
  readonly urgentWaiting: number;
  readonly bulkWaiting: number;
  readonly backoffUntilMs: number;
  readonly backoffMs: number;
  /** Null after a connection was opened successfully. */
  readonly lastFailure: SmtpFailure | null;
}

/** How many waiting deliveries of each queue are admitted. */
export interface Admitted {
  urgent: number;
  bulk: number;
}

export function createPoolState(maxSessions: number): SessionPoolState {
  return {
    maxSessions,
    limit: maxSessions,
    raiseLimitAtMs: 0,
    busy: 0,
    connected: 0,
    opening: 0,
    urgentWaiting: 0,
    bulkWaiting: 0,
    backoffUntilMs: 0,
    backoffMs: 0,
    lastFailure: null,
  };
}

function limitFor({ limit }: Pick<SessionPoolState, 'limit'>, isUrgent: boolean): number {
  if (isUrgent || limit < MIN_SESSIONS_TO_RESERVE) return limit;
  return limit - Math.ceil(limit * URGENT_SHARE);
}

export function isFull(state: SessionPoolState, isUrgent: boolean): boolean {
  return state.busy >= limitFor(state, isUrgent);
}

export function isBackingOff({ backoffUntilMs }: SessionPoolState, nowMs: number): boolean {
  return nowMs < backoffUntilMs;
}

export function isUnused({ busy, urgentWaiting, bulkWaiting }: SessionPoolState): boolean {
  return busy + urgentWaiting + bulkWaiting === 0;
}

/** Admits a new delivery or adds it to its queue. */
export function enter(
  state: SessionPoolState,
  isUrgent: boolean,
  nowMs: number,
): [SessionPoolState, 'go' | 'wait'] {
  const raised = raiseLimit(state, nowMs);
  if (!isFull(raised, isUrgent)) return [{ ...raised, busy: raised.busy + 1 }, 'go'];
  return [addWaiting(raised, isUrgent), 'wait'];
}

/** A delivery has finished: admits waiting ones, urgent mail first. */
export function leave(state: SessionPoolState): [SessionPoolState, Admitted] {
  const { urgentWaiting, bulkWaiting } = state;
  const others = state.busy - 1;
  const urgent = Math.max(0, Math.min(urgentWaiting, limitFor(state, true) - others));
  const bulk = Math.max(0, Math.min(bulkWaiting, limitFor(state, false) - others - urgent));
  const next = {
    ...state,
    busy: others + urgent + bulk,
    urgentWaiting: urgentWaiting - urgent,
    bulkWaiting: bulkWaiting - bulk,
  };
  return [next, { urgent, bulk }];
}

/** Returns the failure that ends a delivery immediately, or null when a connection may be opened. */
export function failureDuringBackoff(state: SessionPoolState, nowMs: number): SmtpFailure | null {
  return isBackingOff(state, nowMs) ? state.lastFailure : null;
}

export function startOpening(state: SessionPoolState): SessionPoolState {
  return { ...state, opening: state.opening + 1 };
}

/** An unexpected error in our code says nothing about the server. */
export function abandonOpening(state: SessionPoolState): SessionPoolState {
  return { ...state, opening: state.opening - 1 };
}

export function endOpening(state: SessionPoolState): SessionPoolState {
  return { ...state, opening: state.opening - 1, backoffMs: 0, lastFailure: null };
}

/**
 * The server refused a connection, or `failure` is null because other processes have all connections. The delivery
 * fails, or waits for a connection that is already open.
 */
export function failOpening(
  state: SessionPoolState,
  failure: SmtpFailure | null,
  isUrgent: boolean,
  nowMs: number,
): [SessionPoolState, 'fail' | 'wait'] {
  const next = { ...state, opening: state.opening - 1 };
  const accepted = next.connected + next.opening;
  if (accepted === 0) return [failure ? backOff(next, failure, nowMs) : next, 'fail'];
  const limited = { ...next, limit: accepted, raiseLimitAtMs: nowMs + RAISE_LIMIT_MS, busy: next.busy - 1 };
  return [addWaiting(limited, isUrgent), 'wait'];
}

/** Returns how many connections mail of this urgency may use. */
export function mostSessions(maxSessions: number, isUrgent: boolean): number {
  return limitFor({ limit: maxSessions }, isUrgent);
}

export function startSending(state: SessionPoolState): SessionPoolState {
  return { ...state, connected: state.connected + 1 };
}

/** `failure` is set when the server failed as a whole. */
export function endSending(
  state: SessionPoolState,
  failure: SmtpFailure | null,
  nowMs: number,
): SessionPoolState {
  const next = { ...state, connected: state.connected - 1 };
  return failure ? backOff(next, failure, nowMs) : next;
}

function backOff(state: SessionPoolState, failure: SmtpFailure, nowMs: number): SessionPoolState {
  // Connections that are cut at the same time count as one failure.
  if (isBackingOff(state, nowMs)) return { ...state, lastFailure: failure };
  const backoffMs = Math.min(MAX_BACKOFF_MS, Math.max(MIN_BACKOFF_MS, state.backoffMs * 2));
  return { ...state, lastFailure: failure, backoffMs, backoffUntilMs: nowMs + backoffMs };
}

function raiseLimit(state: SessionPoolState, nowMs: number): SessionPoolState {
  if (state.limit >= state.maxSessions || nowMs < state.raiseLimitAtMs) return state;
  return { ...state, limit: state.limit + 1, raiseLimitAtMs: nowMs + RAISE_LIMIT_MS };
}

function addWaiting(state: SessionPoolState, isUrgent: boolean): SessionPoolState {
  return isUrgent
    ? { ...state, urgentWaiting: state.urgentWaiting + 1 }
    : { ...state, bulkWaiting: state.bulkWaiting + 1 };
}
