/**
 * What the delivery worker knows about its attempts, and what follows from each event. Pure: no clock, timer, socket or
 * database. `in-flight.ts` and `courier.ts` apply the events and run the effects.
 *
 * A delivery is in flight from the moment its attempt begins until its outcome is committed:
 *
 *   begun → attempt runs → ended: waits in `outcomes` → a batch is being written (`writing`) → written: out of flight
 *                        → put back: out of flight, nothing was sent
 */
import type { ClaimFrom } from './claim.ts';

/** The most deliveries in flight. A killed process can send these, and no others, a second time. */
const IN_FLIGHT = 50;
/** Of those, this many are for urgent mail only, so that slow servers cannot occupy all of them with bulk mail. */
const IN_FLIGHT_FOR_URGENT = 10;
/** Urgent deliveries are claimed up to this number when there is no room for others. */
const URGENT_AHEAD = 50;
/** Nothing more is claimed while the claimed messages are larger than this. */
const CLAIMED_BYTES = 32 * 1024 * 1024;
/** Two full batches at the database leave room for ten attempts. */
const OUTCOME_BATCH = 20;
const WRITERS = 2;

export interface WorkerState<Outcome> {
  readonly inFlight: number;
  /** Outcomes of ended attempts, not written yet. */
  readonly outcomes: readonly Outcome[];
  /** How many outcomes are being written now, and in how many batches. */
  readonly writing: number;
  readonly writers: number;
  /** A batch that is not full waits a moment for more outcomes. */
  readonly isBatchWaiting: boolean;
  /** The size of all messages that are claimed and not finished. */
  readonly claimedBytes: number;
  readonly isClosing: boolean;
}

export type WorkerEvent<Outcome> =
  | { type: 'claimed'; bytes: number }
  /** Claimed deliveries went back to the queue before their attempt began. */
  | { type: 'returned'; bytes: number }
  | { type: 'begun' }
  /** The attempt ended without sending anything; the delivery goes back to the queue. */
  | { type: 'put-back'; bytes: number }
  | { type: 'ended'; outcome: Outcome }
  | { type: 'batch-waited' }
  | { type: 'written'; count: number; bytes: number }
  /** As many attempts have begun as there was room for. */
  | { type: 'filled' }
  | { type: 'closing' };

export type WorkerEffect<Outcome> =
  | { type: 'write'; batch: readonly Outcome[] }
  | { type: 'start-batch-timer' }
  | { type: 'stop-batch-timer' }
  /** Begin what may begin, then report `filled`: until then it is not known whether more outcomes will come soon. */
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
      return [
        {
          ...state,
          inFlight: inFlight - event.count,
          writing: state.writing - event.count,
          writers: state.writers - 1,
          claimedBytes: claimedBytes - event.bytes,
        },
        [{ type: 'fill' }],
      ];
    case 'filled':
      return planBatch(state);
    case 'closing':
      return [{ ...state, isClosing: true }, []];
  }
}

/** A batch is written when it is full, or when every attempt in flight has ended; otherwise it waits a moment. */
function planBatch<Outcome>(state: WorkerState<Outcome>): Next<Outcome> {
  const { outcomes, inFlight, writing, writers, isBatchWaiting } = state;
  if (outcomes.length === 0 || writers === WRITERS) return [state, []];
  const hasAllEnded = outcomes.length === inFlight - writing;
  if (hasAllEnded || outcomes.length >= OUTCOME_BATCH) return startBatch(state);
  if (isBatchWaiting) return [state, []];
  return [{ ...state, isBatchWaiting: true }, [{ type: 'start-batch-timer' }]];
}

function startBatch<Outcome>(state: WorkerState<Outcome>): Next<Outcome> {
  const batch = state.outcomes.slice(0, OUTCOME_BATCH);
  const effects: WorkerEffect<Outcome>[] = [{ type: 'write', batch }];
  if (state.isBatchWaiting) effects.unshift({ type: 'stop-batch-timer' });
  return [
    {
      ...state,
      outcomes: state.outcomes.slice(batch.length),
      writing: state.writing + batch.length,
      writers: state.writers + 1,
      isBatchWaiting: false,
    },
    effects,
  ];
}

/** Which deliveries may begin now. */
export function mayBegin(state: WorkerState<unknown>): { urgent: boolean; bulk: boolean } {
  const urgent = !state.isClosing && state.inFlight < IN_FLIGHT;
  // Outcomes that wait to be written make room soon; attempts at a slow server may not.
  const running = state.inFlight - state.writing - state.outcomes.length;
  return { urgent, bulk: urgent && running < IN_FLIGHT - IN_FLIGHT_FOR_URGENT };
}

export interface ClaimFacts {
  /** How many claimed deliveries have not begun, and how many of those are urgent. */
  ready: number;
  readyUrgent: number;
  /** How many to claim ahead. */
  ahead: number;
  /** What the transport cannot take now. */
  closed: 'all' | string[];
  closedToUrgent: 'all' | string[];
}

export interface ClaimPlan extends ClaimFrom {
  /** 0: claim nothing now. */
  count: number;
  /** Something has to wait for a server or for memory: look again soon. */
  isHeldUp: boolean;
}

export function planClaim({ claimedBytes }: WorkerState<unknown>, facts: ClaimFacts): ClaimPlan {
  const { ahead, closed, closedToUrgent } = facts;
  if (closed === 'all' || closedToUrgent === 'all' || claimedBytes > CLAIMED_BYTES)
    return { count: 0, urgentOnly: true, except: [], exceptForUrgent: [], isHeldUp: true };
  const room = ahead - facts.ready;
  const urgentOnly = room < ahead / 2;
  const count = urgentOnly ? Math.max(0, URGENT_AHEAD - facts.readyUrgent) : room;
  return {
    count,
    urgentOnly,
    except: closed,
    exceptForUrgent: closedToUrgent,
    isHeldUp: closed.length > 0,
  };
}
