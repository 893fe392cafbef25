/**
 * Counts what one request makes, so that a small request cannot cause much work (decision 40). The HTTP server starts a
 * meter for each request. Code that renders or stores reports to it, however deep in the request it runs. Outside of a
 * request nothing is counted.
 * - Rendered characters have a limit per request, and one for all requests that a team has running.
 * - Emails in memory are charged to the reservation of the request's body in the memory budget.
 * - Stored bytes may be ten times the bytes of the request, plus an allowance for the rows of each recipient.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '../errors.ts';
import { outOfMemoryBudget } from './memory-budget.ts';

const MIB = 1024 * 1024;
/** A newsletter of 250 kB for 1,000 recipients. */
const MAX_RENDERED = 256 * MIB;
const MAX_RENDERED_OF_TEAM = 2 * MAX_RENDERED;
const MAX_STORED_FACTOR = 10;
/** The rows of an email, its recipient, delivery and events take about half of it. */
const ROWS_OF_RECIPIENT = 8 * 1024;

/** Smaller emails need no reservation, like smaller bodies. */
const FREE_BYTES = 64 * 1024;

interface MeteredRequest {
  teamId: number;
  /** The size of the body. */
  bytes: number;
  /** Adds bytes to the reservation of the body. Returns false if there is no space. */
  grow(bytes: number): boolean;
}

interface RunningRequest extends MeteredRequest {
  rendered: number;
  stored: number;
  mayStore: number;
  inMemory: number;
  /** The most so far. At first what the reservation of the body covers. */
  mostInMemory: number;
}

const current = new AsyncLocalStorage<RunningRequest>();
/** The characters that the running requests of each team have rendered. */
const renderedOf = new Map<number, number>();

export async function meterRequest<Result>(
  request: MeteredRequest,
  run: () => Promise<Result>,
): Promise<Result> {
  const mayStore = request.bytes * MAX_STORED_FACTOR;
  const covered = Math.max(request.bytes, FREE_BYTES);
  const metered = { ...request, rendered: 0, stored: 0, mayStore, inMemory: 0, mostInMemory: covered };
  try {
    return await current.run(metered, run);
  } finally {
    addRendered(request.teamId, -metered.rendered);
  }
}

function addRendered(teamId: number, length: number): number {
  const total = (renderedOf.get(teamId) ?? 0) + length;
  if (total === 0) renderedOf.delete(teamId);
  else renderedOf.set(teamId, total);
  return total;
}

/** Call it before the text is made, or for each piece of it. */
export function countRendered(length: number): void {
  const request = current.getStore();
  if (!request || length === 0) return;
  request.rendered += length;
  const ofTeam = addRendered(request.teamId, length);
  if (request.rendered > MAX_RENDERED)
    throw new AppError(
      'TOO_LARGE',
      `With all values filled in, the emails of one request must not have more than ${MAX_RENDERED} characters in total. Send fewer recipients in each request.`,
    );
  if (ofTeam > MAX_RENDERED_OF_TEAM)
    throw new AppError(
      'TOO_LARGE',
      `With all values filled in, the emails of all running requests of a team must not have more than ${MAX_RENDERED_OF_TEAM} characters in total. Wait for the responses of your other requests, or send fewer recipients in each request.`,
    );
}

/** Call it before the rows are stored. */
export function countStored(bytes: number, recipients: number): void {
  const request = current.getStore();
  if (!request) return;
  request.stored += bytes;
  request.mayStore += recipients * ROWS_OF_RECIPIENT;
  if (request.stored > request.mayStore)
    throw new AppError(
      'TOO_LARGE',
      `The emails of one request must not take more than ${MAX_STORED_FACTOR} times its size. Send less metadata, fewer headers or fewer recipients in each request.`,
    );
}

/** Counts bytes that the request made us fetch as a part of it. */
export function countReceived(bytes: number): void {
  const request = current.getStore();
  if (request) request.mayStore += bytes * MAX_STORED_FACTOR;
}

/** Charges an email to the memory budget while it is composed. */
export async function holdInMemory<Result>(bytes: number, work: () => Promise<Result>): Promise<Result> {
  const request = current.getStore();
  if (!request) return work();
  request.inMemory += bytes;
  try {
    const more = request.inMemory - request.mostInMemory;
    if (more > 0 && !request.grow(more)) throw outOfMemoryBudget();
    request.mostInMemory = Math.max(request.mostInMemory, request.inMemory);
    return await work();
  } finally {
    request.inMemory -= bytes;
  }
}
