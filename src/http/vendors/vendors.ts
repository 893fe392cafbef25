/**
 * The APIs of other vendors, so that an application can move here by changing a URL. A door translates: its routes have
 * the vendor's paths, shapes and errors, and call the same operations as our own routes. `serveRoute` gives them the
 * same authentication, limits and idempotency.
 */
import { AppError } from '../../platform/errors.ts';
import type { CalledRoute } from '../../features/api/route.ts';
import { readBearer } from '../routing/authenticate.ts';
import type { Answer, Exchange } from '../requests/exchange.ts';
import { collapseSlashes, createRouteTable, type RouteTable } from '../routing/route-table.ts';
import { serveRoute, type RouteTools } from '../routing/serve-route.ts';
import { mailgunDoor, mailgunDomainsDoor, mailgunOtherDoors } from './mailgun/door.ts';
import { postmarkDoor } from './postmark/door.ts';
import { resendDoor } from './resend/door.ts';
import { sendgridDoor } from './sendgrid/door.ts';
import type { VendorDoor } from '../routing/vendor-door.ts';

export const DOORS: VendorDoor[] = [
  resendDoor,
  mailgunDoor,
  mailgunDomainsDoor,
  ...mailgunOtherDoors,
  postmarkDoor,
  sendgridDoor,
];

interface Entry {
  route: CalledRoute;
  /** Paths that the door does not have but the route matches, such as `/domains/claim` for `/domains/{id}`. */
  missing: string[][];
}

/** Returns a function that serves requests. It returns null for a path that belongs to no vendor. */
export function createVendorAnswerer(tools: RouteTools): (exchange: Exchange) => Promise<Answer> | null {
  const tables = new Map(DOORS.map((door) => [door, createTable(door)]));
  return (exchange) => {
    const found = findDoor(exchange);
    if (!found) return null;
    const { door, path, isPrefixed } = found;
    const method = exchange.method === 'HEAD' ? 'GET' : exchange.method;
    const table = tables.get(door)!;
    const matching = table.find(method, path);
    const isMissing = startsLikeOneOf(
      method,
      door.ignoresCase ? path.toLowerCase() : path,
      matching?.entry.missing ?? door.missing.map(toParts),
    );
    const match = isMissing ? null : matching;
    if (!match && !isPrefixed) return null;
    exchange.errorForm = door.errorForm;
    exchange.routeName = door.prefix + (match?.entry.route.path ?? '');
    if (!match) return Promise.reject(refuse(path, { isMissing, methods: table.methodsAt(path) }));
    exchange.params = match.params;
    return serveRoute(tools, match.entry.route, exchange);
  };
}

function createTable(door: VendorDoor): RouteTable<Entry> {
  const table = createRouteTable<Entry>(door);
  for (const route of door.routes) {
    const missing = door.missing.map(toParts).filter((start) => hides(start, route));
    table.add(route.method, route.path, { route, missing });
  }
  return table;
}

/**
 * Doubled slashes, a trailing slash and a missing slash after the prefix are ignored, because SDKs join URLs in
 * different ways.
 */
function findDoor(exchange: Exchange): { door: VendorDoor; path: string; isPrefixed: boolean } | null {
  const path = collapseSlashes(exchange.path).replace(/(?<=.)\/$/, '');
  for (const door of DOORS) {
    if (!path.startsWith(door.prefix)) continue;
    if (door.needsBasic && !isBasic(exchange)) return null;
    const rest = path.slice(door.prefix.length);
    return { door, path: rest.startsWith('/') ? rest : `/${rest}`, isPrefixed: true };
  }
  const atRoot = DOORS.find(({ isAtRoot }) => isAtRoot);
  if (!atRoot || readBearer(exchange.requestHeader('authorization')) === undefined) return null;
  return { door: atRoot, path, isPrefixed: false };
}

function isBasic(exchange: Exchange): boolean {
  return /^basic /i.test(exchange.requestHeader('authorization') ?? '');
}

/** The first part is a method or empty. */
function toParts(start: string): string[] {
  return start.split('/').map((part) => part.trim());
}

/**
 * Returns true if the route matches paths with this beginning only by a parameter. A route that names the parts takes
 * precedence.
 */
function hides(start: string[], { method, path }: CalledRoute): boolean {
  const route = [method, ...path.split('/').slice(1)];
  if (start.length > route.length) return false;
  const isAlike = start.every(
    (part, at) =>
      part === route[at] || isParameter(part) || (at > 0 && isParameter(route[at]!)) || part === '',
  );
  return isAlike && !startsLike(route, start);
}

function startsLikeOneOf(method: string, path: string, starts: string[][]): boolean {
  if (starts.length === 0) return false;
  const parts = [method, ...path.split('/').slice(1)];
  return starts.some((start) => startsLike(parts, start));
}

/** A part in braces, as in `/emails/{id}/share`, matches any part of the path. */
function startsLike(parts: string[], start: string[]): boolean {
  return start.every((part, at) =>
    at === 0 ? part === '' || part === parts[0] : part === parts[at] || (isParameter(part) && !!parts[at]),
  );
}

function isParameter(part: string): boolean {
  return part.startsWith('{');
}

function refuse(path: string, { isMissing, methods }: { isMissing: boolean; methods: string[] }): AppError {
  if (isMissing) return new AppError('NOT_IMPLEMENTED', "Posthorn doesn't support this endpoint.");
  if (methods.length > 0)
    return new AppError('METHOD_NOT_ALLOWED', `This path only supports ${methods.join(', ')}.`);
  return new AppError('NOT_FOUND', `No such path: ${path.slice(0, 200)}.`);
}
