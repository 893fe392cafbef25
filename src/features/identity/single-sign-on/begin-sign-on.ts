/** Sends a browser to a provider. What must come back is in an encrypted cookie of the browser. */
import * as oidc from 'openid-client';
import { z } from 'zod';
import { createSecretBox } from '../../../platform/crypto.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Facts } from '../../instance/facts.ts';
import { openClient } from './oidc-client.ts';
import { redirectUri, type Provider } from './providers.ts';

export const STATE_SECONDS = 600;

const stateSchema = z.object({
  teamId: z.int().nullable(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** The user who links the identity to their account. Null: somebody signs in. */
  linkTo: z.string().nullable(),
  expiresAt: z.number(),
});
export type SignOnState = z.infer<typeof stateSchema>;

const SCOPE = 'openid email profile';

export async function beginSignOn(
  facts: Facts,
  provider: Provider,
  { email, linkTo }: { email: string | null; linkTo: string | null },
): Promise<{ url: string; cookie: string }> {
  const client = await openProvider(facts, provider);
  const state: SignOnState = {
    teamId: provider.teamId,
    state: oidc.randomState(),
    nonce: oidc.randomNonce(),
    verifier: oidc.randomPKCECodeVerifier(),
    linkTo,
    expiresAt: Date.now() + STATE_SECONDS * 1_000,
  };
  const url = oidc.buildAuthorizationUrl(client, {
    redirect_uri: redirectUri(facts, provider.teamId),
    scope: SCOPE,
    state: state.state,
    nonce: state.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(state.verifier),
    code_challenge_method: 'S256',
    ...(email === null ? {} : { login_hint: email }),
  });
  return { url: url.href, cookie: seal(facts, state) };
}

export async function openProvider(facts: Facts, provider: Provider): Promise<oidc.Configuration> {
  try {
    return await openClient(facts, provider, provider.teamId === null);
  } catch (error) {
    throw new AppError(
      'UNAVAILABLE',
      `${new URL(provider.issuer).host} cannot be reached, so nobody can sign in with it now. Try again, or sign in with your password.`,
      { cause: error },
    );
  }
}

function seal({ secret }: Facts, state: SignOnState): string {
  return stateBox(secret)
    .encrypt(Buffer.from(JSON.stringify(state)))
    .toString('base64url');
}

/** Returns null if the cookie is missing, not ours, or too old. */
export function readState({ secret }: Facts, cookie: string | undefined): SignOnState | null {
  if (cookie === undefined) return null;
  try {
    const plain = stateBox(secret).decrypt(Buffer.from(cookie, 'base64url'));
    const state = stateSchema.parse(JSON.parse(plain.toString('utf8')));
    return state.expiresAt > Date.now() ? state : null;
  } catch {
    return null;
  }
}

function stateBox(secret: Buffer) {
  return createSecretBox(secret, 'state of single sign-on');
}
