/**
 * Serves a declared route: authentication (401), authorization and rate limit (403, 429), validation (400, 413),
 * idempotency, and then the handler. The order of these steps decides which error a request gets.
 */
import { createHash, type Hash } from 'node:crypto';
import { z } from 'zod';
import { answerOnce } from '../../features/account/idempotency/idempotency.ts';
import type { ApiKeyCache } from '../../features/identity/api-keys/api-key-cache.ts';
import { createWithinLimit } from '../../features/account/teams/team-limits.ts';
import type { SecretBox } from '../../platform/crypto.ts';
import type { Db } from '../../platform/database/database.ts';
import { AppError, badRequest, invalidField } from '../../platform/errors.ts';
import type { ReadReplica } from '../../platform/database/read-replica.ts';
import type { MemoryBudget } from '../../platform/memory/memory-budget.ts';
import { createTeamQueue } from '../../platform/concurrency/team-queue.ts';
import type { Caller } from '../../features/api/caller.ts';
import type { StorageRoom } from '../../features/instance/facts.ts';
import {
  takesIdempotencyKey,
  type AnyRoute,
  type CalledRoute,
  type OpenRoute,
  type RouteRequest,
} from '../../features/api/route.ts';
import type { Answer, Exchange } from '../requests/exchange.ts';
import { refuseForeignOrigin } from '../requests/origin.ts';
import { validateText } from '../requests/validate.ts';
import { refuseMailThroughOthers } from '../../features/sending/policies/refuse-through-others.ts';
import { noteReads } from '../../features/sending/policies/note-reads.ts';
import { recordCall, type FindReader } from './audit-call.ts';
import { authenticate, authorize, keepToBooks, readVisitor } from './authenticate.ts';
import type { RateLimit } from './rate-limit.ts';
import { prepareAnswer, sendAnswer, type AnswerTools, type PreparedAnswer } from './route-answer.ts';
import { readBody, readUpload, withBody } from './route-body.ts';

export interface RouteTools extends AnswerTools {
  db: Db;
  /** Null without DATABASE_READ_URL. */
  replica: ReadReplica | null;
  apiKeys: ApiKeyCache;
  answerBox: SecretBox;
  rateLimit: RateLimit | null;
  memory: MemoryBudget;
  findReader: FindReader;
}

/** The sum is lower than the default number of database connections of the HTTP server, which is 16. */
const HEAVY_QUEUES = {
  rows: createTeamQueue({ atOnce: 4, perTeam: 3 }),
  messages: createTeamQueue({ atOnce: 6, perTeam: 4 }),
  reads: createTeamQueue({ atOnce: 4, perTeam: 2 }),
};
const NOTHING = z.unknown();

export async function serveRoute(tools: RouteTools, route: AnyRoute, exchange: Exchange): Promise<Answer> {
  if (route.permission === 'anyone') return serveOpenRoute(tools, route, exchange);
  const caller = await authenticate(tools, route, exchange);
  authorize(route, caller);
  countRequest(tools.rateLimit, caller, exchange);
  const room = mayGrow(route) ? await findRoom(tools, caller.teamId) : null;
  const params = validateText(route.params ?? NOTHING, exchange.params);
  keepToBooks(caller, params);
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
  return withBody(tools.memory, route, exchange, requestHash, (bytes) =>
    answerCall(tools, route, exchange, { base, bytes, idempotencyKey, requestHash, room }),
  );
}

/** A request that has passed all checks of its caller and whose body has been read, unless it is an upload. */
interface Call {
  base: Omit<RouteRequest<unknown, unknown, unknown>, 'body'>;
  bytes: Buffer[];
  idempotencyKey: string | null;
  requestHash: Hash | null;
  /** Null if the request cannot grow what the team stores. */
  room: StorageRoom | null;
}

async function answerCall(
  tools: RouteTools,
  route: CalledRoute,
  exchange: Exchange,
  { base, bytes, idempotencyKey, requestHash, room }: Call,
): Promise<Answer> {
  const { teamId, throwIfDisconnected } = base;
  // Reading the body empties the list.
  const sum = bytes.reduce((before, { length }) => before + length, 0);
  if ('upload' in route) room?.require(Number(exchange.requestHeader('content-length') ?? 0));
  const body =
    'upload' in route
      ? await route.receive({ ...base, body: readUpload(route, exchange, requestHash) })
      : await readBody(route, exchange, bytes);
  // Without `prepare` this is the body itself.
  const getBody =
    'prepare' in route && route.prepare ? await settle(route.prepare({ ...base, body })) : () => body;
  const work = createWork(tools, route, exchange, base, () => {
    room?.require(sum);
    return getBody();
  });
  // Requests wait in the queue before a transaction begins, so that they hold no connection meanwhile.
  const kind = route.heavy ?? (exchange.hasLargeBody ? 'messages' : null);
  const queued = <Result>(run: () => Promise<Result>): Promise<Result> =>
    kind ? HEAVY_QUEUES[kind](teamId, async () => (throwIfDisconnected(), run())) : run();
  if (idempotencyKey === null) {
    const replica = route.readsReplica ? tools.replica : null;
    const run = () => (replica ? replica.read(work) : work(tools.db));
    return sendAnswer(tools, route, exchange, await queued(run));
  }
  const request = { teamId, key: idempotencyKey, requestHash: requestHash!.digest() };
  const { answer, replayed } = await queued(() =>
    answerOnce(tools.db, tools.answerBox, request, async (trx) => {
      const fresh = await work(trx);
      if (typeof fresh !== 'string') throw new Error('Only JSON responses can be stored.');
      return fresh;
    }),
  );
  if (replayed) exchange.setHeader('idempotency-replayed', 'true');
  return sendAnswer(tools, route, exchange, answer);
}

async function serveOpenRoute(tools: RouteTools, route: OpenRoute, exchange: Exchange): Promise<Answer> {
  const { db, facts } = tools;
  if (exchange.requestHeader('origin') !== undefined) refuseForeignOrigin(exchange, facts.baseUrl);
  const query = readQuery(route, exchange);
  return withBody(tools.memory, route, exchange, null, async (bytes) => {
    const body = await readBody(route, exchange, bytes);
    const result = await route.handle({ db, facts, visitor: readVisitor(exchange), query, body });
    return sendAnswer(tools, route, exchange, prepareAnswer(tools, route, result));
  });
}

async function findRoom({ facts }: RouteTools, teamId: number): Promise<StorageRoom> {
  await facts.disk.require();
  return facts.storage.look(teamId);
}

/** While the disk is full, people can still read, delete, and stop what adds more. Open routes store little. */
function mayGrow({ method, storesLittle }: CalledRoute): boolean {
  return method !== 'GET' && method !== 'DELETE' && !storesLittle;
}

/** Our own API rejects a parameter that is given twice. Clients of other vendors expect that one of them counts. */
function readQuery({ query: schema, errorForm }: AnyRoute, exchange: Exchange): unknown {
  if (!schema) return undefined;
  const query = validateText(schema, exchange.query);
  if (typeof errorForm === 'function') return query;
  for (const name of exchange.repeatedInQuery) {
    if (Object.hasOwn(query as object, name)) throw invalidField(name, 'must be given only once');
  }
  return query;
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
  if (key.length < 1 || key.length > 256)
    throw badRequest('Idempotency-Key must have 1 to 256 characters.', undefined, 'invalid-idempotency-key');
  return key;
}

function createWork(
  tools: RouteTools,
  route: CalledRoute,
  exchange: Exchange,
  base: Call['base'],
  getBody: () => unknown,
): (db: Db) => Promise<PreparedAnswer> {
  const handle = async (db: Db) => {
    if (base.caller.policyIds.length > 0) await refuseMailThroughOthers(db, base.caller, route, base.params);
    return route.handle({ ...base, db, body: getBody() });
  };
  const { creates: noun } = route;
  const create = (db: Db) =>
    noun === undefined
      ? handle(db)
      : createWithinLimit(db, base.teamId, { noun, limits: base.facts.teamLimits }, handle);
  const recorded = recordCall(tools.findReader, route, exchange, { ...base, getBody }, create);
  return async (db) => {
    const result = await recorded(db);
    // Before the answer leaves, so that no other request of the key can be faster.
    if (base.caller.policyIds.length > 0) await noteReads(tools.db, base.caller, route, base.params, result);
    return prepareAnswer(tools, route, result);
  };
}

/** A failure is thrown only when the result is used, because a repeated request gets its stored response first. */
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
