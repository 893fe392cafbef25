/**
 * The memory that a process uses for large requests and messages (MEMORY_BUDGET_MB), in four quarters:
 * - Data that arrives from authenticated clients (HTTP requests and submission).
 * - Data that arrives from anyone else (mail from other servers, HTTP requests without a login). Neither of the two
 *   can use up the memory of the other (memory-share.ts). A body or message keeps its reservation until the work on
 *   it is done.
 * - Work. Parsing, composing and storing take several times the size of a message, so only a few large ones are
 *   processed concurrently. Teams take turns.
 * - Sending, for the messages that the delivery worker has claimed.
 */
import { totalmem } from 'node:os';
import { AppError } from '../errors.ts';
import { createMemoryShare, type MemoryShare } from './memory-share.ts';
import { createTeamQueue } from '../concurrency/team-queue.ts';

const MB = 1024 * 1024;
/** A process without load takes about 150 MB. The rest is for the copies that are made of each message. */
const SMALLEST_MB = 64;
const LARGEST_MB = 1024;
/** Other queues limit the work on smaller bodies and messages. */
const LARGE_WORK_BYTES = MB;
/** Fits the largest request, of 40 MiB. */
const LARGEST_WORK_BYTES = 40 * MB;
const MOST_AT_ONCE = 6;
const RETRY_AFTER_SECONDS = 10;

export interface MemoryBudget {
  /** For the bodies and messages of authenticated clients. */
  authenticated: MemoryShare;
  /** For the bodies and messages of all others. */
  unauthenticated: MemoryShare;
  /** Runs the work on a body or message of this size. Large ones wait for each other. */
  work<Result>(teamId: number, bytes: number, run: () => Promise<Result>): Promise<Result>;
  /** The bytes of received messages that may be parsed and stored concurrently. */
  workBytes: number;
  /** The bytes of messages that may be claimed for delivery. */
  sendingBytes: number;
}

/** A sixteenth of the memory of the machine or container, in megabytes, within limits. */
export function defaultBudgetMb(): number {
  // The value is 0 or a huge number when nothing limits the process.
  const limit = process.constrainedMemory() || Infinity;
  const share = Math.floor(Math.min(totalmem(), limit) / MB / 16);
  return Math.min(Math.max(share, SMALLEST_MB), LARGEST_MB);
}

export function createMemoryBudget(totalBytes: number): MemoryBudget {
  const quarter = totalBytes / 4;
  const atOnce = Math.min(Math.max(Math.floor(quarter / LARGEST_WORK_BYTES), 1), MOST_AT_ONCE);
  const workQueue = createTeamQueue({ atOnce, perTeam: Math.max(atOnce - 1, 1) });
  return {
    authenticated: createMemoryShare(quarter),
    unauthenticated: createMemoryShare(quarter),
    workBytes: quarter,
    sendingBytes: quarter,
    work: (teamId, bytes, run) => (bytes <= LARGE_WORK_BYTES ? run() : workQueue(teamId, run)),
  };
}

export function outOfMemoryBudget(): AppError {
  return new AppError(
    'UNAVAILABLE',
    'The server is processing too many large requests. Try again after the time in Retry-After.',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
