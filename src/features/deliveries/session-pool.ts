/**
 * Connections to one next hop: a bounded number, each used by one letter at a time and kept a while for the next. A hop
 * that takes no more connections than it has is asked for no more for a while, and letters wait for one of those. A hop
 * that cannot be reached at all is left alone, longer each time, and its letters are put off without another try.
 */
import type { SmtpFailure } from '../../mail/smtp-failure.ts';
import type { OpenResult } from '../../mail/smtp-client.ts';
import type { SmtpSession } from '../../mail/smtp-session.ts';
import { attemptFrom, fromFailure, type Attempt } from './attempt.ts';
import type { Letter } from './transport.ts';

const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 60_000;
/** A connection without a letter is kept so long. */
const IDLE_MS = 10_000;
/** Of so many connections or more, this share is kept for urgent letters. Of fewer each counts; urgent ones go first. */
const ENOUGH_TO_SHARE = 4;
const SHARE_FOR_URGENT = 0.1;
/** So long after it refused a connection one more is tried. */
const LIFT_MS = 10_000;

export interface SessionPool {
  /** Null: when its turn came it was not wanted any more. */
  send(letter: Letter, isWanted: () => boolean): Promise<Attempt | null>;
  isIdle(): boolean;
  /** All connections are taken that such letters may use. */
  isFull(isUrgent: boolean): boolean;
  /** It failed a moment ago and is left alone. */
  isResting(): boolean;
  close(): Promise<void>;
}

export function createSessionPool(open: () => Promise<OpenResult>, maxSessions: number): SessionPool {
  const idle: { session: SmtpSession; since: number }[] = [];
  const urgentWaiting: (() => void)[] = [];
  const bulkWaiting: (() => void)[] = [];
  let idleTimer: NodeJS.Timeout | null = null;
  let busy = 0;
  /** Of the busy ones, those with a connection and those that ask for one. */
  let connected = 0;
  let opening = 0;
  let most = maxSessions;
  let liftAt = 0;
  let restUntil = 0;
  let restMs = 0;
  let lastFailure: SmtpFailure | null = null;

  function rest(failure: SmtpFailure): void {
    lastFailure = failure;
    // Connections that are cut together are one failure, not one for each.
    if (performance.now() < restUntil) return;
    restMs = Math.min(LONGEST_REST_MS, Math.max(FIRST_REST_MS, restMs * 2));
    restUntil = performance.now() + restMs;
  }

  function takeIdle(): SmtpSession | null {
    for (let entry = idle.pop(); entry; entry = idle.pop()) {
      // A server that closed meanwhile, or is about to, would cost the letter an attempt.
      if (entry.session.isUsable && performance.now() - entry.since < IDLE_MS) return entry.session;
      void entry.session.close();
    }
    return null;
  }

  function keepForNext(session: SmtpSession): void {
    idle.push({ session, since: performance.now() });
    idleTimer ??= setTimeout(sweepIdle, IDLE_MS).unref();
  }

  /** Servers count open connections: they get their goodbye also when no further letter comes. */
  function sweepIdle(): void {
    idleTimer = null;
    // The first has waited longest.
    while (idle[0] && performance.now() - idle[0].since >= IDLE_MS) void idle.shift()!.session.close();
    if (idle[0]) idleTimer = setTimeout(sweepIdle, idle[0].since + IDLE_MS - performance.now()).unref();
  }

  async function openAnother(): Promise<OpenResult> {
    if (lastFailure && performance.now() < restUntil) return { session: null, failure: lastFailure };
    const opened = await open();
    if (opened.session) {
      restMs = 0;
      lastFailure = null;
    }
    return opened;
  }

  function mostFor(isUrgent: boolean): number {
    if (isUrgent || most < ENOUGH_TO_SHARE) return most;
    return most - Math.ceil(most * SHARE_FOR_URGENT);
  }

  async function enter(isUrgent: boolean): Promise<void> {
    if (most < maxSessions && performance.now() >= liftAt) {
      most += 1;
      liftAt = performance.now() + LIFT_MS;
    }
    if (busy < mostFor(isUrgent)) busy += 1;
    else await waitForTurn(isUrgent);
  }

  /** Who let it in has counted it as busy. */
  async function waitForTurn(isUrgent: boolean): Promise<void> {
    await new Promise<void>((resolve) => (isUrgent ? urgentWaiting : bulkWaiting).push(resolve));
  }

  function leave(): void {
    busy -= 1;
    letNextIn();
  }

  function letNextIn(): void {
    for (const [line, isUrgent] of [
      [urgentWaiting, true],
      [bulkWaiting, false],
    ] as const) {
      while (line.length > 0 && busy < mostFor(isUrgent)) {
        busy += 1;
        line.shift()!();
      }
    }
  }

  async function sendBy(session: SmtpSession, letter: Letter): Promise<Attempt> {
    connected += 1;
    try {
      const size = letter.chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      const result = await session.send({ ...letter, recipients: [letter.recipient], size });
      if (session.isUsable) keepForNext(session);
      else await session.close();
      const attempt = attemptFrom(result);
      if (attempt.outcome === 'deferred' && attempt.wholeSession && result.failure) rest(result.failure);
      return attempt;
    } finally {
      connected -= 1;
    }
  }

  return {
    async send(letter, isWanted) {
      await enter(letter.isUrgent);
      try {
        while (isWanted()) {
          const known = takeIdle();
          if (known) return await sendBy(known, letter);
          opening += 1;
          const { session, failure } = await openAnother().finally(() => (opening -= 1));
          if (session) return await sendBy(session, letter);
          const isResting = failure === lastFailure;
          const isAlone = connected + opening === 0;
          if (isAlone && !isResting) rest(failure);
          if (isAlone || isResting) return fromFailure(failure);
          most = connected + opening;
          liftAt = performance.now() + LIFT_MS;
          busy -= 1;
          await waitForTurn(letter.isUrgent);
        }
        return null;
      } finally {
        leave();
      }
    },
    isFull: (isUrgent) => busy >= mostFor(isUrgent),
    isResting: () => performance.now() < restUntil,
    isIdle: () => busy === 0 && urgentWaiting.length + bulkWaiting.length === 0,
    async close() {
      if (idleTimer) clearTimeout(idleTimer);
      idleTimer = null;
      await Promise.all(idle.splice(0).map(({ session }) => session.close()));
    },
  };
}
