/**
 * Records calls of routes in the audit log (src/features/audit/actions.ts), in the transaction of the change. The state
 * before and after comes from the route that reads the same path, else from the list that the thing is in.
 */
import { AUDITED, AUDITED_SOMETIMES, WITHOUT_STATE } from '../../features/audit/actions.ts';
import { actorOf, recordAudit } from '../../features/audit/record-audit.ts';
import {
  SessionAnswer,
  type AnyRoute,
  type CalledRoute,
  type RouteRequest,
} from '../../features/api/route.ts';
import { inTransaction, type Db } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import { isObject } from '../../platform/is-object.ts';
import type { Exchange } from '../requests/exchange.ts';
import { readVisitor } from './authenticate.ts';

type Request = Omit<RouteRequest<unknown, unknown, unknown>, 'body'>;
type RecordedRequest = Request & { getBody: () => unknown };
type Handle = (db: Db) => Promise<unknown>;

interface Reader {
  route: CalledRoute;
  /** Whether the route lists things, of which one is meant. */
  isList: boolean;
}

/** Finds the route that reads what another route changes. */
export type FindReader = (route: CalledRoute) => Reader | 'creates' | undefined;

export function createReaderFinder(routes: readonly AnyRoute[]): FindReader {
  const readers = new Map(
    routes
      .filter((route): route is CalledRoute => route.method === 'GET' && route.permission !== 'anyone')
      .filter(({ answer }) => typeof answer !== 'string')
      .map((route) => [route.path, route]),
  );
  return ({ path, method }) => {
    // A path with POST creates what the list of the same path has.
    if (method === 'POST' && readers.has(path)) return 'creates';
    const one = readers.get(path) ?? readers.get(parentOf(path));
    if (one) return { route: one, isList: false };
    const list = readers.get(listOf(path));
    return list && { route: list, isList: true };
  };
}

/** `/v1/campaigns/{campaignId}` for `/v1/campaigns/{campaignId}/schedule`. */
function parentOf(path: string): string {
  const parent = path.slice(0, path.lastIndexOf('/'));
  return parent.endsWith('}') ? parent : '';
}

/** `/v1/api-keys` for `/v1/api-keys/{apiKeyId}/rotate`. */
function listOf(path: string): string {
  return path.replace(/\/\{\w+\}(?:\/[\w-]+)?$/, '');
}

/** Returns the handler itself for a route that is not recorded. */
export function recordCall(
  findReader: FindReader,
  route: CalledRoute,
  exchange: Exchange,
  { getBody, ...request }: RecordedRequest,
  handle: Handle,
): Handle {
  const always = AUDITED[route.operationId];
  const findAction = AUDITED_SOMETIMES[route.operationId];
  if (always === undefined && findAction === undefined) return handle;
  const readAction = () => always ?? findAction!((getBody() ?? {}) as Record<string, unknown>);
  const { facts, teamId, caller } = request;
  const hasState = !WITHOUT_STATE.has(route.operationId);
  const found = findReader(route);
  const creates = found === 'creates';
  const reader = creates || !hasState ? undefined : found;
  const parent = lastParam(request.params);
  const target = (answer: unknown) => (creates ? null : parent) ?? idOf(answer);
  const record = async (db: Db, answer: unknown, states: { before: unknown; after: unknown }) => {
    const action = readAction();
    if (action === null) return;
    await recordAudit(db, facts.secret, teamId, {
      actor: actorOf(caller, readVisitor(exchange).ip),
      action,
      target: target(answer),
      ...states,
      requestId: exchange.requestId,
    });
  };
  if (isOnItsOwn(route)) {
    return async (db) => {
      const result = await handle(db);
      const after = route.method === 'GET' ? request.query : getBody();
      await record(db, answerOf(result), { before: undefined, after });
      return result;
    };
  }
  return (db) =>
    inTransaction(db, async (trx) => {
      const inside = { ...request, db: trx };
      const before = reader && (await readState(reader, inside));
      const result = await handle(trx);
      const answer = answerOf(result);
      const made = creates && parent !== null && isObject(answer) ? { parent, ...answer } : answer;
      const after = hasState ? await readAfter(route, reader, inside, made) : undefined;
      await record(trx, answer, keepChanges(before, after));
      return result;
    });
}

function answerOf(result: unknown): unknown {
  return result instanceof SessionAnswer ? result.answer : result;
}

/**
 * Exports stream after their transaction would have ended. Routes of a person's own account count wrong passwords in
 * transactions of their own, which must hold when the call fails. Both are recorded once they have succeeded.
 */
function isOnItsOwn({ method, permission }: CalledRoute): boolean {
  return method === 'GET' || permission === 'person';
}

async function readState({ route, isList }: Reader, request: Request): Promise<unknown> {
  try {
    return await (isList ? findInList(route, request) : readOnce(route, request, {}));
  } catch (error) {
    // What does not exist has no state; the call itself then says so.
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

async function readOnce(route: CalledRoute, request: Request, input: object): Promise<unknown> {
  const query = route.query ? route.query.safeParse(input) : undefined;
  if (query && !query.success) return undefined;
  return route.handle({ ...request, query: query?.data, body: undefined });
}

/** As in a URL. */
const PAGE = '100';
const MAX_PAGES = 100;

async function findInList(route: CalledRoute, request: Request): Promise<unknown> {
  const id = lastParam(request.params);
  let cursor: unknown;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const answer = await readOnce(route, request, { limit: PAGE, ...(cursor ? { cursor } : {}) });
    if (!isObject(answer) || !Array.isArray(answer.items)) return undefined;
    const found = answer.items.find((item) => isObject(item) && (item.id === id || item.name === id));
    if (found !== undefined) return found;
    cursor = answer.next_cursor;
    if (typeof cursor !== 'string') return undefined;
  }
  return undefined;
}

async function readAfter(
  route: CalledRoute,
  reader: Reader | undefined,
  request: Request,
  answer: unknown,
): Promise<unknown> {
  if (route.method === 'DELETE') return undefined;
  if (reader) return readState(reader, request);
  return answer;
}

/** The last public ID in the path. */
function lastParam(params: unknown): string | null {
  const id = isObject(params) ? Object.values(params).at(-1) : undefined;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : null;
}

function idOf(answer: unknown): string | null {
  const id = isObject(answer) ? answer.id : undefined;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : null;
}

/** Only the fields that differ, if there is a state before and one after. */
function keepChanges(before: unknown, after: unknown): { before: unknown; after: unknown } {
  if (!isObject(before) || !isObject(after)) return { before, after };
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const keep = (state: Record<string, unknown>) =>
    Object.fromEntries(changed.filter((name) => name in state).map((name) => [name, state[name]]));
  return { before: keep(before), after: keep(after) };
}
