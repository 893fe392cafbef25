/** Serves the paths of a mounted door: reads the bodies for it and writes its answers. */
import { z } from 'zod';
import type { MemoryBudget } from '../platform/memory/memory-budget.ts';
import type { MountedDoor, MountedRequest } from '../platform/mounted-door.ts';
import { receiveOrClose } from './requests/body.ts';
import type { Answer, Exchange } from './requests/exchange.ts';
import { parseInTurn } from './requests/parse-in-turn.ts';
import { readJson } from './requests/read-json.ts';
import { readVisitor } from './routing/authenticate.ts';

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
    const received = await receiveOrClose(exchange, { limitBytes }, from);
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
    onDisconnect(listener) {
      const { socket } = exchange.incoming;
      if (socket.closed) listener();
      socket.once('close', listener);
      return () => void socket.off('close', listener);
    },
    withBody,
    readJson: (limitBytes, teamId) =>
      withBody(limitBytes, teamId, (bytes) =>
        parseInTurn(exchange, { bytes: bytes.length, teamId }, () => readJson(z.unknown(), bytes)),
      ),
  };
}
