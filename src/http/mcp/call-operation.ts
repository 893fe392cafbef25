/**
 * Calls operations of the API for a tool: a request of its own for each, with the caller of the whole, served by
 * `serveRoute`. So access, scopes, limits, idempotency and the audit log are those of the HTTP API.
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Caller } from '../../features/api/caller.ts';
import type { AnyRoute, CalledRoute } from '../../features/api/route.ts';
import { AppError } from '../../platform/errors.ts';
import { authorize } from '../routing/authenticate.ts';
import { serveRoute, type RouteTools } from '../routing/serve-route.ts';
import { Exchange, type Answer } from '../requests/exchange.ts';
import type { Calls, RouteInput } from './tools/tool.ts';

export interface Operations {
  /** Whether the caller may call all of these. */
  allows(caller: Caller, operationIds: readonly string[]): boolean;
  /** Throws what the API would. */
  require(caller: Caller, operationIds: readonly string[]): void;
  callsOf(outer: Exchange, caller: Caller): Calls;
}

export function createOperations(tools: RouteTools, routes: readonly AnyRoute[]): Operations {
  const byId = new Map(
    routes
      .filter((route): route is CalledRoute => route.permission !== 'anyone')
      .map((route) => [route.operationId, route]),
  );
  const find = (operationId: string): CalledRoute => {
    const route = byId.get(operationId);
    if (!route) throw new Error(`There is no operation ${operationId}.`);
    return route;
  };
  const require = (caller: Caller, operationIds: readonly string[]) => {
    for (const operationId of operationIds) authorize(find(operationId), caller);
  };
  const serve = (outer: Exchange, caller: Caller, operationId: string, input: RouteInput) => {
    const route = find(operationId);
    const exchange = new Exchange(toRequest(outer, route, input));
    exchange.requestId = outer.requestId;
    exchange.routeName = route.path;
    exchange.params = input.params ?? {};
    exchange.caller = caller;
    return serveRoute(tools, route, exchange);
  };

  return {
    require,
    allows(caller, operationIds) {
      try {
        require(caller, operationIds);
        return true;
      } catch (error) {
        if (error instanceof AppError) return false;
        throw error;
      }
    },
    callsOf: (outer, caller) => ({
      async call(operationId, input = {}) {
        const { body } = await serve(outer, caller, operationId, input);
        if (typeof body !== 'string') throw new Error(`${operationId} does not return JSON.`);
        return JSON.parse(body);
      },
      async read(operationId, input, maxBytes) {
        return readFile(await serve(outer, caller, operationId, input), maxBytes);
      },
    }),
  };
}

async function readFile({ body }: Answer, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of typeof body === 'string' || body instanceof Uint8Array ? [body] : body) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk);
    length += bytes.length;
    if (length > maxBytes)
      throw new AppError(
        'TOO_LARGE',
        `The file is too large to be read here. The limit is ${maxBytes} bytes.`,
      );
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** A request as node would have received it over the connection of the outer one. */
function toRequest(outer: Exchange, route: CalledRoute, input: RouteInput): IncomingMessage {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(input.params?.[name] ?? ''),
  );
  const query = new URLSearchParams(
    Object.entries(input.query ?? {}).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  ).toString();
  const bytes = input.body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(input.body));
  const forwarded = outer.requestHeader('x-forwarded-for');
  const headers: Record<string, string> = {
    host: outer.requestHeader('host') ?? '',
    'content-length': String(bytes.length),
    'content-type': 'application/json',
    ...(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }),
    ...(input.idempotencyKey === undefined ? {} : { 'idempotency-key': input.idempotencyKey }),
  };
  const { socket } = outer.incoming;
  const stream = Readable.from(bytes.length > 0 ? [bytes] : [], { objectMode: false });
  const request = {
    method: route.method,
    url: `/api${path}${query === '' ? '' : `?${query}`}`,
    headers,
    socket,
    complete: true,
  };
  return Object.assign(stream, request) as unknown as IncomingMessage;
}
