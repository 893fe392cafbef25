/** Trials of the vendors' APIs. The requests are generated from the declared routes of every door. */
import { buildOpenApi } from '../../src/http/openapi/openapi.ts';
import type { VendorDoor } from '../../src/http/routing/vendor-door.ts';
import { DOORS } from '../../src/http/vendors/vendors.ts';
import { readOperations, type FuzzedOperation } from '../http/operations.ts';
import { oversizedBodies } from '../http/oversized.ts';
import { mutate, toJson, hostileValue } from '../http/hostile.ts';
import type { HttpRequest } from '../http/send.ts';
import { createRandom, shuffle, type Random } from '../random.ts';
import type { Target } from '../target.ts';
import type { World } from '../world.ts';
import { fullestBodies } from './fullest.ts';
import { httpTrial, type DoorTrial } from './measured.ts';
import { FORMS, makeVendorBody, makeVendorPath } from './vendor-values.ts';

export interface VendorOperation extends FuzzedOperation {
  door: VendorDoor;
  /** The fields of a form, for routes whose declaration does not name them. */
  form: Record<string, string> | null;
}

const MUTATED = 12;
const LARGEST_BYTES = 6 * 1024 * 1024;

export async function vendorTrials(
  target: Target,
  world: World,
  seed: string,
): Promise<Iterable<() => DoorTrial>> {
  const operations = (await Promise.all(DOORS.map(readDoor))).flat();
  const random = createRandom(`${seed} vendors`);
  const make = (name: string, operation: VendorOperation, body: (made: Random) => string | null) => () => {
    const made = createRandom(`${seed} ${operation.id} ${name}`);
    return httpTrial(target, toRequest(operation, name, world, made, body(made)));
  };
  const withBody = operations.filter(({ body }) => body !== null);
  const valid = operations.flatMap((operation) =>
    [1, 2].map((no) =>
      make(
        `valid ${no}`,
        operation,
        (made) => operation.body && toJson(makeVendorBody(operation, world, made)),
      ),
    ),
  );
  const large = withBody.flatMap((operation) =>
    [...fullestBodies(operation), ...oversizedBodies(operation)].map((each) =>
      make(each.name, operation, (made) => each.make(makeVendorBody(operation, world, made))),
    ),
  );
  const mutated = operations.flatMap((operation) =>
    Array.from({ length: MUTATED }, (_, no) =>
      make(`mutated ${no}`, operation, (made) =>
        operation.body ? toJson(mutate(makeVendorBody(operation, world, made), made)) : null,
      ),
    ),
  );
  return [...valid, ...shuffle([...large, ...mutated], random)];
}

async function readDoor(door: VendorDoor): Promise<VendorOperation[]> {
  const document = await buildOpenApi(door.routes, '');
  return readOperations(document).map((operation) => {
    const form = FORMS[operation.path] ?? null;
    return {
      ...operation,
      id: `${door.prefix} ${operation.method} ${operation.path}`,
      bodyLimitBytes: Math.min(operation.bodyLimitBytes, LARGEST_BYTES),
      // Two routes take a form and declare nothing about it.
      body: operation.body ?? (form && { schema: {}, example: undefined }),
      door,
      form,
    };
  });
}

function toRequest(
  operation: VendorOperation,
  name: string,
  world: World,
  random: Random,
  json: string | null,
): HttpRequest {
  const { id, method, door, form } = operation;
  const query = name.startsWith('mutated') && operation.query.length > 0 ? makeQuery(operation, random) : '';
  const asForm = form !== null && json !== null ? toForm(json) : null;
  return {
    name: `${id}, ${name}`,
    group: id,
    method,
    base: door.prefix,
    path: makeVendorPath(operation, world, random) + query,
    headers: {
      ...authorize(door, world.keys.full),
      ...(json === null
        ? {}
        : { 'content-type': asForm ? 'application/x-www-form-urlencoded' : 'application/json' }),
    },
    body: json === null ? null : Buffer.from(asForm ?? json),
  };
}

const toQueryText = (value: unknown) =>
  encodeURIComponent(
    (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 500).toWellFormed(),
  );

function makeQuery({ query }: FuzzedOperation, random: Random): string {
  return `?${query.map(({ name }) => `${name}=${toQueryText(hostileValue(random))}`).join('&')}`;
}

/** Every door reads only the credentials of its vendor. */
function authorize({ prefix }: VendorDoor, key: string): Record<string, string> {
  const isMailgun = /^\/v\d$/.test(prefix);
  return {
    authorization: isMailgun ? `Basic ${btoa(`api:${key}`)}` : `Bearer ${key}`,
    'x-postmark-server-token': key,
  };
}

/** Lists become repeated fields, and objects JSON. Returns null for a body that is no object. */
function toForm(json: string): string | null {
  if (json.length > LARGEST_BYTES || json.startsWith('[[')) return null;
  const form = new URLSearchParams();
  try {
    addFields(form, JSON.parse(json) as Record<string, unknown>);
  } catch {
    // It is no JSON, or nested too deeply to be written again.
    return null;
  }
  return form.toString();
}

function addFields(form: URLSearchParams, body: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(body))
    for (const each of Array.isArray(value) ? value : [value])
      form.append(name, typeof each === 'string' ? each : (JSON.stringify(each) ?? ''));
}
