/** Under which hosts an instance is served, through raw sockets, because clients set Host themselves. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDomain } from '../testing/factories.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({
    env: {
      BASE_URL: 'https://mail.shop.example',
      MAIL_HOST: 'mx.shop.example',
      ALLOWED_HOSTS: 'posthorn, old.shop.example',
    },
  });
  await addDomain(server.db, (await server.createTeam()).teamId, 'harbour.test');
});
afterAll(() => server.close());

/** Sends the lines as a request and returns the whole response. */
async function say(lines: string[], { url } = server): Promise<{ status: number; body: string }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`);
  await once(socket, 'close');
  return { status: Number(text.split(' ', 2)[1]), body: text.slice(text.indexOf('\r\n\r\n') + 4) };
}

async function statusUnder(host: string, path = '/api/v1/openapi.json'): Promise<number> {
  return (await say([`HEAD ${path} HTTP/1.1`, `Host: ${host}`])).status;
}

test('a request for an unknown host gets 421 and a sentence that names the setting', async () => {
  const { status, body } = await say(['GET /api/v1/openapi.json HTTP/1.1', 'Host: evil.example']);
  expect([status, JSON.parse(body)]).toEqual([
    421,
    {
      error: {
        code: 'BAD_REQUEST',
        message:
          'This server is not known as "evil.example". Use the host of BASE_URL, or add this one to ALLOWED_HOSTS.',
      },
    },
  ]);
});

test.each([
  ['the host of BASE_URL', 'mail.shop.example'],
  ['the host of MAIL_HOST', 'mx.shop.example'],
  ['a host of ALLOWED_HOSTS', 'old.shop.example'],
  ['a name without a dot of ALLOWED_HOSTS', 'posthorn:3000'],
  ['another port', 'mail.shop.example:8443'],
  ['an empty port', 'mail.shop.example:'],
  ['upper case', 'MAIL.Shop.Example'],
  ['a dot at the end', 'mail.shop.example.:443'],
  ['localhost', 'localhost:3000'],
  ['a name below localhost', 'posthorn.localhost'],
  ['an IPv4 address', '192.168.1.20:3000'],
  ['an IPv6 address', '[2001:db8::1]:3000'],
  ['an IPv6 address without a port', '[::1]'],
])('%s is served', async (_name, host) => {
  expect(await statusUnder(host)).toBe(200);
});

test.each([
  ['a name below that of BASE_URL', 'x.mail.shop.example'],
  ['the domain of BASE_URL', 'shop.example'],
  ['a name that ends like a known one', 'evilmail.shop.example'],
  ['a known name in front of another', 'mail.shop.example.evil.example'],
  ['a name that begins with an address', '127.0.0.1.evil.example'],
  ['two dots at the end', 'mail.shop.example..'],
  ['a name without a dot', 'nas'],
  ['a domain of a team', 'harbour.test'],
  ['an empty name', ''],
])('%s gets 421', async (_name, host) => {
  expect(await statusUnder(host)).toBe(421);
});

test.each([
  ['two ports', 'mail.shop.example:1:2'],
  ['a port that is no number', 'mail.shop.example:x'],
  ['brackets around a name', '[mail.shop.example]'],
  ['an open bracket', '[::1'],
  ['two hosts in one', 'mail.shop.example,evil.example'],
])('%s gets 400', async (_name, host) => {
  expect(await statusUnder(host)).toBe(400);
});

test('the host of a target in absolute form is checked as well', async () => {
  const path = '/api/v1/openapi.json';
  expect(await statusUnder('mail.shop.example', `http://mail.shop.example${path}`)).toBe(200);
  expect(await statusUnder('mail.shop.example', `http://[::1]:3000${path}`)).toBe(200);
  expect(await statusUnder('mail.shop.example', `http://evil.example${path}`)).toBe(421);
  expect(await statusUnder('evil.example', `http://mail.shop.example${path}`)).toBe(421);
});

test('X-Forwarded-Host neither allows nor rejects a request', async () => {
  const head = 'HEAD /api/v1/openapi.json HTTP/1.1';
  const foreign = await say([head, 'Host: evil.example', 'X-Forwarded-Host: mail.shop.example']);
  expect(foreign.status).toBe(421);
  const own = await say([head, 'Host: mail.shop.example', 'X-Forwarded-Host: evil.example']);
  expect(own.status).toBe(200);
});

test('requests without a Host header are 400, except those of HTTP/1.0, which need none', async () => {
  expect((await say(['HEAD /api/v1/openapi.json HTTP/1.1'])).status).toBe(400);
  expect((await say(['HEAD /api/v1/openapi.json HTTP/1.0'])).status).toBe(200);
  expect((await say(['HEAD / HTTP/1.1', 'Host: mail.shop.example', 'Host: evil.example'])).status).toBe(400);
});

test.each([
  '/',
  '/api/v1/contactBooks',
  '/resend/emails',
  '/v3/harbour.test/messages',
  '/jmap/api',
  '/t/o/x',
  '/t/c/x',
  '/f/x',
  '/metrics',
])('%s gets 421 under an unknown host', async (path) => {
  expect(await statusUnder('evil.example', path)).toBe(421);
});

test('the health check is served under any host', async () => {
  expect(await statusUnder('pod-7.internal', '/healthz')).toBe(200);
  expect((await say(['HEAD http://pod-7.internal/healthz HTTP/1.1', 'Host: pod-7'])).status).toBe(200);
});

test.each([
  '/.well-known/autoconfig/mail/config-v1.1.xml',
  '/mail/config-v1.1.xml',
  '/Autodiscover/Autodiscover.xml',
])('%s is served under the domains of the teams, and under no others', async (path) => {
  for (const host of ['harbour.test', 'autoconfig.harbour.test', 'AutoDiscover.harbour.test:443'])
    expect(await statusUnder(host, path), host).toBe(200);
  for (const host of ['evil.example', 'autoconfig.evil.example', 'mail.harbour.test'])
    expect(await statusUnder(host, path), host).toBe(421);
});

test.each([
  ['without BASE_URL', {}],
  ['with ALLOWED_HOSTS=*', { BASE_URL: 'https://mail.shop.example', ALLOWED_HOSTS: '*' }],
])('%s every host is served', async (_name, env) => {
  const other = await startTestServer({ env });
  const { status } = await say(['HEAD /api/v1/openapi.json HTTP/1.1', 'Host: nas:3000'], other);
  expect(status).toBe(200);
  await other.close();
});
