import { createHash, randomBytes } from 'node:crypto';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { consent, type Choice } from '../../testing/clients/consent.ts';
import { createOauthProvider, sendMessage } from '../../testing/clients/mcp-clients.ts';
import { addPerson, setUpOwner, type TestPerson } from '../../testing/people.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { addDomain } from '../../testing/factories.ts';
import { freePorts } from '../../testing/servers/free-ports.ts';

// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

const REDIRECT = 'http://127.0.0.1:4711/callback';

let server: TestServer;
let owner: TestPerson;
let member: TestPerson;

beforeAll(async () => {
  const [port] = await freePorts(1);
  server = await startTestServer({ httpPort: port!, env: { BASE_URL: `http://127.0.0.1:${port}` } });
  owner = await setUpOwner(server);
  member = await addPerson(server, owner, 'member');
  const { body } = await owner.call('GET', '/team');
  await addDomain(server.db, body.id, 'harbour.test');
});
afterAll(() => server.close());

async function post(path: string, form: Record<string, string>): Promise<{ status: number; body: Json }> {
  const response = await fetch(server.url + path, { method: 'POST', body: new URLSearchParams(form) });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

async function register(input: object = {}): Promise<string> {
  const body = JSON.stringify({ client_name: 'Helper <b>', redirect_uris: [REDIRECT], ...input });
  const response = await fetch(`${server.url}/oauth/register`, { method: 'POST', body });
  const answer = (await response.json()) as Json;
  expect([response.status, answer.token_endpoint_auth_method]).toEqual([201, 'none']);
  return answer.client_id;
}

type Decision = Choice & { person?: TestPerson };

const decide = (url: URL, { person = owner, ...choice }: Decision = {}) =>
  consent(url, person.cookie, choice);

function authorizeUrl(clientId: string, challenge: string, more: Record<string, string> = {}): URL {
  const url = new URL('/oauth/authorize', server.url);
  const params = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    resource: `${server.url}/mcp`,
    state: 'x y',
    ...more,
  };
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return url;
}

function newVerifier(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

interface Granted {
  clientId: string;
  access: string;
  refresh: string;
  code: string;
  exchange: Record<string, string>;
}

async function grant(choice: Decision = {}, more: Record<string, string> = {}): Promise<Granted> {
  const clientId = await register();
  const { verifier, challenge } = newVerifier();
  const answer = await decide(authorizeUrl(clientId, challenge, more), choice);
  expect(answer.status).toBe(303);
  const { searchParams } = new URL(answer.headers.get('location')!);
  expect([searchParams.get('iss'), searchParams.get('state')]).toEqual([server.url, 'x y']);
  const code = searchParams.get('code')!;
  const exchange = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, client_id: clientId };
  const proven = { ...exchange, code_verifier: verifier };
  const { status, body } = await post('/oauth/token', proven);
  expect([status, body.token_type, body.expires_in]).toEqual([200, 'Bearer', 3_600]);
  return { clientId, access: body.access_token, refresh: body.refresh_token, code, exchange: proven };
}

async function listTools(token: string): Promise<{ status: number; names: string[] }> {
  const response = await sendMessage(server.url, {
    key: token,
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  });
  const { result } = (await response.json()) as Json;
  return { status: response.status, names: (result?.tools ?? []).map(({ name }: { name: string }) => name) };
}

async function callTool(token: string, name: string, input: object = {}): Promise<Json> {
  const params = { name, arguments: input };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  return ((await (await sendMessage(server.url, { key: token, body })).json()) as Json).result;
}

async function lastRevoked(): Promise<Json> {
  return (await owner.call('GET', '/audit?action=api-key.revoked&limit=1')).body.items[0];
}

describe('the clients of the SDKs', () => {
  test('find everything out by themselves and get in', async () => {
    const provider = createOauthProvider(REDIRECT);
    const url = new URL('/mcp', server.url);
    const first = new StreamableHTTPClientTransport(url, { authProvider: provider });
    const stranger = new Client({ name: 'x', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await expect(stranger.connect(first)).rejects.toThrow(UnauthorizedError);
    const answer = await decide(provider.sentTo!);
    await first.finishAuth(new URL(answer.headers.get('location')!).searchParams);
    const client = new Client({ name: 'x', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider: provider }));
    expect((await client.listTools()).tools.length).toBeGreaterThan(20);
    await client.close();
  });

  test('of the older line as well', async () => {
    const provider = createOauthProvider(REDIRECT);
    const url = new URL('/mcp', server.url);
    const first = new OldTransport(url, { authProvider: provider });
    await expect(new OldClient({ name: 'x', version: '1' }).connect(first)).rejects.toThrow();
    const answer = await decide(provider.sentTo!);
    await first.finishAuth(new URL(answer.headers.get('location')!).searchParams.get('code')!);
    const client = new OldClient({ name: 'x', version: '1' });
    await client.connect(new OldTransport(url, { authProvider: provider }));
    expect((await client.listTools()).tools.length).toBeGreaterThan(20);
    await client.close();
  });
});

describe('consent', () => {
  test('needs a session, and shows who asks, escaped', async () => {
    const url = authorizeUrl(await register(), newVerifier().challenge);
    const stranger = await fetch(url, { redirect: 'manual' });
    expect(stranger.status).toBe(303);
    expect(stranger.headers.get('location')).toMatch(/^\/sign-in\?next=%2Foauth%2Fauthorize%3F/);
    const html = await (await fetch(url, { headers: { cookie: owner.cookie } })).text();
    expect(html).toContain('Helper &lt;b&gt;');
    expect(html).toContain('this computer');
    expect(html).not.toContain('mail.delete');
  });

  test('can be denied', async () => {
    const url = authorizeUrl(await register(), newVerifier().challenge);
    const answer = await decide(url, { decision: 'deny' });
    const { searchParams } = new URL(answer.headers.get('location')!);
    expect(searchParams.get('error')).toBe('access_denied');
    expect(searchParams.get('code')).toBeNull();
  });

  test('counts only from our own page, for the same request and session', async () => {
    const url = authorizeUrl(await register(), newVerifier().challenge);
    const other = await register();
    const forged: Decision[] = [
      { headers: { origin: 'https://evil.test' } },
      { change: (form) => form.set('proof', 'x') },
      { change: (form) => form.set('client_id', other) },
      { change: (form) => form.set('code_challenge', newVerifier().challenge) },
      { headers: { cookie: member.cookie } },
    ];
    for (const choice of forged) expect((await decide(url, choice)).status).toBe(403);
  });

  test('goes only where the client has said, without PKCE nowhere', async () => {
    const clientId = await register({ redirect_uris: [REDIRECT, 'https://app.test/cb'] });
    const { challenge } = newVerifier();
    const open = (more: Record<string, string>) =>
      fetch(authorizeUrl(clientId, challenge, more), {
        headers: { cookie: owner.cookie },
        redirect: 'manual',
      });
    for (const redirect_uri of [
      'https://app.test/cb/',
      'https://app.test/cb?x=1',
      'https://app.test.evil.test/cb',
      'http://127.0.0.1:4711/other',
      'javascript:alert(1)',
    ])
      expect((await open({ redirect_uri })).status).toBe(400);
    expect((await open({ redirect_uri: 'http://127.0.0.1:5000/callback' })).status).toBe(200);
    const refused: [Record<string, string>, string][] = [
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge: 'short' }, 'invalid_request'],
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ resource: 'https://elsewhere.test/mcp' }, 'invalid_target'],
      [{ scope: 'keys.manage mail.delete' }, 'invalid_scope'],
    ];
    for (const [more, error] of refused) {
      const answer = await open(more);
      expect(answer.status).toBe(303);
      expect(new URL(answer.headers.get('location')!).searchParams.get('error')).toBe(error);
    }
    for (const client_id of ['mcp_nobody', 'https://127.0.0.1/client.json', 'https://client.invalid/c.json'])
      expect((await open({ client_id })).status).toBe(400);
  });
});

describe('tokens', () => {
  test('work at the MCP door alone, with the scopes that were chosen', async () => {
    const { access } = await grant({ scopes: ['mail.read', 'domains.read'] });
    expect((await listTools(access)).names).toEqual(
      expect.arrayContaining(['search_threads', 'domain_health']),
    );
    expect((await listTools(access)).names).not.toContain('send_email');
    const { status } = await server.call('GET', '/mailboxes', undefined, {
      authorization: `Bearer ${access}`,
    });
    expect(status).toBe(401);
  });

  test('need the verifier, the client and the redirect of the request', async () => {
    const clientId = await register();
    const { verifier, challenge } = newVerifier();
    const answer = await decide(authorizeUrl(clientId, challenge));
    const code = new URL(answer.headers.get('location')!).searchParams.get('code')!;
    const right = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT,
      client_id: clientId,
      code_verifier: verifier,
    };
    const wrong = {
      code_verifier: newVerifier().verifier,
      client_id: await register(),
      redirect_uri: 'https://a.test',
    };
    for (const [name, value] of Object.entries(wrong))
      expect(await post('/oauth/token', { ...right, [name]: value })).toMatchObject({
        status: 400,
        body: { error: 'invalid_grant' },
      });
    expect((await post('/oauth/token', { ...right, grant_type: 'password' })).body.error).toBe(
      'unsupported_grant_type',
    );
    expect((await post('/oauth/token', { ...right, resource: 'https://a.test' })).body.error).toBe(
      'invalid_target',
    );
    // OAuth 2.1 clients need not repeat the redirect.
    const { redirect_uri: _, ...short } = right;
    expect((await post('/oauth/token', short)).status).toBe(200);
  });

  test('end when a code is used twice', async () => {
    const { access, exchange } = await grant();
    expect((await post('/oauth/token', exchange)).body.error).toBe('invalid_grant');
    await expect.poll(async () => (await listTools(access)).status).toBe(401);
    expect(await lastRevoked()).toMatchObject({ after: { reason: 'a code was used twice' } });
  });

  test('are refreshed, and end when a refresh token is used twice', async () => {
    const { clientId, refresh } = await grant();
    const again = { grant_type: 'refresh_token', refresh_token: refresh, client_id: clientId };
    const other = { ...again, client_id: await register() };
    expect((await post('/oauth/token', other)).body.error).toBe('invalid_grant');
    const { body } = await post('/oauth/token', again);
    expect((await listTools(body.access_token)).status).toBe(200);
    expect((await post('/oauth/token', again)).body.error).toBe('invalid_grant');
    await expect.poll(async () => (await listTools(body.access_token)).status).toBe(401);
  });

  test('end when they are revoked, by the client or beside the API keys', async () => {
    const first = await grant();
    expect((await post('/oauth/revoke', { token: first.refresh })).status).toBe(200);
    expect((await post('/oauth/revoke', { token: 'nothing' })).status).toBe(200);
    await expect.poll(async () => (await listTools(first.access)).status).toBe(401);
    const entry = await lastRevoked();
    expect(entry).toMatchObject({
      actor: { kind: 'key', name: 'Helper <b>' },
      after: { reason: 'by the application' },
    });
    expect(entry.target).toBe(entry.actor.id);
    const second = await grant();
    const { items } = (await owner.call('GET', '/api-keys')).body;
    const key = items.find(({ client }: { client: string }) => client === second.clientId);
    expect(key).toMatchObject({ kind: 'agent', name: 'Helper <b>', policyId: expect.any(String) });
    expect((await owner.call('POST', `/api-keys/${key.id}/rotate`, {})).status).toBe(404);
    expect((await owner.call('DELETE', `/api-keys/${key.id}`)).status).toBe(200);
    await expect.poll(async () => (await listTools(second.access)).status).toBe(401);
    const { audit } = { audit: (await owner.call('GET', '/audit?action=api-key.created')).body.items };
    expect(audit.some(({ target }: { target: string }) => target === key.id)).toBe(true);
  });

  test('reach no more than the person, now and later', async () => {
    const make = async (local: string, access: object) => {
      const { body } = await owner.call('POST', '/mailboxes', { address: `${local}@harbour.test` });
      expect((await owner.call('PUT', `/mailboxes/${body.id}/access`, access)).status).toBe(200);
      return body.id as string;
    };
    const closed = await make('closed', { mode: 'listed', people: [{ user_id: owner.id, role: 'manage' }] });
    const read = await make('read', {
      mode: 'listed',
      people: [
        { user_id: owner.id, role: 'manage' },
        { user_id: member.id, role: 'read' },
      ],
    });
    const { access } = await grant({ person: member, mailboxes: [read] });
    const { mailboxes } = (await callTool(access, 'list_mailboxes')).structuredContent;
    expect(mailboxes).toMatchObject([{ id: read, role: 'read' }]);
    const draft = await callTool(access, 'create_draft', { mailbox_id: read, text: 'x' });
    expect(JSON.parse(draft.content[0].text).error.code).toBe('FORBIDDEN');
    const forged = authorizeUrl(await register(), newVerifier().challenge);
    expect((await decide(forged, { person: member, mailboxes: [closed] })).status).toBe(400);
    const people = [{ user_id: owner.id, role: 'manage' }];
    await owner.call('PUT', `/mailboxes/${read}/access`, { mode: 'listed', people });
    expect((await callTool(access, 'list_mailboxes')).structuredContent.mailboxes).toEqual([]);
    await owner.call('DELETE', `/members/${member.id}`);
    await expect.poll(async () => (await listTools(access)).status).toBe(401);
  });
});

test('unused registrations and old tokens are deleted', async () => {
  const clientId = await register();
  await sql`update oauth_clients set created_at = now() - interval '2 days' where id = ${clientId}`.execute(
    server.db,
  );
  const { expireOauth } = await import('../../features/identity/oauth/grants.ts');
  expect(await expireOauth(server.db)).toBeGreaterThan(0);
  const left = await server.db.selectFrom('oauth_clients').select('id').where('id', '=', clientId).execute();
  expect(left).toEqual([]);
});

async function tryToRegister(redirect_uris: string[]): Promise<{ status: number; body: Json }> {
  const body = JSON.stringify({ redirect_uris });
  const response = await fetch(`${server.url}/oauth/register`, { method: 'POST', body });
  return { status: response.status, body: await response.json() };
}

test('registration refuses addresses that are not safe, and too many clients', async () => {
  const unsafe = [
    'http://example.org/cb',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://a.test/#x',
    'x',
  ];
  for (const uri of unsafe)
    expect(await tryToRegister([uri])).toMatchObject({
      status: 400,
      body: { error: 'invalid_redirect_uri' },
    });
  for (let tries = 0; tries < 25; tries += 1) await tryToRegister([REDIRECT]);
  expect((await tryToRegister([REDIRECT])).status).toBe(429);
});
