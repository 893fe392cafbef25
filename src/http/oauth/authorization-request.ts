/** Reads the request of a client for authorization (RFC 6749 section 4.1.1, with PKCE, RFC 8707 and RFC 9207). */
import { readScopes } from '../../features/identity/oauth/scopes.ts';
import type { FindClient, OauthClient } from '../../features/identity/oauth/clients.ts';
import { matchesRedirect } from '../../features/identity/oauth/redirects.ts';
import type { Scope } from '../../features/api/scopes.ts';
import type { Db } from '../../platform/database/database.ts';
import { badRequest } from '../../platform/errors.ts';
import { issuerOf, resourceOf } from './metadata.ts';

export interface AuthorizationRequest {
  client: OauthClient;
  redirectUri: string;
  state: string | undefined;
  scopes: Scope[];
  codeChallenge: string;
}

/** What a client did wrong that it learns by a redirect. */
export class RefusedRequest {
  readonly location: string;

  constructor(location: string) {
    this.location = location;
  }
}

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const MAX_STATE_LENGTH = 2_000;

/** Throws if there is no client or address to which an answer could be sent: the person then sees the error. */
export async function readAuthorizationRequest(
  { db, findClient, baseUrl }: { db: Db; findClient: FindClient; baseUrl: string },
  params: Record<string, string>,
): Promise<AuthorizationRequest | RefusedRequest> {
  const { client_id: clientId, redirect_uri: redirectUri, state, code_challenge: codeChallenge } = params;
  if (!clientId) throw badRequest('The application that sent you here has not said who it is.');
  const client = await findClient(db, clientId);
  const [only] = client.redirectUris.length === 1 ? client.redirectUris : [];
  const target = redirectUri ?? only;
  if (target === undefined || !matchesRedirect(client.redirectUris, target))
    throw badRequest(
      'The application that sent you here wants the answer at an address that is not its own.',
    );
  const refuse = (error: string, why: string) =>
    new RefusedRequest(answerUrl(baseUrl, target, { error, error_description: why, state }));
  if (state !== undefined && state.length > MAX_STATE_LENGTH)
    throw badRequest('The application that sent you here has sent a state that is too long.');
  if (params.response_type !== 'code') return refuse('unsupported_response_type', 'Only code is supported.');
  if (params.code_challenge_method !== 'S256' || !codeChallenge || !CHALLENGE.test(codeChallenge))
    return refuse('invalid_request', 'A code_challenge with the method S256 is required.');
  const { resource } = params;
  if (resource !== undefined && !isOwnResource(baseUrl, resource))
    return refuse('invalid_target', `The resource must be ${resourceOf(baseUrl)}.`);
  const scopes = readScopes(params.scope);
  if (scopes === null) return refuse('invalid_scope', `An API key is needed for: ${params.scope}`);
  return { client, redirectUri: target, state, scopes, codeChallenge };
}

export function isOwnResource(baseUrl: string, resource: string): boolean {
  return resource.replace(/\/$/, '') === resourceOf(baseUrl);
}

/** The redirect with which a client gets its answer. */
export function answerUrl(
  baseUrl: string,
  redirectUri: string,
  answer: Record<string, string | undefined>,
): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries({ ...answer, iss: issuerOf(baseUrl) })) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url.href;
}
