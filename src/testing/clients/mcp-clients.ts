/** Clients of the MCP door: those of its two SDKs, and one that sends single messages. */
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from '@modelcontextprotocol/client';
import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

export interface McpClient {
  version: string | undefined;
  tools(): Promise<Json[]>;
  /** Returns the structured result, and throws if the tool reports an error. */
  call(name: string, input?: object): Promise<Json>;
  /** Returns the whole result. */
  callWhole(name: string, input?: object): Promise<Json>;
  close(): Promise<void>;
}

const INFO = { name: 'test', version: '1' };

interface SdkClient {
  listTools(): Promise<{ tools: Json[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<Json>;
  close(): Promise<void>;
}

function wrap(client: SdkClient, version: string | undefined): McpClient {
  const callWhole = (name: string, input: object = {}) => client.callTool({ name, arguments: { ...input } });
  return {
    version,
    callWhole,
    async tools() {
      return (await client.listTools()).tools;
    },
    async call(name, input) {
      const result = await callWhole(name, input);
      if (result.isError) throw new Error(result.content[0].text);
      return result.structuredContent;
    },
    close: () => client.close(),
  };
}

/** The client of @modelcontextprotocol/client, which negotiates 2026-07-28. */
export async function connectNewClient(url: string, key: string): Promise<McpClient> {
  const client = new NewClient(INFO, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new NewTransport(new URL('/mcp', url), { authProvider: { token: async () => key } }));
  return wrap(client, client.getNegotiatedProtocolVersion());
}

/** The client of @modelcontextprotocol/sdk, which initializes with 2025-11-25. */
export async function connectOldClient(url: string, key: string): Promise<McpClient> {
  const client = new OldClient(INFO);
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  const transport = new OldTransport(new URL('/mcp', url), { requestInit });
  await client.connect(transport);
  return wrap(client, transport.protocolVersion);
}

/** Sends one message as it is. */
export function sendMessage(
  url: string,
  {
    key,
    body,
    headers = {},
    method = 'POST',
  }: { key?: string; body?: unknown; headers?: object; method?: string },
): Promise<Response> {
  return fetch(new URL('/mcp', url), {
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/**
 * Keeps everything in memory. `sentTo` is where the person would be sent. Without the URL of a metadata document the
 * client registers.
 */
export function createOauthProvider(
  redirect: string,
  clientMetadataUrl?: string,
): OAuthClientProvider & { sentTo: URL | undefined; clientId(): string } {
  const kept: Json = {};
  return {
    sentTo: undefined,
    clientId: () => kept.client.client_id,
    ...(clientMetadataUrl === undefined ? {} : { clientMetadataUrl }),
    redirectUrl: redirect,
    clientMetadata: { client_name: 'SDK', redirect_uris: [redirect], token_endpoint_auth_method: 'none' },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization(url) {
      this.sentTo = url;
    },
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier,
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (state) => void (kept.discovery = state),
  };
}
