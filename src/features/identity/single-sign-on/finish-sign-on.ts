/** Reads the response of a provider, and signs the person in. */
import * as oidc from 'openid-client';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Visitor } from '../../api/caller.ts';
import type { Facts } from '../../instance/facts.ts';
import { beginSession, type NewSession } from '../people/sessions.ts';
import { openProvider, type SignOnState } from './begin-sign-on.ts';
import { linkIdentity, resolvePerson, type Claims } from './resolve-person.ts';
import { findProvider, redirectUri, type Provider } from './providers.ts';

/** Returns null if the identity was linked to the account of somebody who is signed in. */
export async function finishSignOn(
  db: Db,
  facts: Facts,
  state: SignOnState,
  search: string,
  visitor: Visitor,
): Promise<NewSession | null> {
  const provider = await findProvider(db, facts, state.teamId);
  if (!provider) throw new AppError('CONFLICT', 'Single sign-on was turned off meanwhile.');
  const claims = await readClaims(facts, provider, state, search);
  return inTransaction(db, async (trx) => {
    if (state.linkTo !== null) {
      await linkIdentity(trx, facts, { userId: state.linkTo, provider, claims, visitor });
      return null;
    }
    const { userUuid, teamId } = await resolvePerson(
      trx,
      { secret: facts.secret, visitor },
      provider,
      claims,
    );
    const { issuer } = provider;
    return beginSession(trx, facts.secret, teamId, userUuid, visitor, {
      identity: {
        issuer,
        subject: claims.subject,
        providerSession: claims.sessionId,
        onlyTeam: provider.teamId !== null,
      },
    });
  });
}

async function readClaims(
  facts: Facts,
  provider: Provider,
  { state, nonce, verifier }: SignOnState,
  search: string,
): Promise<Claims> {
  const client = await openProvider(facts, provider);
  const url = new URL(redirectUri(facts, provider.teamId) + search);
  try {
    const tokens = await oidc.authorizationCodeGrant(client, url, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const token = tokens.claims()!;
    const needsMore = token.email === undefined && client.serverMetadata().userinfo_endpoint !== undefined;
    const more = needsMore ? await oidc.fetchUserInfo(client, tokens.access_token, token.sub) : token;
    // What one says about an address must not count for an address that the other names.
    const { email, email_verified } = more;
    return toClaims(provider, { ...more, ...token, email, email_verified });
  } catch (error) {
    if (error instanceof AppError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError(
      'UNAUTHORIZED',
      `${new URL(provider.issuer).host} did not confirm who you are: ${reason}`,
    );
  }
}

function toClaims({ groupsClaim }: Provider, token: Record<string, unknown> & { sub: string }): Claims {
  const text = (name: string) => (typeof token[name] === 'string' ? token[name] : null);
  const groups = groupsClaim === null ? [] : [token[groupsClaim] ?? []].flat();
  return {
    subject: token.sub,
    email: text('email'),
    // Some providers send text.
    isVerified: token.email_verified === true || token.email_verified === 'true',
    name: text('name') ?? text('preferred_username'),
    groups: groups.filter((group): group is string => typeof group === 'string'),
    sessionId: text('sid'),
  };
}
