/** Reads the body of a request as its route declares it: JSON, a form, plain text, a file, or a stream. */
import type { Hash } from 'node:crypto';
import type { AnyRoute, OpenRoute, Route, UploadRoute } from '../../features/api/route.ts';
import { LOGGED_BYTES } from '../../features/activity/request-log/request-log.ts';
import { AppError } from '../../platform/errors.ts';
import type { MemoryBudget } from '../../platform/memory/memory-budget.ts';
import { meterRequest } from '../../platform/memory/request-meter.ts';
import { networkOf } from '../../platform/network/client-network.ts';
import {
  isOfType,
  limitStream,
  receiveOrClose,
  refuseOtherThanForm,
  refuseOtherThanJson,
  refuseOtherType,
} from '../requests/body.ts';
import type { Answer, Exchange } from '../requests/exchange.ts';
import { isLargeBody, parseInTurn } from '../requests/parse-in-turn.ts';
import { isForm, readForm } from '../requests/read-form.ts';
import { readJson } from '../requests/read-json.ts';
import { readSentFile } from '../requests/read-sent-file.ts';
import { readText } from '../requests/read-text.ts';
import { toWarning, type Respelled } from '../requests/snake-case.ts';
import { validate } from '../requests/validate.ts';
import { readVisitor } from './authenticate.ts';

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
  const { chunks, grow, release } = await receiveOrClose(exchange, { limitBytes, tooLargeAs, hash }, from);
  const teamId = caller?.teamId ?? NO_TEAM;
  const bytes = lengthOf(chunks);
  if (bytes > 0 && bytes <= LOGGED_BYTES && caller?.person === null)
    exchange.sentBody = Buffer.concat(chunks);
  try {
    return await memory.work(teamId, bytes, () => meterRequest({ teamId, bytes, grow }, () => work(chunks)));
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
  { body, takesForms, takesFile, takesText, takesSnakeCase }: Route | OpenRoute,
  exchange: Exchange,
  chunks: Buffer[],
): Promise<unknown> {
  if (!body || exchange.method === 'GET' || exchange.method === 'HEAD') return undefined;
  const length = lengthOf(chunks);
  const contentType = exchange.incoming.headers['content-type'];
  exchange.hasLargeBody = isLargeBody(length);
  if (takesFile) return validate(body, await readSentFile(takesFile, contentType, joinChunks(chunks)));
  if (takesText && isOfType(contentType, takesText.contentTypes)) {
    const text = readText(takesText.contentTypes, contentType, joinChunks(chunks));
    return validate(body, { [takesText.field]: text });
  }
  const hasForm = takesForms === true && isForm(contentType);
  if (length > 0 && !hasForm) (takesForms ? refuseOtherThanForm : refuseOtherThanJson)(contentType);
  const teamId = exchange.caller?.teamId ?? NO_TEAM;
  const respelled: Respelled | undefined = takesSnakeCase && new Set();
  const read = await parseInTurn(exchange, { bytes: length, teamId }, async () =>
    hasForm
      ? validate(body, await readForm(contentType!, joinChunks(chunks)))
      : readJson(body, joinChunks(chunks), respelled),
  );
  if (respelled && respelled.size > 0) exchange.setHeader('warning', toWarning(respelled));
  return read;
}

function lengthOf(chunks: Buffer[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.length, 0);
}

/** Avoids a copy for the usual body of one chunk. Otherwise the chunks are emptied, because both take memory. */
function joinChunks(chunks: Buffer[]): Buffer {
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks.splice(0));
}
