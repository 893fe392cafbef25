/**
 * Runs the attempts and writes their outcomes, as `delivery-worker-state.ts` decides. Outcomes are written in small
 * batches, each in one transaction: a small batch costs the database almost as much as a full one.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { DatabaseClock } from '../../platform/database-clock.ts';
import type { Log } from '../../platform/log.ts';
import { attemptDelivery, type AttemptTools } from './attempt-delivery.ts';
import type { Attempt, Withheld } from './attempt.ts';
import type { Parcel } from './claim.ts';
import type { ReadyParcel } from './claimed-state.ts';
import {
  IDLE_WORKER,
  nextWorkerState,
  type WorkerEffect,
  type WorkerEvent,
  type WorkerState,
} from './delivery-worker-state.ts';
import type { Outcome } from './outcomes.ts';

const BATCH_WAIT_MS = 10;
const DRAIN_LOOK_MS = 10;

const FAILED_ON_OUR_SIDE: Attempt = {
  outcome: 'deferred',
  reply: null,
  reason: 'Something went wrong on our side.',
  wholeSession: false,
};

export interface InFlightTools {
  log: Log;
  clock: DatabaseClock;
  attempt: Omit<AttemptTools, 'isClosing' | 'onReportFailed'>;
  /** Resolves when the outcomes are committed. */
  write(batch: Outcome[]): Promise<void>;
  putBack(parcel: ReadyParcel): void;
  /** There is room for more: begins as many claimed deliveries as may begin. */
  fill(): void;
}

export interface InFlight {
  state(): WorkerState<Outcome>;
  claimed(parcels: readonly Parcel[]): void;
  returned(parcels: readonly Parcel[]): void;
  begin(parcel: ReadyParcel): void;
  /** Begins nothing more, and ends when the last outcome is written. */
  drain(): Promise<void>;
}

export function createInFlight(tools: InFlightTools): InFlight {
  const { log, clock } = tools;
  let state: WorkerState<Outcome> = IDLE_WORKER;
  let batchTimer: NodeJS.Timeout | undefined;

  function logUnexpected(error: unknown): void {
    log.error({ err: error }, 'courier: an unexpected error');
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
        batchTimer = setTimeout(() => apply({ type: 'batch-waited' }), BATCH_WAIT_MS);
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
    apply({ type: 'written', count: batch.length, bytes: sizeOf(batch.map(({ parcel }) => parcel)) });
  }

  const attemptTools: AttemptTools = {
    ...tools.attempt,
    isClosing: () => state.isClosing,
    onReportFailed: (error) => log.error({ err: error }, 'courier: a failing campaign is not paused yet'),
  };

  async function attempt(parcel: ReadyParcel): Promise<Attempt | Withheld | 'put-back'> {
    try {
      return await attemptDelivery(attemptTools, parcel);
    } catch (error) {
      log.error({ err: error, emailId: parcel.emailId }, 'courier: an attempt failed on our side');
      return FAILED_ON_OUR_SIDE;
    }
  }

  async function deliver(parcel: ReadyParcel): Promise<void> {
    const ending = await attempt(parcel);
    if (ending === 'put-back') {
      apply({ type: 'put-back', bytes: sizeOf([parcel]) });
      tools.putBack(parcel);
    } else apply({ type: 'ended', outcome: { parcel, attempt: ending, at: clock.now() } });
  }

  return {
    state: () => state,
    claimed: (parcels) => apply({ type: 'claimed', bytes: sizeOf(parcels) }),
    returned: (parcels) => apply({ type: 'returned', bytes: sizeOf(parcels) }),
    begin(parcel) {
      apply({ type: 'begun' });
      deliver(parcel).catch(logUnexpected);
    },
    async drain() {
      apply({ type: 'closing' });
      while (state.inFlight > 0) await wait(DRAIN_LOOK_MS);
    },
  };
}

/** A campaign's message has no size here: it is rendered when it is sent. */
function sizeOf(parcels: readonly Parcel[]): number {
  return parcels.reduce((sum, { raw }) => sum + (raw?.length ?? 0), 0);
}
