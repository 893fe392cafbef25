/**
 * A bounded number of connections to one server. Each connection serves one delivery at a time and stays open
 * for the next. session-pool-state.ts decides which delivery gets a connection, which waits and when the server
 * is backed off. This file opens connections, sends messages and keeps the two queues of waiting deliveries.
 */
import type { OpenResult } from '../../../mail/smtp/client.ts';
import type { OutgoingMessage } from '../../../mail/smtp/envelope.ts';
import type { SmtpFailure } from '../../../mail/smtp/failure.ts';
import type { SmtpSession } from '../../../mail/smtp/session.ts';
import { attemptFrom, fromFailure, type AttemptResult } from './attempt.ts';
import { createIdleSessions } from './idle-sessions.ts';
import * as pool from './session-pool-state.ts';
import type { WireMessage } from './transport.ts';

export interface SessionPool {
  /** Returns null when the message was no longer wanted once a connection was free. */
  send(message: WireMessage, isWanted: () => boolean): Promise<AttemptResult | null>;
  isIdle(): boolean;
  /** True when all connections that mail of this urgency may use are taken. */
  isFull(isUrgent: boolean): boolean;
  /** True when the server failed recently and must not be tried yet. */
  isBackingOff(): boolean;
  close(): Promise<void>;
}

/**
 * Called with the failure when the server refuses the only connection or fails as a whole, and with null when it has
 * replied about a message.
 */
type Report = (failure: SmtpFailure | null) => void;
/** 'taken' when other processes have all connections that mail of this urgency may use. */
type Open = (isUrgent: boolean) => Promise<OpenResult | 'taken'>;

interface PoolOptions {
  report?: Report;
  /** Called when there is no connection to wait for: this process has none, and other processes have them all. */
  onTaken?: (isUrgent: boolean) => void;
}

export function createSessionPool(open: Open, maxSessions: number, options: PoolOptions = {}): SessionPool {
  const { report = () => {}, onTaken = () => {} } = options;
  const idle = createIdleSessions();
  const waiters = createWaiters();
  let state = pool.createPoolState(maxSessions);

  async function enter(isUrgent: boolean): Promise<void> {
    const [next, decision] = pool.enter(state, isUrgent, performance.now());
    state = next;
    if (decision === 'wait') await waiters.wait(isUrgent);
  }

  function leave(): void {
    const [next, admitted] = pool.leave(state);
    state = next;
    waiters.admit(admitted);
  }

  async function openAnother(isUrgent: boolean): Promise<OpenResult | 'taken'> {
    state = pool.startOpening(state);
    try {
      return await open(isUrgent);
    } catch (error) {
      state = pool.abandonOpening(state);
      throw error;
    }
  }

  async function sendBy(session: SmtpSession, message: WireMessage): Promise<AttemptResult> {
    state = pool.startSending(state);
    let serverFailure: OpenResult['failure'] = null;
    try {
      const result = await session.send(toEnvelope(message));
      if (session.isUsable) idle.keep(session);
      else await session.close();
      const attempt = attemptFrom(result, session.host);
      if (attempt.outcome === 'deferred' && attempt.wholeSession) serverFailure = result.failure;
      report(serverFailure);
      return attempt;
    } finally {
      state = pool.endSending(state, serverFailure, performance.now());
    }
  }

  async function send(message: WireMessage, isWanted: () => boolean): Promise<AttemptResult | null> {
    while (isWanted()) {
      const idleSession = idle.take();
      if (idleSession) return sendBy(idleSession, message);
      const backoffFailure = pool.failureDuringBackoff(state, performance.now());
      if (backoffFailure) return fromFailure(backoffFailure);
      const opened = await openAnother(message.isUrgent);
      if (opened !== 'taken' && opened.session) {
        state = pool.endOpening(state);
        return sendBy(opened.session, message);
      }
      const failure = opened === 'taken' ? null : opened.failure;
      const [next, then] = pool.failOpening(state, failure, message.isUrgent, performance.now());
      state = next;
      if (then === 'fail') return giveUp(failure, message, { report, onTaken });
      await waiters.wait(message.isUrgent);
    }
    return null;
  }

  return {
    async send(message, isWanted) {
      await enter(message.isUrgent);
      try {
        return await send(message, isWanted);
      } finally {
        leave();
      }
    },
    isFull: (isUrgent) => pool.isFull(state, isUrgent),
    isBackingOff: () => pool.isBackingOff(state, performance.now()),
    isIdle: () => pool.isUnused(state),
    close: idle.close,
  };
}

/** The deliveries that wait for a connection, in two queues. The pool counts those that it admits as busy. */
function createWaiters() {
  const urgent: (() => void)[] = [];
  const bulk: (() => void)[] = [];
  return {
    wait: (isUrgent: boolean) => new Promise<void>((resolve) => (isUrgent ? urgent : bulk).push(resolve)),
    admit(admitted: pool.Admitted): void {
      for (const start of urgent.splice(0, admitted.urgent)) start();
      for (const start of bulk.splice(0, admitted.bulk)) start();
    },
  };
}

/** `failure` is null when other processes have all connections. */
function giveUp(
  failure: SmtpFailure | null,
  { isUrgent }: WireMessage,
  { report, onTaken }: Required<PoolOptions>,
): AttemptResult | null {
  if (failure) report(failure);
  else onTaken(isUrgent);
  return failure && fromFailure(failure);
}

function toEnvelope({ mailFrom, recipient, chunks, smtpUtf8, tls, dsn }: WireMessage): OutgoingMessage {
  const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return { mailFrom, recipients: [recipient], chunks, smtpUtf8, size, requiresTls: tls === 'required', dsn };
}
