/** Creates a request of an operation: valid, mutated, or with an oversized body. */
import type { Random } from '../random.ts';
import type { World } from '../world.ts';
import { CONTENT_TYPES, damage, hostileText, hostileValue, mutate, toJson } from './hostile.ts';
import type { FuzzedOperation } from './operations.ts';
import type { Oversized } from './oversized.ts';
import type { HttpRequest } from './send.ts';
import { makeBody, makePath, makeQuery } from './valid.ts';

export function makeValid(operation: FuzzedOperation, world: World, random: Random): HttpRequest {
  const body = operation.body ? toJson(makeBody(operation, world, random)) : operation.file?.example;
  return {
    name: `${operation.method} ${operation.path}`,
    group: operation.id,
    method: operation.method,
    path: makePath(operation, world, random) + makeQuery(operation, world, random),
    headers: {
      ...identify(operation, world, random),
      ...(body === undefined ? {} : { 'content-type': operation.file?.contentType ?? 'application/json' }),
    },
    body: body === undefined ? null : Buffer.from(body),
  };
}

function identify({ permission, id }: FuzzedOperation, world: World, random: Random): Record<string, string> {
  if (permission === 'anyone') return {};
  if (permission !== 'person') return { authorization: `Bearer ${world.keys.full}` };
  // signOutEverywhere would end the sessions of all other requests.
  const ended = { signOut: world.sessionToEnd, signOutEverywhere: 'ph_session=none' }[id];
  const cookie = ended ?? random.pick(world.sessions);
  return { cookie, origin: world.origin };
}

export function makeMutated(operation: FuzzedOperation, world: World, random: Random): HttpRequest {
  const request = makeValid(operation, world, random);
  request.name += ', mutated';
  if (operation.body) {
    const text = toJson(mutate(makeBody(operation, world, random), random));
    request.body = random.chance(0.1) ? damage(text, random) : Buffer.from(text);
  } else if (operation.file) request.body = damage(operation.file.example + hostileText(random), random);
  if (!operation.body || random.chance(0.1)) request.path = mutatePath(operation, world, random);
  mutateHeaders(request, world, random);
  return request;
}

function mutatePath(operation: FuzzedOperation, world: World, random: Random): string {
  const path = makePath(operation, world, random)
    .split('/')
    .map((part, index) => {
      const isId = operation.path.split('/')[index]!.startsWith('{');
      return isId && random.chance(0.3) ? encode(hostileValue(random)) : part;
    })
    .join('/');
  const query = operation.query
    .filter(() => random.chance(0.5))
    .map(({ name }) => `${name}=${random.chance(0.1) ? '%ff%00%' : encode(hostileValue(random))}`);
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

const LONGEST_IN_URL = 2000;

function encode(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return encodeURIComponent(text.slice(0, LONGEST_IN_URL).toWellFormed()) || '%20';
}

function mutateHeaders(request: HttpRequest, world: World, random: Random): void {
  const { headers } = request;
  if (random.chance(0.05)) headers['content-type'] = random.pick(CONTENT_TYPES);
  if (random.chance(0.2)) headers['idempotency-key'] = random.pick(['one', 'two', 'x'.repeat(257), ' ', 'ÿ']);
  if (random.chance(0.03)) headers['x-request-id'] = 'x'.repeat(5000);
  if (headers.authorization === undefined || !random.chance(0.05)) return;
  const { sending, bound } = world.keys;
  headers.authorization = random.pick([
    `Bearer ${sending}`,
    `bearer  ${bound}`,
    'Bearer',
    `Basic ${sending}`,
    `Bearer ${'x'.repeat(5000)}`,
  ]);
}

export function makeOversized(
  operation: FuzzedOperation,
  body: Oversized,
  world: World,
  random: Random,
): HttpRequest {
  const request = makeValid(operation, world, random);
  request.name += `, ${body.name}`;
  request.body = Buffer.from(body.make(makeBody(operation, world, random)));
  return request;
}
