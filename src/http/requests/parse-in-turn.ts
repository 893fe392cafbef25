import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { createTeamQueue } from '../../platform/concurrency/team-queue.ts';
import type { Exchange } from './exchange.ts';

const LARGE_BYTES = 16 * 1024;
const queue = createTeamQueue({ atOnce: 1, perTeam: 1 });

export function isLargeBody(bytes: number): boolean {
  return bytes > LARGE_BYTES;
}

/** Parses large bodies one at a time, because the slices of many at once would run in the same event loop turn. */
export async function parseInTurn<Result>(
  exchange: Exchange,
  { bytes, teamId }: { bytes: number; teamId: number },
  parse: () => Promise<Result>,
): Promise<Result> {
  if (!isLargeBody(bytes)) return parse();
  return queue(teamId, async () => {
    await yieldToEventLoop();
    exchange.throwIfDisconnected();
    return parse();
  });
}
