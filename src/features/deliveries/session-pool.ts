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
/** So long after it refused a connection one more is tried. */
const LIFT_MS = 10_000;

export interface SessionPool {
  /** Null: when its turn came it was not wanted any more. */
  send(letter: Letter, isWanted: () => boolean): Promise<Attempt | null>;
  isIdle(): boolean;
  /** All connections are taken. */
  isFull(): boolean;
  /** It failed a moment ago and is left alone. */
  isResting(): boolean;
  close(): Promise<void>;
}

export function createSessionPool(open: () => Promise<OpenResult>, maxSessions: number): SessionPool {
  const idle: { session: SmtpSession; since: number }[] = [];
  const waiting: (() => void)[] = [];
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
    restMs = Math.min(LONGEST_REST_MS, Math.max(FIRST_REST_MS, restMs * 2));
    restUntil = Date.now() + restMs;
    lastFailure = failure;
  }

  function takeIdle(): SmtpSession | null {
    for (let entry = idle.pop(); entry; entry = idle.pop()) {
      // A server that closed meanwhile, or is about to, would cost the letter an attempt.
      if (entry.session.isUsable && Date.now() - entry.since < IDLE_MS) return entry.session;
      void entry.session.close();
    }
    return null;
  }

  function keepForNext(session: SmtpSession): void {
    idle.push({ session, since: Date.now() });
    idleTimer ??= setTimeout(sweepIdle, IDLE_MS).unref();
  }

  /** Servers count open connections: they get their goodbye also when no further letter comes. */
  function sweepIdle(): void {
    idleTimer = null;
    // The first has waited longest.
    while (idle[0] && Date.now() - idle[0].since >= IDLE_MS) void idle.shift()!.session.close();
    if (idle[0]) idleTimer = setTimeout(sweepIdle, idle[0].since + IDLE_MS - Date.now()).unref();
  }

  async function openAnother(): Promise<OpenResult> {
    if (lastFailure && Date.now() < restUntil) return { session: null, failure: lastFailure };
    const opened = await open();
    if (opened.session) {
      restMs = 0;
      lastFailure = null;
    }
    return opened;
  }

  function mayOpenMore(): boolean {
    if (most < maxSessions && Date.now() >= liftAt) {
      most += 1;
      liftAt = Date.now() + LIFT_MS;
    }
    return busy < most;
  }

  async function waitForTurn(): Promise<void> {
    await new Promise<void>((resolve) => waiting.push(resolve));
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
      if (!mayOpenMore()) await waitForTurn();
      busy += 1;
      try {
        while (isWanted()) {
          const known = takeIdle();
          if (known) return await sendBy(known, letter);
          opening += 1;
          const { session, failure } = await openAnother();
          opening -= 1;
          if (session) return await sendBy(session, letter);
          const isResting = failure === lastFailure;
          const isAlone = connected + opening === 0;
          if (isAlone && !isResting) rest(failure);
          if (isAlone || isResting) return fromFailure(failure);
          most = connected + opening;
          liftAt = Date.now() + LIFT_MS;
          busy -= 1;
          await waitForTurn();
          busy += 1;
        }
        return null;
      } finally {
        busy -= 1;
        waiting.shift()?.();
      }
    },
    isFull: () => busy >= most,
    isResting: () => Date.now() < restUntil,
    isIdle: () => busy === 0 && waiting.length === 0,
    async close() {
      if (idleTimer) clearTimeout(idleTimer);
      idleTimer = null;
      await Promise.all(idle.splice(0).map(({ session }) => session.close()));
    },
  };
}
