/** Reads the body of a request as its route declares it: JSON, a form, a file, or a stream. */
import type { Hash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { AnyRoute, OpenRoute, Route, UploadRoute } from '../../features/api/route.ts';
import { AppError } from '../../platform/errors.ts';
import type { MemoryBudget } from '../../platform/memory/memory-budget.ts';
import { networkOf } from '../../platform/network/client-network.ts';
import { createTeamQueue } from '../../platform/team-queue.ts';
import {
  limitStream,
  receiveBody,
  refuseOtherThanForm,
  refuseOtherThanJson,
  refuseOtherType,
} from '../requests/body.ts';
import type { Answer, Exchange } from '../requests/exchange.ts';
import { isForm, readForm } from '../requests/read-form.ts';
import { readJson } from '../requests/read-json.ts';
import { readSentFile } from '../requests/read-sent-file.ts';
import { validate } from '../requests/validate.ts';
import { readVisitor } from './authenticate.ts';

/** Larger bodies are parsed one at a time, because the slices of many at once would run in the same event loop turn. */
const LARGE_BYTES = 16 * 1024;
const bodyQueue = createTeamQueue({ atOnce: 1, perTeam: 1 });
const NO_TEAM = 0;
const DEFAULT_BODY_LIMIT = 2 * 1024 * 1024;

/** Reads the body, unless the route streams it, and runs the work on it within the memory budget. */
export async function withBody(
  memory: MemoryBudget,
  route: AnyRoute,
  exchange: Exchange,
  hash: Hash | null,
  work: (bytes: Buffer[]) => Promise<Answer>,
): Promise<Answer> {
  const { incoming, caller } = exchange;
  if ('upload' in route || incoming.method === 'GET' || incoming.method === 'HEAD') return work([]);
  const { bodyLimitBytes: limitBytes = DEFAULT_BODY_LIMIT, tooLargeAs } = route;
  const from = caller
    ? { share: memory.authenticated, client: String(caller.teamId) }
    : { share: memory.unauthenticated, client: networkOf(readVisitor(exchange).ip) };
  const { chunks, release } = await receiveBody(incoming, { limitBytes, tooLargeAs, hash }, from).catch(
    (error: unknown) => {
      // Nothing reads the rest of the body.
      if (!incoming.complete) exchange.setHeader('connection', 'close');
      throw error;
    },
  );
  try {
    return await memory.work(caller?.teamId ?? NO_TEAM, lengthOf(chunks), () => work(chunks));
  } finally {
    release();
  }
}

export function readUpload(
  route: UploadRoute,
  { incoming }: Exchange,
  requestHash: Hash | null,
): AsyncIterable<Buffer> {
  const limit = route.bodyLimitBytes ?? DEFAULT_BODY_LIMIT;
  const { contentType, alsoTaken = [] } = route.upload;
  refuseOtherType(
    incoming.headers['content-type'],
    [contentType, ...alsoTaken],
    `The request body must be the file itself, in UTF-8. Send it with Content-Type: ${contentType}.`,
  );
  // Refuse by Content-Length at once, instead of after the first gigabyte.
  if (Number(incoming.headers['content-length']) > limit) {
    throw new AppError('TOO_LARGE', `The file is too large. The limit is ${limit} bytes.`);
  }
  return hashWhileReading(limitStream(incoming, limit), requestHash);
}

async function* hashWhileReading(chunks: AsyncIterable<Buffer>, hash: Hash | null): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    hash?.update(chunk);
    yield chunk;
  }
}

export async function readBody(
  { body, takesForms, takesFile }: Route | OpenRoute,
  exchange: Exchange,
  chunks: Buffer[],
): Promise<unknown> {
  if (!body || exchange.method === 'GET' || exchange.method === 'HEAD') return undefined;
  const length = lengthOf(chunks);
  const contentType = exchange.incoming.headers['content-type'];
  if (takesFile) {
    exchange.hasLargeBody = length > LARGE_BYTES;
    return validate(body, await readSentFile(takesFile, contentType, joinChunks(chunks)));
  }
  const hasForm = takesForms === true && isForm(contentType);
  if (length > 0 && !hasForm) (takesForms ? refuseOtherThanForm : refuseOtherThanJson)(contentType);
  const read = async () =>
    hasForm
      ? validate(body, await readForm(contentType!, joinChunks(chunks)))
      : readJson(body, joinChunks(chunks));
  if (length <= LARGE_BYTES) return read();
  exchange.hasLargeBody = true;
  return bodyQueue(exchange.caller?.teamId ?? NO_TEAM, async () => {
    await yieldToEventLoop();
    exchange.throwIfDisconnected();
    return read();
  });
}

function lengthOf(chunks: Buffer[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.length, 0);
}

/** Avoids a copy for the usual body of one chunk. Otherwise the chunks are emptied, because both take memory. */
function joinChunks(chunks: Buffer[]): Buffer {
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks.splice(0));
}
