/**
 * Connections to one server: a bounded number, each used by one delivery at a time and kept a while for the next. Who
 * may use one, who waits, and when the server rests is decided in session-pool-state.ts; this file opens the
 * connections, sends, and keeps the two lines of those that wait.
 */
import type { OpenResult } from '../../mail/smtp-client.ts';
import type { SmtpSession } from '../../mail/smtp-session.ts';
import { attemptFrom, fromFailure, type Attempt } from './attempt.ts';
import { createIdleSessions } from './idle-sessions.ts';
import * as pool from './session-pool-state.ts';
import type { Letter } from './transport.ts';

export interface SessionPool {
  /** Null: when its turn came it was not wanted any more. */
  send(letter: Letter, isWanted: () => boolean): Promise<Attempt | null>;
  isIdle(): boolean;
  /** All connections that such letters may use are taken. */
  isFull(isUrgent: boolean): boolean;
  /** It failed a moment ago and is not tried for now. */
  isResting(): boolean;
  close(): Promise<void>;
}

export function createSessionPool(open: () => Promise<OpenResult>, maxSessions: number): SessionPool {
  const idle = createIdleSessions();
  const urgentLine: (() => void)[] = [];
  const bulkLine: (() => void)[] = [];
  let state = pool.createPoolState(maxSessions);

  async function enter(isUrgent: boolean): Promise<void> {
    const [next, turn] = pool.enter(state, isUrgent, performance.now());
    state = next;
    if (turn === 'wait') await waitForTurn(isUrgent);
  }

  /** `leave` counts those that it lets in as busy. */
  async function waitForTurn(isUrgent: boolean): Promise<void> {
    await new Promise<void>((resolve) => (isUrgent ? urgentLine : bulkLine).push(resolve));
  }

  function leave(): void {
    const [next, admitted] = pool.leave(state);
    state = next;
    for (const letIn of urgentLine.splice(0, admitted.urgent)) letIn();
    for (const letIn of bulkLine.splice(0, admitted.bulk)) letIn();
  }

  async function openAnother(): Promise<OpenResult> {
    state = pool.startOpening(state);
    try {
      return await open();
    } catch (error) {
      state = pool.abandonOpening(state);
      throw error;
    }
  }

  async function sendBy(session: SmtpSession, letter: Letter): Promise<Attempt> {
    state = pool.startSending(state);
    let serverFailure: OpenResult['failure'] = null;
    try {
      const size = letter.chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      const result = await session.send({ ...letter, recipients: [letter.recipient], size });
      if (session.isUsable) idle.keep(session);
      else await session.close();
      const attempt = attemptFrom(result);
      if (attempt.outcome === 'deferred' && attempt.wholeSession) serverFailure = result.failure;
      return attempt;
    } finally {
      state = pool.endSending(state, serverFailure, performance.now());
    }
  }

  async function send(letter: Letter, isWanted: () => boolean): Promise<Attempt | null> {
    while (isWanted()) {
      const known = idle.take();
      if (known) return sendBy(known, letter);
      const resting = pool.failureWhileResting(state, performance.now());
      if (resting) return fromFailure(resting);
      const { session, failure } = await openAnother();
      if (session) {
        state = pool.endOpening(state);
        return sendBy(session, letter);
      }
      const [next, then] = pool.failOpening(state, failure, letter.isUrgent, performance.now());
      state = next;
      if (then === 'fail') return fromFailure(failure);
      await waitForTurn(letter.isUrgent);
    }
    return null;
  }

  return {
    async send(letter, isWanted) {
      await enter(letter.isUrgent);
      try {
        return await send(letter, isWanted);
      } finally {
        leave();
      }
    },
    isFull: (isUrgent) => pool.isFull(state, isUrgent),
    isResting: () => pool.isResting(state, performance.now()),
    isIdle: () => pool.isUnused(state),
    close: idle.close,
  };
}
