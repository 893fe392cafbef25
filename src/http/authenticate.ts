/** Who is calling, by key or by session (401), and whether they may (403). */
import { isIP } from 'node:net';
import type { Keyring } from '../features/api-keys/keyring.ts';
import type { SessionRing } from '../features/people/session-ring.ts';
import { AppError } from '../platform/errors.ts';
import type { Facts } from '../platform/facts.ts';
import { isNearby } from '../platform/near-address.ts';
import { nameRoles, rolesOf, type CalledRoute, type Caller, type Visitor } from '../platform/route.ts';
import type { Exchange } from './exchange.ts';
import { refuseForeignOrigin } from './origin.ts';
import { readSessionToken } from './session-cookie.ts';

interface Tools {
  keyring: Keyring;
  sessionRing: SessionRing;
  facts: Facts;
}

/** An Authorization header decides alone, right or wrong; the cookie is looked at where there is none. */
export async function authenticate(tools: Tools, route: CalledRoute, exchange: Exchange): Promise<Caller> {
  const header = exchange.requestHeader('authorization');
  const token = header === undefined ? readSessionToken(exchange.requestHeader('cookie')) : undefined;
  const caller =
    token === undefined
      ? await identifyByKey(tools.keyring, header)
      : await tools.sessionRing.identify(token);
  if (!caller) throw new AppError('UNAUTHORIZED', explainStranger(route, header, token));
  exchange.caller = caller;
  if (token !== undefined) {
    exchange.sessionToken = token;
    // A browser sends the cookie whoever's page asks; a key is sent by those who mean it.
    if (route.method !== 'GET') refuseForeignOrigin(exchange, tools.facts.baseUrl);
  }
  return caller;
}

async function identifyByKey(keyring: Keyring, header: string | undefined): Promise<Caller | null> {
  const key = header === undefined ? undefined : /^bearer +(\S+) *$/i.exec(header)?.[1];
  return key === undefined ? null : keyring.identify(key);
}

function explainStranger(route: CalledRoute, header: string | undefined, token: string | undefined): string {
  if (header !== undefined) return 'The API key is not known, was revoked or has expired.';
  if (token !== undefined) return 'Your session has ended. Sign in again.';
  return route.permission === 'person'
    ? 'You are not signed in.'
    : 'This needs an API key: send the header Authorization: Bearer <key>.';
}

export function authorize(route: CalledRoute, caller: Caller): void {
  if (route.permission === 'person' && !caller.person) {
    throw new AppError('FORBIDDEN', 'This is for people who are signed in; an API key cannot do it.');
  }
  if (route.permission === 'full' && caller.permission !== 'full') {
    throw new AppError('FORBIDDEN', 'This needs an API key with full access; this one may only send.');
  }
  if (caller.domainId !== null && route.boundKeys !== 'kept-to-domain') {
    throw new AppError('FORBIDDEN', 'This API key is bound to one domain and does not work here.');
  }
  if (caller.person && !rolesOf(route).includes(caller.person.role)) {
    throw new AppError('FORBIDDEN', `Only ${nameRoles(rolesOf(route))} of the team may do this.`);
  }
}

/**
 * Where someone comes from. A proxy stands near, in the same machine or network, and adds to X-Forwarded-For whom
 * it talks to; from anywhere else that header is only what a stranger says of himself.
 */
export function readVisitor(exchange: Exchange): Visitor {
  const direct = exchange.incoming.socket.remoteAddress ?? '';
  const forwarded = isNearby(direct)
    ? exchange.requestHeader('x-forwarded-for')?.split(',').at(-1)?.trim()
    : undefined;
  return { ip: forwarded !== undefined && isIP(forwarded) !== 0 ? forwarded : direct };
}
