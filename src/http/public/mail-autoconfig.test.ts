import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({
    env: {
      MAIL_HOST: 'mail.harbour.test',
      BASE_URL: 'https://mail.harbour.test',
      PUBLIC_MAIL_PORTS: 'imap=143, imaps=993,submission=587,submissions=465',
    },
  });
});
afterAll(() => server.close());

async function get(path: string, init?: RequestInit) {
  const response = await fetch(`${server.url}${path}`, init);
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

test.each(['/.well-known/autoconfig/mail/config-v1.1.xml', '/mail/config-v1.1.xml'])(
  '%s tells Thunderbird the servers',
  async (path) => {
    const { status, type, text } = await get(`${path}?emailaddress=ada%40harbour.test`);
    expect({ status, type }).toEqual({ status: 200, type: 'text/xml; charset=UTF-8' });
    expect(text).toContain('<emailProvider id="harbour.test">');
    expect(text.replaceAll(/\s+/g, '')).toContain(
      '<incomingServertype="imap"><hostname>mail.harbour.test</hostname><port>993</port><socketType>SSL</socketType>' +
        '<authentication>password-cleartext</authentication><username>%EMAILADDRESS%</username></incomingServer>',
    );
    expect(text).toMatch(
      /<outgoingServer type="smtp">\s*<hostname>mail.harbour.test<\/hostname>\s*<port>465</,
    );
    expect((await get(path)).text).toContain('<domain>mail.harbour.test</domain>');
    expect((await get(`${path}?emailaddress=%22%3E%3Cx%40y`)).text).not.toContain('<x');
    expect((await get(path, { method: 'POST' })).status).toBe(405);
  },
);

test.each([
  '/autodiscover/autodiscover.xml',
  '/Autodiscover/Autodiscover.xml',
  '/AutoDiscover/autodiscover.xml',
])('%s tells Outlook the servers', async (path) => {
  const body = `<?xml version="1.0"?><Autodiscover><Request><EMailAddress>ada@harbour.test</EMailAddress></Request></Autodiscover>`;
  const { status, text } = await get(path, { method: 'POST', body });
  expect(status).toBe(200);
  const flat = text.replaceAll(/\s+/g, '');
  expect(flat).toContain('<Type>IMAP</Type><Server>mail.harbour.test</Server><Port>993</Port>');
  expect(flat).toContain('<Type>SMTP</Type><Server>mail.harbour.test</Server><Port>465</Port>');
  expect(text).toContain('<LoginName>ada@harbour.test</LoginName>');
  expect((await get(path, { method: 'POST', body: 'x'.repeat(100_000) })).status).toBe(413);
});

test('a domain shows SRV records, apart from the records that it must have', async () => {
  const team = await server.createTeam();
  const { body } = await team.call('POST', '/domains', { name: 'in.harbour.test' });
  expect(body.dnsRecords).toHaveLength(6);
  expect(body.serviceRecords).toEqual(
    [
      ['_imaps._tcp.in', '0 1 993 mail.harbour.test'],
      ['_imap._tcp.in', '0 1 143 mail.harbour.test'],
      ['_submissions._tcp.in', '0 1 465 mail.harbour.test'],
      ['_submission._tcp.in', '0 1 587 mail.harbour.test'],
      ['_jmap._tcp.in', '0 1 443 mail.harbour.test'],
    ].map(([name, value]) => ({ type: 'SRV', name, value, ttl: 'Auto' })),
  );
});

test('a mailbox shows its settings, also as a profile for Apple devices', async () => {
  const team = await server.createTeam();
  const { body: domain } = await team.call('POST', '/domains', { name: 'quay.test' });
  await team.call('PUT', `/domains/${domain.id}/verify`);
  const input = { address: 'ada@quay.test', name: 'Ada & <Co>' };
  await expect.poll(async () => (await team.call('POST', '/mailboxes', input)).status).not.toBe(400);
  const [box] = (await team.call('GET', '/mailboxes')).body.items;
  const { body } = await team.call('GET', `/mailboxes/${box.id}/mail-settings`);
  expect(body).toEqual({
    user: 'ada@quay.test',
    imap: [
      { host: 'mail.harbour.test', port: 993, security: 'TLS' },
      { host: 'mail.harbour.test', port: 143, security: 'STARTTLS' },
    ],
    smtp: [
      { host: 'mail.harbour.test', port: 465, security: 'TLS' },
      { host: 'mail.harbour.test', port: 587, security: 'STARTTLS' },
    ],
    jmap: 'https://mail.harbour.test/.well-known/jmap',
  });
  const profile = await team.call('GET', `/mailboxes/${box.id}/apple-profile`);
  expect(profile.headers.get('content-type')).toContain('application/x-apple-aspen-config');
  expect(profile.headers.get('content-disposition')).toContain('ada@quay.test.mobileconfig');
  expect(profile.body).toContain('<string>Ada &amp; &lt;Co&gt;</string>');
  const other = await server.createTeam();
  expect((await other.call('GET', `/mailboxes/${box.id}/mail-settings`)).status).toBe(404);
});
