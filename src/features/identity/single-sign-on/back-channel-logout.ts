/** Ends sessions when the provider says so (OpenID Connect Back-Channel Logout 1.0). */
import { createRemoteJWKSet, customFetch, jwtVerify, type JWTPayload } from 'jose';
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { badRequest } from '../../../platform/errors.ts';
import type { Facts } from '../../instance/facts.ts';
import { openProvider } from './begin-sign-on.ts';
import { fetcherOf } from './oidc-client.ts';
import type { Provider } from './providers.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const MAX_AGE_SECONDS = 300;

export async function endByProvider(db: Db, facts: Facts, provider: Provider, token: string): Promise<void> {
  const { sub, sid } = await readLogoutToken(facts, provider, token);
  const bySession = typeof sid === 'string' ? sid : null;
  if (sub === undefined && bySession === null) throw invalidToken('it names nobody');
  await sql`
    delete from sessions where issuer = ${provider.issuer}
      and (${sub ?? null}::text is null or subject = ${sub ?? null})
      and (${bySession}::text is null or provider_session = ${bySession})
      and (${provider.teamId}::integer is null or team_id = ${provider.teamId})`.execute(db);
}

async function readLogoutToken(facts: Facts, provider: Provider, token: string): Promise<JWTPayload> {
  const client = await openProvider(facts, provider);
  const { jwks_uri: keys } = client.serverMetadata();
  if (!keys) throw invalidToken('the provider publishes no keys');
  const keySet = keysAt(keys, facts, provider.teamId === null);
  let payload: JWTPayload;
  try {
    ({ payload } = await jwtVerify(token, keySet, {
      issuer: client.serverMetadata().issuer,
      audience: provider.clientId,
      maxTokenAge: MAX_AGE_SECONDS,
      requiredClaims: ['iat', 'jti', 'events'],
    }));
  } catch {
    throw invalidToken('its signature or its claims are wrong');
  }
  const { events } = payload;
  if (typeof events !== 'object' || events === null || !Object.hasOwn(events, EVENT))
    throw invalidToken('it is not about signing out');
  if (payload.nonce !== undefined) throw invalidToken('it has a nonce');
  return payload;
}

/** Kept, because a set fetches unknown keys twice a minute at most, whoever sends tokens. */
const kept = new Map<string, ReturnType<typeof createRemoteJWKSet>>();
const MAX_KEPT = 500;

function keysAt(url: string, facts: Facts, isOwn: boolean): ReturnType<typeof createRemoteJWKSet> {
  const name = JSON.stringify([url, isOwn]);
  const known = kept.get(name);
  if (known) return known;
  if (kept.size >= MAX_KEPT) kept.clear();
  const made = createRemoteJWKSet(new URL(url), {
    [customFetch]: fetcherOf(facts, isOwn) as typeof fetch,
  });
  kept.set(name, made);
  return made;
}

function invalidToken(reason: string) {
  return badRequest(`The logout_token is not valid: ${reason}.`);
}
