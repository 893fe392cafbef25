/**
 * Clients whose ID is the URL of a metadata document. The server fetches it over https, so the program runs in a process
 * of its own that trusts the certificate of the client's site.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeSelfSigned } from '../../platform/certificates/self-signed.ts';
import { consent } from '../../testing/clients/consent.ts';
import { createOauthProvider } from '../../testing/clients/mcp-clients.ts';
import { startDnsServer, type DnsServer } from '../../testing/dns-server.ts';
import { setUpOwner, type TestPerson } from '../../testing/people.ts';
import { startPosthorn, type PosthornProcess } from '../../testing/posthorn-process.ts';
import { freePorts } from '../../testing/servers/free-ports.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

const HOST = 'client.test';
const REDIRECT = 'http://127.0.0.1:4711/callback';

let server: TestServer;
let owner: TestPerson;
let dns: DnsServer;
let folder: string;
let site: Server;
let sitePort: number;
let posthorn: PosthornProcess;
let url: string;
/** What the site of the client answers with, by path. */
const documents = new Map<string, object>();
const asked: string[] = [];

beforeAll(async () => {
  server = await startTestServer();
  owner = await setUpOwner(server);
  dns = await startDnsServer({ [HOST]: { A: ['127.0.0.1'] } });
  folder = mkdtempSync(join(tmpdir(), 'posthorn-oauth-'));
  const { cert, key } = makeSelfSigned(HOST, new Date());
  writeFileSync(join(folder, 'site.pem'), cert);
  const ports = await freePorts(2);
  sitePort = ports[0]!;
  site = createServer({ cert, key }, (request, response) => {
    asked.push(request.url!);
    const found = documents.get(request.url!);
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? {}));
  }).listen(sitePort, '127.0.0.1');
  url = `http://127.0.0.1:${ports[1]}`;
  posthorn = startPosthorn(['serve', '--doors', 'http'], {
    DATABASE_URL: server.config.databaseUrl!,
    DATA_DIR: server.config.dataDir,
    BASE_URL: url,
    PORT: String(ports[1]),
    DNS_SERVERS: dns.address,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    NODE_EXTRA_CA_CERTS: join(folder, 'site.pem'),
  });
  await posthorn.says('Posthorn is running');
}, 60_000);
afterAll(async () => {
  posthorn.child.kill('SIGTERM');
  await posthorn.ended;
  site.close();
  await dns.close();
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Publishes a document, and returns the ID of the client. */
function publish(path: string, changes: object = {}): string {
  const id = `https://${HOST}:${sitePort}${path}`;
  documents.set(path, {
    client_id: id,
    client_name: 'Desk assistant',
    client_uri: `https://${HOST}`,
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    ...changes,
  });
  return id;
}

function openConsent(clientId: string): Promise<Response> {
  const page = new URL('/oauth/authorize', url);
  const params = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(params)) page.searchParams.set(name, value);
  return fetch(page, { headers: { cookie: owner.cookie }, redirect: 'manual' });
}

test('the client of the SDK gets in with the document of its site, and registers nowhere', async () => {
  const id = publish('/client.json');
  const provider = createOauthProvider(REDIRECT, id);
  const mcp = new URL('/mcp', url);
  const first = new StreamableHTTPClientTransport(mcp, { authProvider: provider });
  const mode = { versionNegotiation: { mode: 'auto' } } as const;
  await expect(new Client({ name: 'x', version: '1' }, mode).connect(first)).rejects.toThrow();
  expect(provider.clientId()).toBe(id);
  expect(provider.sentTo!.searchParams.get('client_id')).toBe(id);
  const html = await (await fetch(provider.sentTo!, { headers: { cookie: owner.cookie } })).text();
  expect(html).toContain('Desk assistant');
  expect(html).toContain(HOST);
  const answer = await consent(provider.sentTo!, owner.cookie);
  await first.finishAuth(new URL(answer.headers.get('location')!).searchParams);
  const client = new Client({ name: 'x', version: '1' }, mode);
  await client.connect(new StreamableHTTPClientTransport(mcp, { authProvider: provider }));
  expect((await client.listTools()).tools.length).toBeGreaterThan(20);
  await client.close();
  expect(asked).toEqual(['/client.json']);
  expect(await server.db.selectFrom('oauth_clients').select('id').execute()).toEqual([]);
});

test.each<[string, object]>([
  ['that names another client', { client_id: 'https://other.test/client.json' }],
  ['without an address for the answer', { redirect_uris: [] }],
  ['with an address that is not safe', { redirect_uris: ['http://example.org/cb'] }],
  ['of a client that has a secret', { token_endpoint_auth_method: 'client_secret_basic' }],
  ['that is too large', { padding: 'x'.repeat(6_000) }],
])('a document %s is refused', async (_name, changes) => {
  const id = publish(`/${Object.keys(changes)[0]}.json`, changes);
  const answer = await openConsent(id);
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain('cannot be used');
});
