/**
 * Runs the attempts and writes their outcomes as `delivery-worker-state.ts` decides. Outcomes are written in
 * batches, one transaction each, because a small batch costs the database almost as much as a full one.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { DatabaseClock } from '../../platform/database/database-clock.ts';
import { describeReply } from '../../mail/smtp/failure.ts';
import { AppError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { encodeId } from '../../platform/ids.ts';
import type { Tracer } from '../../platform/telemetry/tracing.ts';
import { attemptDelivery, type AttemptTools, type Ending } from './attempt-delivery.ts';
import { classOfAttempt } from './class-of-attempt.ts';
import { wasHeldBack, type AttemptResult, type NotAttempted } from './transports/attempt.ts';
import type { ClaimedDelivery } from './claim.ts';
import type { ReadyDelivery } from './claimed-state.ts';
import type { DeliveryMetrics } from './delivery-metrics.ts';
import {
  IDLE_WORKER,
  nextWorkerState,
  type WorkerEffect,
  type WorkerEvent,
  type WorkerState,
} from './delivery-worker-state.ts';
import type { Outcome } from './outcomes.ts';

/** The reply is text from the remote server, which may be long. */
const MAX_LOGGED_REPLY = 300;
const DRAIN_POLL_MS = 10;

/** The reason is shown in the queue and to the team. Other errors may have internal details, which only the log has. */
function failedOnOurSide(error: unknown): AttemptResult {
  const reason =
    error instanceof AppError ? error.message : 'Unexpected error on the server. Its log has the details.';
  return { outcome: 'deferred', reply: null, reason, wholeSession: false };
}

export interface InFlightTools {
  log: Log;
  mailLog: Log;
  metrics: Pick<DeliveryMetrics, 'countAttempt'>;
  /** Null if tracing is off. */
  tracer: Tracer | null;
  clock: DatabaseClock;
  attempt: Omit<AttemptTools, 'isClosing' | 'onReportFailed'>;
  write(batch: Outcome[]): Promise<void>;
  putBack(delivery: ReadyDelivery): void;
  /** Called when slots are free. Starts as many claimed deliveries as may start. */
  fill(): void;
}

export interface InFlight {
  state(): WorkerState<Outcome>;
  claimed(deliveries: readonly ClaimedDelivery[]): void;
  returned(deliveries: readonly ClaimedDelivery[]): void;
  begin(delivery: ReadyDelivery): void;
  /** Deliveries whose attempt has begun and whose outcome is not written. */
  list(): ClaimedDelivery[];
  /** Starts nothing more. Resolves when the last outcome is written. */
  drain(): Promise<void>;
}

export function createInFlight(tools: InFlightTools): InFlight {
  const { log, clock } = tools;
  let state: WorkerState<Outcome> = IDLE_WORKER;
  const begun = new Set<ClaimedDelivery>();
  let batchTimer: NodeJS.Timeout | undefined;

  function logUnexpected(error: unknown): void {
    log.error({ err: error }, 'delivery worker: an unexpected error');
  }

  function apply(event: WorkerEvent<Outcome>): void {
    const [next, effects] = nextWorkerState(state, event);
    state = next;
    effects.forEach(run);
  }

  function run(effect: WorkerEffect<Outcome>): void {
    switch (effect.type) {
      case 'write':
        write([...effect.batch]).catch(logUnexpected);
        break;
      case 'start-batch-timer':
        batchTimer = setTimeout(() => apply({ type: 'batch-waited' }), effect.waitMs);
        break;
      case 'stop-batch-timer':
        clearTimeout(batchTimer);
        break;
      case 'fill':
        tools.fill();
        apply({ type: 'filled' });
    }
  }

  async function write(batch: Outcome[]): Promise<void> {
    await tools.write(batch).catch(logUnexpected);
    for (const { delivery } of batch) begun.delete(delivery);
    apply({ type: 'written', count: batch.length, bytes: sizeOf(batch.map(({ delivery }) => delivery)) });
  }

  const attemptTools: AttemptTools = {
    ...tools.attempt,
    isClosing: () => state.isClosing,
    onReportFailed: (error) =>
      log.error({ err: error }, 'delivery worker: a failing campaign is not paused yet'),
  };

  async function deliver(delivery: ReadyDelivery): Promise<void> {
    const startedAt = performance.now();
    // The trace covers only the attempt, because the code that follows may start other deliveries.
    const ending = await traceAttempt(tools.tracer, delivery, () =>
      attemptOrFail(attemptTools, delivery, log),
    );
    if (ending === 'put-back') {
      begun.delete(delivery);
      apply({ type: 'put-back', bytes: sizeOf([delivery]) });
      tools.putBack(delivery);
      return;
    }
    const ms = performance.now() - startedAt;
    logAttempt(tools.mailLog, delivery, ending, ms);
    if (!wasHeldBack(ending)) tools.metrics.countAttempt(delivery.recipientDomain, ending, ms / 1000);
    apply({ type: 'ended', outcome: { delivery, attempt: ending, at: clock.now() } });
  }

  return {
    state: () => state,
    claimed: (deliveries) => apply({ type: 'claimed', bytes: sizeOf(deliveries) }),
    returned: (deliveries) => apply({ type: 'returned', bytes: sizeOf(deliveries) }),
    list: () => [...begun],
    begin(delivery) {
      begun.add(delivery);
      apply({ type: 'begun' });
      deliver(delivery).catch(logUnexpected);
    },
    async drain() {
      apply({ type: 'closing' });
      while (state.inFlight > 0) await wait(DRAIN_POLL_MS);
    },
  };
}

async function attemptOrFail(tools: AttemptTools, delivery: ReadyDelivery, log: Log): Promise<Ending> {
  try {
    return await attemptDelivery(tools, delivery);
  } catch (error) {
    log.error({ err: error, emailId: delivery.emailId }, 'delivery worker: an attempt failed on our side');
    return failedOnOurSide(error);
  }
}

function traceAttempt(
  tracer: Tracer | null,
  delivery: ReadyDelivery,
  attempt: () => Promise<Ending>,
): Promise<Ending> {
  if (!tracer || !delivery.traceparent) return attempt();
  const attributes = {
    'posthorn.email_id': encodeId('eml', delivery.emailId),
    'posthorn.recipient_domain': delivery.recipientDomain,
    'posthorn.attempt': delivery.attempts + 1,
  };
  return tracer.trace({ name: 'delivery.attempt', parent: delivery.traceparent, attributes }, attempt);
}

/** Writes one line for each attempt. It names the recipient's domain but not the recipient. */
function logAttempt(
  mailLog: Log,
  { teamId, emailId, recipientDomain, attempts }: ReadyDelivery,
  result: AttemptResult | NotAttempted,
  ms: number,
): void {
  const { outcome, host = null, reply } = result;
  mailLog.info(
    {
      emailId: encodeId('eml', emailId),
      teamId,
      domain: recipientDomain,
      host,
      attempt: attempts + 1,
      outcome,
      ...classOfAttempt(result),
      reply: reply && describeReply(reply).slice(0, MAX_LOGGED_REPLY),
      ...('reason' in result && !reply ? { reason: result.reason } : {}),
      ms: Math.round(ms),
    },
    wasHeldBack(result) ? 'mail: held back' : 'mail: attempt',
  );
}

/** A campaign's message counts as 0 bytes because it is rendered when it is sent. */
function sizeOf(deliveries: readonly ClaimedDelivery[]): number {
  return deliveries.reduce((sum, { raw, stored }) => sum + (raw?.length ?? stored?.bytes ?? 0), 0);
}
