/** The settings of the OpenID Connect provider of the instance. */
import { optional, readIssuer, setting } from './read-setting.ts';

export const signOnSettings = {
  oidcIssuer: setting(
    'OIDC_ISSUER',
    'none',
    'The OpenID Connect provider with which everybody can sign in: its issuer identifier, such as https://login.example.com. Register BASE_URL/sso/callback as the redirect URI, and BASE_URL/sso/logout for back-channel logout. Teams can have providers of their own.',
    optional(readIssuer),
  ),
  oidcClientId: setting(
    'OIDC_CLIENT_ID',
    'none',
    'The client ID of this server at OIDC_ISSUER.',
    optional((text) => text),
  ),
  oidcClientSecret: setting(
    'OIDC_CLIENT_SECRET',
    'none',
    'The client secret of this server at OIDC_ISSUER.',
    optional((text) => text),
  ),
};

type Values = Record<'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret', string | null>;

export function readSignOn(
  { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret }: Values,
  problems: string[],
): { issuer: string; clientId: string; clientSecret: string } | null {
  if (issuer && clientId && clientSecret) return { issuer, clientId, clientSecret };
  if (issuer || clientId || clientSecret)
    problems.push('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set together');
  return null;
}
