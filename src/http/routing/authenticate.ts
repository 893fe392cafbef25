/** Authentication by API key or session (401), and authorization (403). */
import { isIP } from 'node:net';
import type { ApiKeyCache } from '../../features/identity/api-keys/api-key-cache.ts';
import type { SessionCache } from '../../features/identity/people/session-cache.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import type { Facts } from '../../features/instance/facts.ts';
import { isLocalNetwork } from '../../platform/network/local-address.ts';
import { isBound } from '../../features/api/bound-keys.ts';
import { refuseUnderPolicy } from '../../features/api/policy-keys.ts';
import { allowsScope } from '../../features/api/scopes.ts';
import type { Caller, Visitor } from '../../features/api/caller.ts';
import { nameRoles, rolesOf } from '../../features/api/roles.ts';
import type { CalledRoute } from '../../features/api/route.ts';
import type { Exchange } from '../requests/exchange.ts';
import { refuseForeignOrigin } from '../requests/origin.ts';
import { readDevice, readSessionToken } from '../requests/session-cookie.ts';

interface Tools {
  apiKeys: ApiKeyCache;
  sessions: SessionCache;
  facts: Facts;
}

/** An Authorization header, valid or not, takes precedence. The session cookie counts only without it. */
export async function authenticate(tools: Tools, route: CalledRoute, exchange: Exchange): Promise<Caller> {
  // A door that calls several operations for one request has identified the caller once (src/http/mcp/).
  if (exchange.caller) return exchange.caller;
  if (route.readKey) return authenticateByKey(tools, route.readKey, exchange);
  const header = exchange.requestHeader('authorization');
  const token = header === undefined ? readSessionToken(exchange.requestHeader('cookie')) : undefined;
  const caller =
    token === undefined
      ? await identifyByKey(tools.apiKeys, header, readVisitor(exchange).ip)
      : await tools.sessions.identify(token);
  if (!caller) throw new AppError('UNAUTHORIZED', explainStranger(route, header, token));
  exchange.caller = caller;
  if (token !== undefined) {
    exchange.sessionToken = token;
    // Browsers send the cookie with requests from any site, so a session needs a check against CSRF. A key does not.
    if (route.method !== 'GET') refuseForeignOrigin(exchange, tools.facts.baseUrl);
  }
  return caller;
}

async function authenticateByKey(
  { apiKeys }: Tools,
  readKey: NonNullable<CalledRoute['readKey']>,
  exchange: Exchange,
): Promise<Caller> {
  const key = readKey((name) => exchange.requestHeader(name));
  const caller = key === undefined ? null : await apiKeys.identify(key, readVisitor(exchange).ip);
  if (!caller)
    throw new AppError(
      'UNAUTHORIZED',
      key === undefined ? 'An API key is required.' : 'The API key is invalid, revoked or expired.',
    );
  exchange.caller = caller;
  return caller;
}

async function identifyByKey(
  apiKeys: ApiKeyCache,
  header: string | undefined,
  ip: string,
): Promise<Caller | null> {
  const key = readBearer(header);
  return key === undefined ? null : apiKeys.identify(key, ip);
}

export function readBearer(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^bearer +(\S+) *$/i.exec(header)?.[1];
}

function explainStranger(route: CalledRoute, header: string | undefined, token: string | undefined): string {
  if (header !== undefined) return 'The API key is invalid, revoked or expired.';
  if (token !== undefined) return 'Your session has expired. Sign in again.';
  return route.permission === 'person'
    ? 'You are not signed in.'
    : 'An API key is required. Send it in the header Authorization: Bearer <key>.';
}

export function authorize(route: CalledRoute, caller: Caller): void {
  if (route.permission === 'person' && !caller.person) {
    throw new AppError('FORBIDDEN', 'This requires a signed-in user. API keys are not accepted.');
  }
  if (caller.permission === 'scoped' && !allowsScope(caller.scopes, route.scope)) {
    throw new AppError(
      'FORBIDDEN',
      route.scope === 'none'
        ? 'This requires an API key with full access. This key is limited to scopes.'
        : `This requires an API key with the scope ${route.scope}.`,
    );
  }
  if (route.permission === 'full' && caller.permission === 'sending') {
    throw new AppError(
      'FORBIDDEN',
      'This requires an API key with full access. This key can only send emails.',
    );
  }
  refuseUnderPolicy(route, caller);
  requireKept(route, caller);
  if (caller.person && !rolesOf(route).includes(caller.person.role)) {
    throw new AppError('FORBIDDEN', `Only ${nameRoles(rolesOf(route))} can do this.`);
  }
  if (caller.makerRole && !rolesOf(route).includes(caller.makerRole)) {
    throw new AppError('FORBIDDEN', 'The person who made this API key can no longer do this.');
  }
}

/** A key that is bound may call the routes that keep to one of the kinds of things that it is bound to. */
function requireKept(route: CalledRoute, caller: Caller): void {
  const kinds = route.boundKeys ?? 'refused';
  const isKept =
    (caller.domainIds !== null && kinds === 'kept-to-domain') ||
    (caller.contactBookIds !== null && kinds === 'kept-to-book') ||
    (Array.isArray(caller.mailboxIds) && route.mailboxKeys === 'kept-to-mailboxes');
  if (isKept || !isBound(caller)) return;
  const things = [
    caller.domainIds === null ? '' : caller.domainIds.length === 1 ? 'one domain' : 'some domains',
    Array.isArray(caller.mailboxIds) ? 'mailboxes' : '',
    caller.contactBookIds === null ? '' : 'some contact books',
  ].filter(Boolean);
  throw new AppError('FORBIDDEN', `This API key is limited to ${things.join(', ')} and cannot be used here.`);
}

/** A key that is bound to contact books does not find others. */
export function keepToBooks(caller: Caller, params: unknown): void {
  if (caller.contactBookIds === null || typeof params !== 'object' || params === null) return;
  if ('contactBookId' in params && !caller.contactBookIds.includes(params.contactBookId as string))
    throw notFound('Contact book');
}

/**
 * Returns the visitor's IP address and browser. X-Forwarded-For counts only if the request comes from this computer or a private
 * network, where a proxy would be; anyone else could forge it. Its last entry is the client that the proxy saw.
 */
export function readVisitor(exchange: Exchange): Visitor {
  const direct = exchange.incoming.socket.remoteAddress ?? '';
  const forwarded = isLocalNetwork(direct)
    ? exchange.requestHeader('x-forwarded-for')?.split(',').at(-1)?.trim()
    : undefined;
  return {
    ip: forwarded !== undefined && isIP(forwarded) !== 0 ? forwarded : direct,
    device: readDevice(exchange.requestHeader('cookie')),
    requestId: exchange.requestId,
  };
}
