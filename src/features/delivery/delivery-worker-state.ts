/**
 * The state of the delivery worker's attempts, and the transitions for each event. Everything here is pure: no
 * clock, timer, socket or database. `in-flight.ts` applies the events and runs the effects.
 * A delivery is in flight from the start of its attempt until its outcome is committed:
 *   begun → attempt runs → ended: waits in `outcomes` → its batch is written (`writing`) → written: out of
 *   flight
 *                        → put back: out of flight, nothing was sent
 */
import type { ClaimFrom } from './claim.ts';

/** Maximum number of deliveries in flight. Only these can be sent twice if the process is killed. */
const IN_FLIGHT = 50;
/** Slots reserved for urgent mail, so that bulk mail to slow servers cannot occupy all of them. */
const IN_FLIGHT_FOR_URGENT = 10;
/** Number of urgent deliveries to hold when the claim window has no space for others. */
const URGENT_AHEAD = 50;
/** While a full batch is being written, twenty slots remain for attempts. */
const OUTCOME_BATCH = 30;
/** The second writes when the first is held up by a lock, so that other deliveries go on. */
const WRITERS = 2;
/** How long a partial batch waits for more outcomes, and how long while another batch is being written. */
const BATCH_WAIT_MS = 10;
const BATCH_WAIT_BESIDE_ANOTHER_MS = 50;

export interface WorkerState<Outcome> {
  readonly inFlight: number;
  /** Outcomes that are not yet being written. */
  readonly outcomes: readonly Outcome[];
  /** Number of outcomes being written, and number of batches. */
  readonly writing: number;
  readonly writers: number;
  /** True while a partial batch waits for more outcomes. */
  readonly isBatchWaiting: boolean;
  /** Total size of the messages that are claimed and not finished. */
  readonly claimedBytes: number;
  readonly isClosing: boolean;
}

export type WorkerEvent<Outcome> =
  | { type: 'claimed'; bytes: number }
  /** Claimed deliveries returned to the queue before their attempt started. */
  | { type: 'returned'; bytes: number }
  | { type: 'begun' }
  /** The attempt ended without sending anything and the delivery returns to the queue. */
  | { type: 'put-back'; bytes: number }
  | { type: 'ended'; outcome: Outcome }
  | { type: 'batch-waited' }
  | { type: 'written'; count: number; bytes: number }
  /** All attempts for which there was a free slot have started. */
  | { type: 'filled' }
  | { type: 'closing' };

export type WorkerEffect<Outcome> =
  | { type: 'write'; batch: readonly Outcome[] }
  | { type: 'start-batch-timer'; waitMs: number }
  | { type: 'stop-batch-timer' }
  /** Start attempts, then report `filled`. Only then is it known whether more outcomes will follow soon. */
  | { type: 'fill' };

export const IDLE_WORKER: WorkerState<never> = {
  inFlight: 0,
  outcomes: [],
  writing: 0,
  writers: 0,
  isBatchWaiting: false,
  claimedBytes: 0,
  isClosing: false,
};

type Next<Outcome> = [WorkerState<Outcome>, WorkerEffect<Outcome>[]];

export function nextWorkerState<Outcome>(
  state: WorkerState<Outcome>,
  event: WorkerEvent<Outcome>,
): Next<Outcome> {
  const { inFlight, claimedBytes } = state;
  switch (event.type) {
    case 'claimed':
      return [{ ...state, claimedBytes: claimedBytes + event.bytes }, []];
    case 'returned':
      return [{ ...state, claimedBytes: claimedBytes - event.bytes }, []];
    case 'begun':
      return [{ ...state, inFlight: inFlight + 1 }, []];
    case 'put-back':
      return planBatch({ ...state, inFlight: inFlight - 1, claimedBytes: claimedBytes - event.bytes });
    case 'ended':
      return planBatch({ ...state, outcomes: [...state.outcomes, event.outcome] });
    case 'batch-waited':
      return startBatch({ ...state, isBatchWaiting: false });
    case 'written':
      // What waited beside this batch is planned anew after the fill.
      return [
        {
          ...state,
          inFlight: inFlight - event.count,
          writing: state.writing - event.count,
          writers: state.writers - 1,
          isBatchWaiting: false,
          claimedBytes: claimedBytes - event.bytes,
        },
        [...stopTimer(state), { type: 'fill' }],
      ];
    case 'filled':
      return planBatch(state);
    case 'closing':
      return [{ ...state, isClosing: true }, []];
  }
}

/** Writes a batch when it is full or no attempt is running. Otherwise the batch waits for more outcomes. */
function planBatch<Outcome>(state: WorkerState<Outcome>): Next<Outcome> {
  const { outcomes, inFlight, writing, writers, isBatchWaiting } = state;
  if (outcomes.length === 0 || writers === WRITERS) return [state, []];
  const hasAllEnded = outcomes.length === inFlight - writing;
  if (hasAllEnded || outcomes.length >= OUTCOME_BATCH) return startBatch(state);
  if (isBatchWaiting) return [state, []];
  const waitMs = writers === 0 ? BATCH_WAIT_MS : BATCH_WAIT_BESIDE_ANOTHER_MS;
  return [{ ...state, isBatchWaiting: true }, [{ type: 'start-batch-timer', waitMs }]];
}

function stopTimer({ isBatchWaiting }: WorkerState<unknown>): { type: 'stop-batch-timer' }[] {
  return isBatchWaiting ? [{ type: 'stop-batch-timer' }] : [];
}

function startBatch<Outcome>(state: WorkerState<Outcome>): Next<Outcome> {
  const batch = state.outcomes.slice(0, OUTCOME_BATCH);
  return [
    {
      ...state,
      outcomes: state.outcomes.slice(batch.length),
      writing: state.writing + batch.length,
      writers: state.writers + 1,
      isBatchWaiting: false,
    },
    [...stopTimer(state), { type: 'write', batch }],
  ];
}

/** Decides which deliveries may start now. */
export function mayBegin(state: WorkerState<unknown>): { urgent: boolean; bulk: boolean } {
  const urgent = !state.isClosing && state.inFlight < IN_FLIGHT;
  // Outcomes that wait to be written free their slots soon. Attempts at a slow server may not.
  const running = state.inFlight - state.writing - state.outcomes.length;
  return { urgent, bulk: urgent && running < IN_FLIGHT - IN_FLIGHT_FOR_URGENT };
}

export interface ClaimFacts {
  /** Claimed deliveries that have not started, and how many of them are urgent. */
  ready: number;
  readyUrgent: number;
  /** Number of deliveries to claim ahead. */
  ahead: number;
  /** The worker claims nothing while its claimed messages exceed this size. */
  mostBytes: number;
  /** Recipient domains that the transport cannot take now. */
  unavailable: 'all' | string[];
  unavailableToUrgent: 'all' | string[];
}

export interface ClaimPlan extends ClaimFrom {
  /** 0 when nothing should be claimed now. */
  count: number;
  /** True when deliveries wait for a server or for memory, so the worker should poll again soon. */
  isHeldUp: boolean;
}

export function planClaim({ claimedBytes }: WorkerState<unknown>, facts: ClaimFacts): ClaimPlan {
  const { ahead, unavailable, unavailableToUrgent } = facts;
  if (unavailable === 'all' || unavailableToUrgent === 'all' || claimedBytes > facts.mostBytes)
    return { count: 0, urgentOnly: true, except: [], exceptForUrgent: [], isHeldUp: true };
  const space = ahead - facts.ready;
  const urgentOnly = space < ahead / 2;
  const count = urgentOnly ? Math.max(0, URGENT_AHEAD - facts.readyUrgent) : space;
  return {
    count,
    urgentOnly,
    except: unavailable,
    exceptForUrgent: unavailableToUrgent,
    isHeldUp: unavailable.length > 0,
  };
}
