/** Serves the paths of a mounted door: reads the bodies for it and writes its answers. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { z } from 'zod';
import type { MemoryBudget } from '../platform/memory/memory-budget.ts';
import type { MountedDoor, MountedRequest } from '../platform/mounted-door.ts';
import { createTeamQueue } from '../platform/team-queue.ts';
import { receiveBody } from './requests/body.ts';
import type { Answer, Exchange } from './requests/exchange.ts';
import { readJson } from './requests/read-json.ts';
import { readVisitor } from './routing/authenticate.ts';

/** Larger bodies are parsed one at a time, as in route-body.ts. */
const LARGE_BYTES = 16 * 1024;
const bodyQueue = createTeamQueue({ atOnce: 1, perTeam: 1 });

/** Returns null for a path that does not belong to the door. */
export function answerMounted(
  { door, memory }: { door: MountedDoor; memory: MemoryBudget },
  exchange: Exchange,
): Promise<Answer> | null {
  const name = door.nameOf(exchange.path);
  if (name === null) return null;
  exchange.routeName = name;
  return serve(door, memory, exchange);
}

async function serve(door: MountedDoor, memory: MemoryBudget, exchange: Exchange): Promise<Answer> {
  const { status, headers, body } = await door.answer(toRequest(memory, exchange));
  for (const [name, value] of Object.entries(headers)) exchange.setHeader(name, value);
  return { status, body };
}

function toRequest(memory: MemoryBudget, exchange: Exchange): MountedRequest {
  const withBody: MountedRequest['withBody'] = async (limitBytes, teamId, work) => {
    const from = { share: memory.authenticated, client: String(teamId) };
    const received = await receiveBody(exchange.incoming, { limitBytes }, from).catch((error: unknown) => {
      // Nothing reads the rest of the body.
      if (!exchange.incoming.complete) exchange.setHeader('connection', 'close');
      throw error;
    });
    try {
      const bytes = Buffer.concat(received.chunks.splice(0));
      return await memory.work(teamId, bytes.length, () => work(bytes));
    } finally {
      received.release();
    }
  };
  return {
    method: exchange.method,
    path: exchange.path,
    query: exchange.query,
    header: (name) => exchange.requestHeader(name),
    ip: readVisitor(exchange).ip,
    withBody,
    readJson: (limitBytes, teamId) =>
      withBody(limitBytes, teamId, async (bytes) => {
        const read = () => readJson(z.unknown(), bytes);
        if (bytes.length <= LARGE_BYTES) return read();
        return bodyQueue(teamId, async () => {
          await yieldToEventLoop();
          exchange.throwIfDisconnected();
          return read();
        });
      }),
  };
}
