/**
 * Serves a declared route: authentication (401), authorization and rate limit (403, 429), validation (400, 413),
 * idempotency, and then the handler. The order of these steps decides which error a request gets.
 */
import { createHash, type Hash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { z } from 'zod';
import { answerOnce } from '../../features/account/idempotency/idempotency.ts';
import type { ApiKeyCache } from '../../features/account/api-keys/api-key-cache.ts';
import { createWithinLimit } from '../../features/account/teams/team-limits.ts';
import type { SessionCache } from '../../features/account/people/session-cache.ts';
import { networkOf } from '../../platform/network/client-network.ts';
import type { SecretBox } from '../../platform/crypto.ts';
import type { Db } from '../../platform/database.ts';
import { AppError, badRequest, invalidField } from '../../platform/errors.ts';
import type { Facts } from '../../features/instance/facts.ts';
import type { ReadReplica } from '../../platform/read-replica.ts';
import type { MemoryBudget } from '../../platform/memory/memory-budget.ts';
import { createTeamQueue } from '../../platform/team-queue.ts';
import type { Caller } from '../../features/api/caller.ts';
import {
  FileAnswer,
  SessionAnswer,
  takesIdempotencyKey,
  type AnyRoute,
  type CalledRoute,
  type OpenRoute,
  type OtherResponse,
  type Route,
  type RouteRequest,
  type UploadRoute,
} from '../../features/api/route.ts';
import { authenticate, authorize, readVisitor } from './authenticate.ts';
import { describeFile } from '../requests/content-disposition.ts';
import {
  limitStream,
  receiveBody,
  refuseOtherThanForm,
  refuseOtherThanJson,
  refuseOtherType,
} from '../requests/body.ts';
import type { Answer, Exchange } from '../requests/exchange.ts';
import { refuseForeignOrigin } from '../requests/origin.ts';
import { readSentFile } from '../requests/read-sent-file.ts';
import { isForm, readForm } from '../requests/read-form.ts';
import { readJson } from '../requests/read-json.ts';
import type { RateLimit } from './rate-limit.ts';
import { toSetCookie } from '../requests/session-cookie.ts';
import { validate, validateText } from '../requests/validate.ts';

export interface RouteTools {
  db: Db;
  /** Null without DATABASE_READ_URL. */
  replica: ReadReplica | null;
  apiKeys: ApiKeyCache;
  sessions: SessionCache;
  answerBox: SecretBox;
  rateLimit: RateLimit | null;
  facts: Facts;
  memory: MemoryBudget;
  /** Checks every response against its declared shape. For tests, so that the documentation stays true. */
  checkAnswers: boolean;
}

/** Together fewer than the 16 database connections of the HTTP server by default. */
const HEAVY_QUEUES = {
  rows: createTeamQueue({ atOnce: 4, perTeam: 3 }),
  messages: createTeamQueue({ atOnce: 6, perTeam: 4 }),
};
/** Larger bodies are parsed one at a time, because the slices of many at once would run in the same event loop turn. */
const LARGE_BYTES = 16 * 1024;
const bodyQueue = createTeamQueue({ atOnce: 1, perTeam: 1 });
const NO_TEAM = 0;
const DEFAULT_BODY_LIMIT = 2 * 1024 * 1024;
const NOTHING = z.unknown();
const JSON_TYPE = 'application/json';

/** A response before its headers are set. A string is JSON text. */
type Prepared = string | FileAnswer | SessionAnswer<string>;

export async function serveRoute(tools: RouteTools, route: AnyRoute, exchange: Exchange): Promise<Answer> {
  if (route.permission === 'anyone') return serveOpenRoute(tools, route, exchange);
  const caller = await authenticate(tools, route, exchange);
  authorize(route, caller);
  countRequest(tools.rateLimit, caller, exchange);
  const params = validateText(route.params ?? NOTHING, exchange.params);
  const query = readQuery(route, exchange);
  const idempotencyKey = readIdempotencyKey(exchange, route);
  const header = (name: string) => exchange.requestHeader(name);
  const { teamId } = caller;
  const throwIfDisconnected = () => exchange.throwIfDisconnected();
  const base = {
    db: tools.db,
    teamId,
    caller,
    facts: tools.facts,
    params,
    query,
    header,
    throwIfDisconnected,
  };
  const requestHash =
    idempotencyKey === null ? null : createHash('sha256').update(`${route.method} ${exchange.path}\n`);
  return withBody(tools, route, exchange, requestHash, (bytes) =>
    answerCall(tools, route, exchange, { base, bytes, idempotencyKey, requestHash }),
  );
}

/** A request that has passed all checks of its caller and whose body is here, unless it is an upload. */
interface Call {
  base: Omit<RouteRequest<unknown, unknown, unknown>, 'body'>;
  bytes: Buffer[];
  idempotencyKey: string | null;
  requestHash: Hash | null;
}

async function answerCall(
  tools: RouteTools,
  route: CalledRoute,
  exchange: Exchange,
  { base, bytes, idempotencyKey, requestHash }: Call,
): Promise<Answer> {
  const { teamId, throwIfDisconnected } = base;
  const body =
    'upload' in route
      ? await route.receive({ ...base, body: readUpload(route, exchange, requestHash) })
      : await readBody(route, exchange, bytes);
  // Without `prepare` this is the body itself.
  const getBody =
    'prepare' in route && route.prepare ? await settle(route.prepare({ ...base, body })) : () => body;
  const work = createWork(tools, route, base, getBody);
  // Requests wait in the queue before a transaction begins, so that they hold no connection meanwhile.
  const kind = route.heavy ?? (exchange.hasLargeBody ? 'messages' : null);
  const queued = <Result>(run: () => Promise<Result>): Promise<Result> =>
    kind ? HEAVY_QUEUES[kind](teamId, async () => (throwIfDisconnected(), run())) : run();
  if (idempotencyKey === null) {
    const replica = route.readsReplica ? tools.replica : null;
    const run = () => (replica ? replica.read(work) : work(tools.db));
    return send(tools, route, exchange, await queued(run));
  }
  const request = { teamId, key: idempotencyKey, requestHash: requestHash!.digest() };
  const { answer, replayed } = await queued(() =>
    answerOnce(tools.db, tools.answerBox, request, async (trx) => {
      const fresh = await work(trx);
      if (typeof fresh !== 'string') throw new Error('Only JSON can be kept as an answer.');
      return fresh;
    }),
  );
  if (replayed) exchange.setHeader('idempotency-replayed', 'true');
  return send(tools, route, exchange, answer);
}

async function serveOpenRoute(tools: RouteTools, route: OpenRoute, exchange: Exchange): Promise<Answer> {
  const { db, facts } = tools;
  if (exchange.requestHeader('origin') !== undefined) refuseForeignOrigin(exchange, facts.baseUrl);
  const query = readQuery(route, exchange);
  return withBody(tools, route, exchange, null, async (bytes) => {
    const body = await readBody(route, exchange, bytes);
    const result = await route.handle({ db, facts, visitor: readVisitor(exchange), query, body });
    return send(tools, route, exchange, prepare(tools, route, result));
  });
}

/** Our own API refuses a parameter that is given twice. The clients of other vendors expect that one of them counts. */
function readQuery({ query: schema, errorForm }: AnyRoute, exchange: Exchange): unknown {
  if (!schema) return undefined;
  const query = validateText(schema, exchange.query);
  if (typeof errorForm === 'function') return query;
  for (const name of exchange.repeatedInQuery) {
    if (Object.hasOwn(query as object, name)) throw invalidField(name, 'must be given only once');
  }
  return query;
}

/** Reads the body, unless the route streams it, and runs the work on it within the memory budget. */
async function withBody(
  { memory }: RouteTools,
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

function countRequest(rateLimit: RateLimit | null, caller: Caller, exchange: Exchange): void {
  if (!rateLimit) return;
  const { allowed, headers } = rateLimit.count(caller.teamId, performance.now());
  for (const [name, value] of Object.entries(headers)) exchange.setHeader(name, value);
  if (!allowed) {
    throw new AppError(
      'RATE_LIMITED',
      'Your team has made too many requests. Wait for the time in Retry-After, then try again.',
    );
  }
}

function readIdempotencyKey(exchange: Exchange, route: CalledRoute): string | null {
  const key = exchange.requestHeader('idempotency-key');
  if (key === undefined || !takesIdempotencyKey(route)) return null;
  // Node reads header bytes as Latin-1, so the same bytes always give the same key.
  if (key.length < 1 || key.length > 256) throw badRequest('Idempotency-Key must have 1 to 256 characters.');
  return key;
}

function createWork(
  tools: RouteTools,
  route: CalledRoute,
  base: Call['base'],
  getBody: () => unknown,
): (db: Db) => Promise<Prepared> {
  const handle = async (db: Db) => route.handle({ ...base, db, body: getBody() });
  const { creates: noun } = route;
  return async (db) =>
    prepare(
      tools,
      route,
      noun === undefined
        ? await handle(db)
        : await createWithinLimit(db, base.teamId, { noun, limits: base.facts.teamLimits }, handle),
    );
}

/** A failure is thrown when the result is used: a repeated request gets its stored answer first. */
async function settle<Result>(work: Promise<Result>): Promise<() => Result> {
  try {
    const result = await work;
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function readUpload(
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

async function readBody(
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

function prepare(tools: RouteTools, route: AnyRoute, result: unknown): Prepared {
  if (result instanceof FileAnswer) return result;
  const text = JSON.stringify(result instanceof SessionAnswer ? result.answer : result);
  if (tools.checkAnswers) checkAnswer(route, text);
  return result instanceof SessionAnswer ? new SessionAnswer(text, result.change) : text;
}

function checkAnswer(route: AnyRoute, text: string): void {
  if (typeof route.answer === 'string') return;
  const result = route.answer.safeParse(JSON.parse(text));
  if (!result.success)
    throw new Error(`${route.operationId} returned a response that it does not declare`, {
      cause: result.error,
    });
}

/** Every response of the API is for its caller only. */
const PRIVATE = 'private, no-store';

function send(tools: RouteTools, route: AnyRoute, exchange: Exchange, prepared: Prepared): Answer {
  exchange.setHeader('cache-control', PRIVATE);
  if (typeof prepared === 'string') {
    if (!('respond' in route) || !route.respond) return exchange.answer(200, JSON_TYPE, prepared);
    return sendOther(exchange, route.respond(JSON.parse(prepared)));
  }
  if (prepared instanceof FileAnswer) {
    // A file may come from an outsider. If a browser shows it, the policy lets it run nothing.
    exchange.setHeader('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox");
    if (prepared.fileName !== null)
      exchange.setHeader('content-disposition', describeFile(prepared.shownAs, prepared.fileName));
    return exchange.answer(200, prepared.contentType, prepared.chunks);
  }
  const token = exchange.sessionToken;
  // Other processes get a notification from the database; this one need not wait for it.
  if (token !== undefined && prepared.change.kind !== 'renew') tools.sessions.forget(token);
  exchange.setHeader('set-cookie', toSetCookie(prepared.change, token, tools.facts.baseUrl));
  return exchange.answer(200, JSON_TYPE, prepared.answer);
}

function sendOther(exchange: Exchange, { status, headers = {}, body }: OtherResponse): Answer {
  for (const [name, value] of Object.entries(headers)) exchange.setHeader(name, value);
  return body === undefined
    ? exchange.answerEmpty(status)
    : exchange.answer(status, JSON_TYPE, JSON.stringify(body));
}
