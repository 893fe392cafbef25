/**
 * Which deliveries may use a connection to one server, as a value. Pure: session-pool.ts keeps it and gives the time.
 *
 * - `busy` deliveries were let in; each has a connection, opens one, or is about to. The others wait in two lines.
 * - A server that refuses a connection while others are open has reached its limit: `most` falls to the number it has
 *   accepted, and one more is tried every 10 s.
 * - A server that refuses the only connection, or fails as a whole, rests: 1 s at first, doubling up to 60 s. Meanwhile
 *   its deliveries get the same failure without another try.
 */
import type { SmtpFailure } from '../../mail/smtp-failure.ts';

const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 60_000;
/** With this many connections or more, a share of them is kept for urgent mail. With fewer, urgent mail goes first. */
const ENOUGH_TO_SHARE = 4;
const SHARE_FOR_URGENT = 0.1;
/** How long after a refused connection one more is tried. */
const LIFT_MS = 10_000;

export interface SessionPoolState {
  readonly maxSessions: number;
  /** The most connections that the server takes, as far as we know. */
  readonly most: number;
  readonly liftAtMs: number;
  readonly busy: number;
  /** Of the busy ones, those that have a connection and those that are opening one. */
  readonly connected: number;
  readonly opening: number;
  readonly urgentWaiting: number;
  readonly bulkWaiting: number;
  readonly restUntilMs: number;
  readonly restMs: number;
  /** Null once a connection was opened again. */
  readonly lastFailure: SmtpFailure | null;
}

/** How many of each line are let in. */
interface Admitted {
  urgent: number;
  bulk: number;
}

export function createPoolState(maxSessions: number): SessionPoolState {
  const counts = { busy: 0, connected: 0, opening: 0, urgentWaiting: 0, bulkWaiting: 0 };
  return {
    ...counts,
    maxSessions,
    most: maxSessions,
    liftAtMs: 0,
    restUntilMs: 0,
    restMs: 0,
    lastFailure: null,
  };
}

function mostFor({ most }: SessionPoolState, isUrgent: boolean): number {
  if (isUrgent || most < ENOUGH_TO_SHARE) return most;
  return most - Math.ceil(most * SHARE_FOR_URGENT);
}

export function isFull(state: SessionPoolState, isUrgent: boolean): boolean {
  return state.busy >= mostFor(state, isUrgent);
}

export function isResting({ restUntilMs }: SessionPoolState, nowMs: number): boolean {
  return nowMs < restUntilMs;
}

export function isUnused({ busy, urgentWaiting, bulkWaiting }: SessionPoolState): boolean {
  return busy + urgentWaiting + bulkWaiting === 0;
}

/** A delivery comes: it is let in, or it waits in its line. */
export function enter(
  state: SessionPoolState,
  isUrgent: boolean,
  nowMs: number,
): [SessionPoolState, 'go' | 'wait'] {
  const lifted = lift(state, nowMs);
  if (!isFull(lifted, isUrgent)) return [{ ...lifted, busy: lifted.busy + 1 }, 'go'];
  return [waitInLine(lifted, isUrgent), 'wait'];
}

/** A delivery is done: others are let in, urgent ones first. */
export function leave(state: SessionPoolState): [SessionPoolState, Admitted] {
  let next = { ...state, busy: state.busy - 1 };
  const urgent = Math.max(0, Math.min(next.urgentWaiting, mostFor(next, true) - next.busy));
  next = { ...next, busy: next.busy + urgent, urgentWaiting: next.urgentWaiting - urgent };
  const bulk = Math.max(0, Math.min(next.bulkWaiting, mostFor(next, false) - next.busy));
  next = { ...next, busy: next.busy + bulk, bulkWaiting: next.bulkWaiting - bulk };
  return [next, { urgent, bulk }];
}

/** The failure with which a delivery ends at once; null when a connection may be opened. */
export function failureWhileResting(state: SessionPoolState, nowMs: number): SmtpFailure | null {
  return isResting(state, nowMs) ? state.lastFailure : null;
}

export function startOpening(state: SessionPoolState): SessionPoolState {
  return { ...state, opening: state.opening + 1 };
}

/** An unexpected error: it says nothing about the server. */
export function abandonOpening(state: SessionPoolState): SessionPoolState {
  return { ...state, opening: state.opening - 1 };
}

export function endOpening(state: SessionPoolState): SessionPoolState {
  return { ...state, opening: state.opening - 1, restMs: 0, lastFailure: null };
}

/** The server did not take another connection: the delivery fails with it, or waits for a connection that is open. */
export function failOpening(
  state: SessionPoolState,
  failure: SmtpFailure,
  isUrgent: boolean,
  nowMs: number,
): [SessionPoolState, 'fail' | 'wait'] {
  const next = { ...state, opening: state.opening - 1 };
  const accepted = next.connected + next.opening;
  if (accepted === 0) return [rest(next, failure, nowMs), 'fail'];
  const limited = { ...next, most: accepted, liftAtMs: nowMs + LIFT_MS, busy: next.busy - 1 };
  return [waitInLine(limited, isUrgent), 'wait'];
}

export function startSending(state: SessionPoolState): SessionPoolState {
  return { ...state, connected: state.connected + 1 };
}

/** `failure`: what the server as a whole failed with, null when it did not. */
export function endSending(
  state: SessionPoolState,
  failure: SmtpFailure | null,
  nowMs: number,
): SessionPoolState {
  const next = { ...state, connected: state.connected - 1 };
  return failure ? rest(next, failure, nowMs) : next;
}

function rest(state: SessionPoolState, failure: SmtpFailure, nowMs: number): SessionPoolState {
  // Connections that are cut at the same time are one failure, not one for each.
  if (isResting(state, nowMs)) return { ...state, lastFailure: failure };
  const restMs = Math.min(LONGEST_REST_MS, Math.max(FIRST_REST_MS, state.restMs * 2));
  return { ...state, lastFailure: failure, restMs, restUntilMs: nowMs + restMs };
}

function lift(state: SessionPoolState, nowMs: number): SessionPoolState {
  if (state.most >= state.maxSessions || nowMs < state.liftAtMs) return state;
  return { ...state, most: state.most + 1, liftAtMs: nowMs + LIFT_MS };
}

function waitInLine(state: SessionPoolState, isUrgent: boolean): SessionPoolState {
  return isUrgent
    ? { ...state, urgentWaiting: state.urgentWaiting + 1 }
    : { ...state, bulkWaiting: state.bulkWaiting + 1 };
}
