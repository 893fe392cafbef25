/** Talks to OpenID Connect providers. What discovery returned is kept for some minutes. */
import * as oidc from 'openid-client';
import { Agent, fetch as fetchWith } from 'undici';
import { createConnector } from '../../instance/connector.ts';
import type { Facts } from '../../instance/facts.ts';
import { isPrivateHost } from '../../../platform/network/public-address.ts';
import type { ClientSettings } from './providers.ts';

const TIMEOUT_SECONDS = 10;
const MAX_RESPONSE_BYTES = 1024 * 1024;
const KEPT_MS = 10 * 60_000;
const FAILURE_KEPT_MS = 10_000;
const MAX_KEPT = 500;

interface Kept {
  client: Promise<oidc.Configuration>;
  untilMs: number;
}

const kept = new Map<string, Kept>();

/**
 * `isOwn` is true for the provider of the instance, which the operator chose. A provider that a team named is reached at
 * public addresses only, like webhooks. Plain HTTP is for providers on a private network.
 */
export function openClient(
  facts: Facts,
  { issuer, clientId, clientSecret }: ClientSettings,
  isOwn: boolean,
): Promise<oidc.Configuration> {
  const key = JSON.stringify([issuer, clientId, clientSecret, isOwn]);
  const known = kept.get(key);
  if (known && known.untilMs > performance.now()) return known.client;
  if (kept.size >= MAX_KEPT) kept.clear();
  const client = discover(facts, { issuer, clientId, clientSecret }, isOwn);
  const entry = { client, untilMs: performance.now() + KEPT_MS };
  kept.set(key, entry);
  client.catch(() => (entry.untilMs = performance.now() + FAILURE_KEPT_MS));
  return client;
}

export function fetcherOf(facts: Facts, isOwn: boolean): oidc.CustomFetch {
  const limits = {
    maxResponseSize: MAX_RESPONSE_BYTES,
    headersTimeout: TIMEOUT_SECONDS * 1_000,
    bodyTimeout: TIMEOUT_SECONDS * 1_000,
  };
  const dispatcher = isOwn
    ? new Agent(limits)
    : new Agent({ ...limits, connect: createConnector(facts.dns, facts.webhookAllowPrivate) });
  return (url, options) => fetchWith(url, { ...options, dispatcher });
}

async function discover(
  facts: Facts,
  { issuer, clientId, clientSecret }: ClientSettings,
  isOwn: boolean,
): Promise<oidc.Configuration> {
  const url = new URL(issuer);
  const mayBePlain = url.protocol === 'http:' && (isOwn || facts.webhookAllowPrivate) && isLocal(url);
  const execute = mayBePlain ? [oidc.allowInsecureRequests] : [];
  const customFetch = fetcherOf(facts, isOwn);
  const found = await oidc.discovery(url, clientId, clientSecret, undefined, {
    [oidc.customFetch]: customFetch,
    timeout: TIMEOUT_SECONDS,
    execute,
  });
  const server = found.serverMetadata();
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const authenticate = methods.includes('client_secret_basic')
    ? oidc.ClientSecretBasic(clientSecret)
    : oidc.ClientSecretPost(clientSecret);
  const client = new oidc.Configuration(server, clientId, { client_secret: clientSecret }, authenticate);
  client[oidc.customFetch] = customFetch;
  client.timeout = TIMEOUT_SECONDS;
  for (const step of execute) step(client);
  oidc.enableNonRepudiationChecks(client);
  return client;
}

function isLocal({ hostname }: URL): boolean {
  return hostname === 'localhost' || isPrivateHost(hostname);
}
