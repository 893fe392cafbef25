/**
 * The manners of the API, in one place that every route gets for free. The order of the steps is the order
 * of the answers: who are you (401), may you (403, 429), does it make sense (400, 413), then the work.
 */
import type { Context } from 'hono';
import { createHash, type Hash } from 'node:crypto';
import { z } from 'zod';
import { answerOnce } from '../features/idempotency/idempotency.ts';
import type { Keyring } from '../features/api-keys/keyring.ts';
import type { Seal } from '../platform/crypto.ts';
import type { Db } from '../platform/database.ts';
import { AppError, badRequest } from '../platform/errors.ts';
import type { Facts } from '../platform/facts.ts';
import { FileAnswer, type AnyRoute, type Caller, type RouteRequest } from '../platform/route.ts';
import { limitStream, parseJson, readBytes, refuseOtherThanJson, refuseOtherType } from './body.ts';
import { headerOf, type HttpEnv } from './env.ts';
import type { RateLimit } from './rate-limit.ts';
import { validate, validateText } from './validate.ts';

export interface RouteTools {
  db: Db;
  keyring: Keyring;
  answerSeal: Seal;
  rateLimit: RateLimit | null;
  facts: Facts;
  /** Holds every answer against its declared shape; for tests, so that the documentation cannot lie. */
  checkAnswers: boolean;
}

const DEFAULT_BODY_LIMIT = 2 * 1024 * 1024;
const NOTHING = z.unknown();
const JSON_HEADERS = { 'content-type': 'application/json' };

type Work = (db: Db) => Promise<string | FileAnswer>;

export async function serveRoute(tools: RouteTools, route: AnyRoute, c: Context<HttpEnv>): Promise<Response> {
  const caller = await authenticate(tools.keyring, headerOf(c, 'authorization'));
  c.set('caller', caller);
  authorize(route, caller);
  countRequest(tools.rateLimit, caller, c);
  const params = validateText(route.params ?? NOTHING, c.req.param());
  const query = validateText(route.query ?? NOTHING, c.req.query());
  const idempotencyKey = readIdempotencyKey(c, route);
  const base = { db: tools.db, teamId: caller.teamId, caller, facts: tools.facts, params, query };
  const { work, requestHash } = await receive(tools, route, c, base, idempotencyKey !== null);

  if (idempotencyKey === null) return send(c, await work(tools.db));
  const request = { teamId: caller.teamId, key: idempotencyKey, requestHash: requestHash!.digest() };
  const { answer, replayed } = await answerOnce(tools.db, tools.answerSeal, request, async (trx) => {
    const fresh = await work(trx);
    if (fresh instanceof FileAnswer) throw new Error('A file cannot be kept as an answer.');
    return fresh;
  });
  if (replayed) c.header('idempotency-replayed', 'true');
  return send(c, answer);
}

async function authenticate(keyring: Keyring, header: string | undefined): Promise<Caller> {
  const key = header === undefined ? undefined : /^bearer +(\S+) *$/i.exec(header)?.[1];
  const caller = key === undefined ? null : await keyring.identify(key);
  if (caller) return caller;
  throw new AppError(
    'UNAUTHORIZED',
    header === undefined
      ? 'This needs an API key: send the header Authorization: Bearer <key>.'
      : 'The API key is not known, was revoked or has expired.',
  );
}

function authorize(route: AnyRoute, caller: Caller): void {
  if (route.permission === 'full' && caller.permission !== 'full') {
    throw new AppError('FORBIDDEN', 'This needs an API key with full access; this one may only send.');
  }
  if (caller.domainId !== null && route.boundKeys !== 'kept-to-domain') {
    throw new AppError('FORBIDDEN', 'This API key is bound to one domain and does not work here.');
  }
}

function countRequest(rateLimit: RateLimit | null, caller: Caller, c: Context<HttpEnv>): void {
  if (!rateLimit) return;
  const { allowed, headers } = rateLimit.count(caller.teamId, Date.now());
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  if (!allowed) {
    throw new AppError(
      'RATE_LIMITED',
      'Your team has made too many requests. Wait as long as Retry-After says.',
    );
  }
}

function readIdempotencyKey(c: Context<HttpEnv>, route: AnyRoute): string | null {
  const key = headerOf(c, 'idempotency-key');
  if (key === undefined || route.method === 'GET' || route.method === 'DELETE') return null;
  // A header is bytes; they are kept as what they are in Latin-1, the same each time.
  if (key.length < 1 || key.length > 256) throw badRequest('Idempotency-Key must have 1 to 256 characters.');
  return key;
}

/** Takes the body in, and returns the work that is left to do with it. */
async function receive(
  tools: RouteTools,
  route: AnyRoute,
  c: Context<HttpEnv>,
  base: Omit<RouteRequest<unknown, unknown, unknown>, 'body'>,
  hashed: boolean,
): Promise<{ work: Work; requestHash: Hash | null }> {
  const requestHash = hashed ? createHash('sha256').update(`${route.method} ${c.req.path}\n`) : null;
  const { incoming } = c.env;
  const limit = route.bodyLimitBytes ?? DEFAULT_BODY_LIMIT;

  if ('upload' in route) {
    const { contentType, alsoTaken = [] } = route.upload;
    refuseOtherType(
      headerOf(c, 'content-type'),
      [contentType, ...alsoTaken],
      `The request body must be the file itself, in UTF-8: send it with Content-Type: ${contentType}.`,
    );
    // Told before it is sent, not after the first gigabyte of it was taken in.
    if (Number(incoming.headers['content-length']) > limit) {
      throw new AppError('TOO_LARGE', `The file is too large; at most ${limit} bytes are taken here.`);
    }
    const body = hashWhileReading(limitStream(incoming, limit), requestHash);
    const received = await route.receive({ ...base, body });
    return { work: (db) => answer({ ...base, db, body: received }), requestHash };
  }
  const bytes = incoming.method === 'GET' ? null : await readBytes(incoming, limit, route.tooLargeAs);
  if (bytes) requestHash?.update(bytes);
  const body = route.body && bytes ? readBody(route.body, bytes, headerOf(c, 'content-type')) : undefined;
  return { work: (db) => answer({ ...base, db, body }), requestHash };

  async function answer(request: RouteRequest<unknown, unknown, unknown>): Promise<string | FileAnswer> {
    const result = await route.handle(request);
    if (result instanceof FileAnswer) return result;
    const text = JSON.stringify(result);
    if (tools.checkAnswers) checkAnswer(route, text);
    return text;
  }
}

function readBody(schema: z.ZodType, bytes: Buffer, contentType: string | undefined): unknown {
  if (bytes.length > 0) refuseOtherThanJson(contentType);
  return validate(schema, parseJson(bytes));
}

async function* hashWhileReading(chunks: AsyncIterable<Buffer>, hash: Hash | null): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    hash?.update(chunk);
    yield chunk;
  }
}

function checkAnswer(route: AnyRoute, text: string): void {
  if (route.answer === 'text/csv') return;
  const result = route.answer.safeParse(JSON.parse(text));
  if (!result.success)
    throw new Error(`${route.operationId} answers what it does not declare`, { cause: result.error });
}

function send(c: Context<HttpEnv>, answer: string | FileAnswer): Response {
  if (typeof answer === 'string') return c.body(answer, 200, JSON_HEADERS);
  c.header('content-type', answer.contentType);
  c.header('content-disposition', `attachment; filename="${answer.fileName}"`);
  return c.body(ReadableStream.from(encode(answer.chunks)));
}

async function* encode(chunks: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}
