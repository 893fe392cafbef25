/**
 * The manners of the API, in one place that every route gets for free. The order of the steps is the order
 * of the answers: who are you (401), may you (403, 429), does it make sense (400, 413), then the work.
 */
import { createHash, type Hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { answerOnce } from '../features/idempotency/idempotency.ts';
import type { Keyring } from '../features/api-keys/keyring.ts';
import { createWithinLimit } from '../features/teams/team-limits.ts';
import type { SessionRing } from '../features/people/session-ring.ts';
import type { Seal } from '../platform/crypto.ts';
import type { Db } from '../platform/database.ts';
import { AppError, badRequest } from '../platform/errors.ts';
import type { Facts } from '../platform/facts.ts';
import { createTeamQueue } from '../platform/team-queue.ts';
import {
  FileAnswer,
  SessionAnswer,
  takesIdempotencyKey,
  type AnyRoute,
  type CalledRoute,
  type Caller,
  type OpenRoute,
  type Route,
  type RouteRequest,
  type UploadRoute,
} from '../platform/route.ts';
import { authenticate, authorize, readVisitor } from './authenticate.ts';
import { limitStream, readChunks, refuseOtherThanJson, refuseOtherType } from './body.ts';
import type { Answer, Exchange } from './exchange.ts';
import { refuseForeignOrigin } from './origin.ts';
import { readJson } from './read-json.ts';
import type { RateLimit } from './rate-limit.ts';
import { toSetCookie } from './session-cookie.ts';
import { validateText } from './validate.ts';

export interface RouteTools {
  db: Db;
  keyring: Keyring;
  sessionRing: SessionRing;
  answerSeal: Seal;
  rateLimit: RateLimit | null;
  facts: Facts;
  /** Holds every answer against its declared shape; for tests, so that the documentation cannot lie. */
  checkAnswers: boolean;
}

/** Together fewer than the 16 connections that this door has by default. */
const HEAVY_QUEUES = {
  rows: createTeamQueue({ atOnce: 4, perTeam: 3 }),
  letters: createTeamQueue({ atOnce: 6, perTeam: 4 }),
};
/**
 * Larger bodies are read one at a time, each in turns of the event loop of its own: the pieces of many at once would
 * all come in the same turn.
 */
const LARGE_BYTES = 16 * 1024;
const bodyQueue = createTeamQueue({ atOnce: 1, perTeam: 1 });
const NO_TEAM = 0;
const DEFAULT_BODY_LIMIT = 2 * 1024 * 1024;
const NOTHING = z.unknown();
const JSON_TYPE = 'application/json';

/** JSON text goes out as it is; the others say what else the answer needs. */
type Ready = string | FileAnswer | SessionAnswer<string>;
type Work = (db: Db) => Promise<Ready>;

export async function serveRoute(tools: RouteTools, route: AnyRoute, exchange: Exchange): Promise<Answer> {
  if (route.permission === 'anyone') return serveOpenRoute(tools, route, exchange);
  const caller = await authenticate(tools, route, exchange);
  authorize(route, caller);
  countRequest(tools.rateLimit, caller, exchange);
  const params = validateText(route.params ?? NOTHING, exchange.params);
  const query = validateText(route.query ?? NOTHING, exchange.query);
  const idempotencyKey = readIdempotencyKey(exchange, route);
  const header = (name: string) => exchange.requestHeader(name);
  const { teamId } = caller;
  const refuseGone = () => exchange.refuseGone();
  const base = { db: tools.db, teamId, caller, facts: tools.facts, params, query, header, refuseGone };
  const { work, requestHash } = await receive(tools, route, exchange, base, idempotencyKey !== null);

  // Before a transaction is opened: a request that waits here holds no connection.
  const kind = route.heavy ?? (exchange.hasLargeBody ? 'letters' : null);
  const inTurn = <Result>(run: () => Promise<Result>): Promise<Result> =>
    kind ? HEAVY_QUEUES[kind](teamId, async () => (refuseGone(), run())) : run();
  if (idempotencyKey === null) return send(tools, exchange, await inTurn(() => work(tools.db)));
  const request = { teamId, key: idempotencyKey, requestHash: requestHash!.digest() };
  const { answer, replayed } = await inTurn(() =>
    answerOnce(tools.db, tools.answerSeal, request, async (trx) => {
      const fresh = await work(trx);
      if (typeof fresh !== 'string') throw new Error('Only JSON can be kept as an answer.');
      return fresh;
    }),
  );
  if (replayed) exchange.setHeader('idempotency-replayed', 'true');
  return send(tools, exchange, answer);
}

async function serveOpenRoute(tools: RouteTools, route: OpenRoute, exchange: Exchange): Promise<Answer> {
  const { db, facts } = tools;
  if (exchange.requestHeader('origin') !== undefined) refuseForeignOrigin(exchange, facts.baseUrl);
  const query = validateText(route.query ?? NOTHING, exchange.query);
  const body = await readJsonBody(route, exchange, null);
  const result = await route.handle({ db, facts, visitor: readVisitor(exchange), query, body });
  return send(tools, exchange, toReady(tools, route, result));
}

function countRequest(rateLimit: RateLimit | null, caller: Caller, exchange: Exchange): void {
  if (!rateLimit) return;
  const { allowed, headers } = rateLimit.count(caller.teamId, performance.now());
  for (const [name, value] of Object.entries(headers)) exchange.setHeader(name, value);
  if (!allowed) {
    throw new AppError(
      'RATE_LIMITED',
      'Your team has made too many requests. Wait as long as Retry-After says.',
    );
  }
}

function readIdempotencyKey(exchange: Exchange, route: CalledRoute): string | null {
  const key = exchange.requestHeader('idempotency-key');
  if (key === undefined || !takesIdempotencyKey(route)) return null;
  // A header is bytes; they are kept as what they are in Latin-1, the same each time.
  if (key.length < 1 || key.length > 256) throw badRequest('Idempotency-Key must have 1 to 256 characters.');
  return key;
}

/** Takes the body in, and returns the work that is left to do with it. */
async function receive(
  tools: RouteTools,
  route: CalledRoute,
  exchange: Exchange,
  base: Omit<RouteRequest<unknown, unknown, unknown>, 'body'>,
  hashed: boolean,
): Promise<{ work: Work; requestHash: Hash | null }> {
  const requestHash = hashed ? createHash('sha256').update(`${route.method} ${exchange.path}\n`) : null;
  const body =
    'upload' in route
      ? await route.receive({ ...base, body: readUpload(route, exchange, requestHash) })
      : await readJsonBody(route, exchange, requestHash);
  const handle = (db: Db) => route.handle({ ...base, db, body });
  const { creates: noun } = route;
  const work: Work = async (db) =>
    toReady(
      tools,
      route,
      noun === undefined
        ? await handle(db)
        : await createWithinLimit(db, base.teamId, { noun, limits: base.facts.teamLimits }, handle),
    );
  return { work, requestHash };
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
    `The request body must be the file itself, in UTF-8: send it with Content-Type: ${contentType}.`,
  );
  // Told before it is sent, not after the first gigabyte of it was taken in.
  if (Number(incoming.headers['content-length']) > limit) {
    throw new AppError('TOO_LARGE', `The file is too large; at most ${limit} bytes are taken here.`);
  }
  return hashWhileReading(limitStream(incoming, limit), requestHash);
}

async function* hashWhileReading(chunks: AsyncIterable<Buffer>, hash: Hash | null): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    hash?.update(chunk);
    yield chunk;
  }
}

async function readJsonBody(
  route: Route | OpenRoute,
  exchange: Exchange,
  hash: Hash | null,
): Promise<unknown> {
  const { incoming } = exchange;
  if (incoming.method === 'GET') return undefined;
  const { body, bodyLimitBytes: limitBytes = DEFAULT_BODY_LIMIT, tooLargeAs } = route;
  const chunks = await readChunks(incoming, { limitBytes, tooLargeAs, hash });
  if (!body) return undefined;
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (length > 0) refuseOtherThanJson(incoming.headers['content-type']);
  if (length <= LARGE_BYTES) return readJson(body, joinChunks(chunks));
  exchange.hasLargeBody = true;
  return bodyQueue(exchange.caller?.teamId ?? NO_TEAM, async () => {
    await nextTurn();
    exchange.refuseGone();
    return readJson(body, joinChunks(chunks));
  });
}

/** Most bodies are one chunk. */
function joinChunks(chunks: Buffer[]): Buffer {
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

function toReady(tools: RouteTools, route: AnyRoute, result: unknown): Ready {
  if (result instanceof FileAnswer) return result;
  const text = JSON.stringify(result instanceof SessionAnswer ? result.answer : result);
  if (tools.checkAnswers) checkAnswer(route, text);
  return result instanceof SessionAnswer ? new SessionAnswer(text, result.change) : text;
}

function checkAnswer(route: AnyRoute, text: string): void {
  if (typeof route.answer === 'string') return;
  const result = route.answer.safeParse(JSON.parse(text));
  if (!result.success)
    throw new Error(`${route.operationId} answers what it does not declare`, { cause: result.error });
}

/** Every answer is for this caller alone. What a shared cache may keep is not served here. */
const PRIVATE = 'private, no-store';

function send(tools: RouteTools, exchange: Exchange, ready: Ready): Answer {
  exchange.setHeader('cache-control', PRIVATE);
  if (typeof ready === 'string') return exchange.answer(200, JSON_TYPE, ready);
  if (ready instanceof FileAnswer) {
    // A file may hold what a stranger wrote: where a browser shows it after all, it can do nothing there.
    exchange.setHeader('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox");
    if (ready.fileName !== null)
      exchange.setHeader('content-disposition', describeFile(ready.shownAs, ready.fileName));
    return exchange.answer(200, ready.contentType, ready.chunks);
  }
  const token = exchange.sessionToken;
  // Other processes hear of it from the database; this one need not wait for that.
  if (token !== undefined && ready.change.kind !== 'renew') tools.sessionRing.forget(token);
  exchange.setHeader('set-cookie', toSetCookie(ready.change, token, tools.facts.baseUrl));
  return exchange.answer(200, JSON_TYPE, ready.answer);
}

/** RFC 6266: a name that every reader takes, and the real one for those who know how (RFC 8187). */
function describeFile(shownAs: FileAnswer['shownAs'], name: string): string {
  const plain = name.replaceAll(/[^ -~]|["\\%]/g, '_');
  if (plain === name) return `${shownAs}; filename="${name}"`;
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${shownAs}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
