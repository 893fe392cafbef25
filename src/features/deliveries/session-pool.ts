/**
 * Connections to one next hop: a bounded number, each used by one letter at a time and kept for the next. A hop that
 * cannot be reached is left alone for a while, longer each time, and its letters are put off without another try.
 */
import type { SmtpFailure } from '../../mail/smtp-failure.ts';
import type { OpenResult } from '../../mail/smtp-client.ts';
import type { SmtpSession } from '../../mail/smtp-session.ts';
import { attemptFrom, fromFailure, type Attempt } from './attempt.ts';
import type { Letter } from './transport.ts';

const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 60_000;
const IDLE_MS = 10_000;

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
  let busy = 0;
  let restUntil = 0;
  let restMs = 0;
  let lastFailure: SmtpFailure | null = null;

  function rest(failure: SmtpFailure): void {
    restMs = Math.min(LONGEST_REST_MS, Math.max(FIRST_REST_MS, restMs * 2));
    restUntil = Date.now() + restMs;
    lastFailure = failure;
  }

  async function takeSession(): Promise<OpenResult> {
    for (let entry = idle.pop(); entry; entry = idle.pop()) {
      // A server that closed meanwhile, or is about to, would cost the letter an attempt.
      if (entry.session.isUsable && Date.now() - entry.since < IDLE_MS)
        return { session: entry.session, failure: null };
      void entry.session.close();
    }
    if (lastFailure && Date.now() < restUntil) return { session: null, failure: lastFailure };
    const opened = await open();
    if (opened.failure) rest(opened.failure);
    else {
      restMs = 0;
      lastFailure = null;
    }
    return opened;
  }

  return {
    async send(letter, isWanted) {
      if (busy >= maxSessions) await new Promise<void>((resolve) => waiting.push(resolve));
      busy += 1;
      try {
        if (!isWanted()) return null;
        const { session, failure } = await takeSession();
        if (failure) return fromFailure(failure);
        const size = letter.chunks.reduce((sum, chunk) => sum + chunk.length, 0);
        const result = await session.send({ ...letter, recipients: [letter.recipient], size });
        if (session.isUsable) idle.push({ session, since: Date.now() });
        else await session.close();
        const attempt = attemptFrom(result);
        if (attempt.outcome === 'deferred' && attempt.wholeSession && result.failure) rest(result.failure);
        return attempt;
      } finally {
        busy -= 1;
        waiting.shift()?.();
      }
    },
    isFull: () => busy >= maxSessions,
    isResting: () => Date.now() < restUntil,
    isIdle: () => busy === 0 && waiting.length === 0,
    async close() {
      await Promise.all(idle.splice(0).map(({ session }) => session.close()));
    },
  };
}
