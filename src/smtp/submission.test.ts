import { sql } from 'kysely';
import { randomBytes, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'node:net';
import nodemailer from 'nodemailer';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApiKey } from '../features/identity/api-keys/api-keys.ts';
import { start } from '../main.ts';
import { createLog } from '../platform/log.ts';
import { openDialogue, type Dialogue } from '../testing/smtp-dialogue.ts';
import { addVerifiedDomain, startRelayWorld, type RelayWorld } from '../testing/fixtures/relay-world.ts';
import { startTestServer, type TestServer, type TestTeam } from '../testing/test-server.ts';

let world: RelayWorld;
let sink: RelayWorld['sink'];
let server: TestServer;
let team: TestTeam;
let domainId: number;

beforeAll(async () => {
  world = await startRelayWorld({
    doors: ['http', 'smtp', 'worker'],
    env: { MAIL_HOST: 'mx.posthorn.example' },
  });
  ({ sink, server } = world);
  team = await server.createTeam();
  domainId = (await addVerifiedDomain(server, team, 'shop.test')).id;
});
afterAll(() => world.close());
beforeEach(() => sink.reset());

function mailer(pass = team.key, options: object = {}) {
  return nodemailer.createTransport({
    host: '127.0.0.1',
    port: server.submissionPort,
    ignoreTLS: true,
    auth: { user: 'anyone', pass },
    ...options,
  });
}

const MESSAGE = {
  from: 'Shop <hello@shop.test>',
  to: 'ada@example.org',
  subject: 'Order',
  text: 'On its way',
};

function idIn(response: string): string {
  return /^250 2\.6\.0 .*(eml_[0-9a-z]{26})/.exec(response)![1]!;
}

async function get(emailId: string) {
  return (await team.call('GET', `/emails/${emailId}`)).body;
}

/** Messages of the previous test may still arrive, so each test finds its own by their Message-ID. */
function copies() {
  return sink.messages.filter(({ data }) => data.includes('<mine@shop.test>'));
}

async function countEmails(): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from emails`.execute(server.db);
  return rows[0]!.n;
}

/** Opens an authenticated session without TLS. */
async function login(key = team.key): Promise<Dialogue> {
  const dialogue = await openDialogue(server.submissionPort);
  await dialogue.say('EHLO me.test');
  const token = Buffer.from(`\0anyone\0${key}`).toString('base64');
  expect(await dialogue.say(`AUTH PLAIN ${token}`)).toBe('235 2.7.0 Authentication successful');
  return dialogue;
}

async function begin(dialogue: Dialogue, recipient = 'ada@example.org'): Promise<void> {
  expect(await dialogue.say('MAIL FROM:<anything@else.test>')).toMatch(/^250 2\.1\.0/);
  expect(await dialogue.say(`RCPT TO:<${recipient}>`)).toMatch(/^250 2\.1\.5/);
  expect(await dialogue.say('DATA')).toMatch(/^354/);
}

test('a message can be submitted with TLS from the first byte', async () => {
  const tls = {
    port: server.submissionsPort,
    secure: true,
    ignoreTLS: false,
    tls: { rejectUnauthorized: false },
  };
  const { response } = await mailer(team.key, tls).sendMail(MESSAGE);
  expect((await get(idIn(response))).subject).toBe('Order');
  await expect(mailer('wrong', tls).sendMail(MESSAGE)).rejects.toMatchObject({ responseCode: 535 });
});

describe('a message', () => {
  test('is delivered unchanged to all envelope recipients, without its Bcc field', async () => {
    const file = randomBytes(5_000);
    const info = await mailer().sendMail({
      ...MESSAGE,
      to: 'Ada <ada@example.org>',
      cc: 'cc@example.org',
      bcc: 'secret@example.org',
      replyTo: 'Help <help@shop.test>',
      subject: 'Grüße 📯',
      html: '<p>Hello <b>you</b></p>',
      headers: { 'X-Order': '4711', 'List-Unsubscribe': '<https://shop.test/u>' },
      attachments: [{ filename: 'rechnung.bin', content: file }],
      messageId: '<mine@shop.test>',
    });
    const id = idIn(info.response);
    await expect
      .poll(() =>
        copies()
          .map(({ recipients }) => recipients[0])
          .toSorted(),
      )
      .toEqual(['ada@example.org', 'cc@example.org', 'secret@example.org']);
    const raw = copies()[0]!.data;
    expect(raw.toString()).not.toContain('secret@example.org');
    const parsed = await PostalMime.parse(raw);
    expect(parsed).toMatchObject({
      subject: 'Grüße 📯',
      messageId: '<mine@shop.test>',
      cc: [{ address: 'cc@example.org' }],
    });
    expect(parsed.headers.find(({ key }) => key === 'x-order')?.value).toBe('4711');
    expect(Buffer.from(parsed.attachments[0]!.content as ArrayBuffer).equals(file)).toBe(true);
    await expect.poll(async () => (await get(id)).status).toBe('DELIVERED');
    expect(await get(id)).toMatchObject({
      from: 'Shop <hello@shop.test>',
      to: ['Ada <ada@example.org>'],
      cc: ['cc@example.org'],
      bcc: ['secret@example.org'],
      replyTo: ['Help <help@shop.test>'],
      subject: 'Grüße 📯',
      domainId,
    });
    const statuses = (await get(id)).emailEvents.map((event: { status: string }) => event.status);
    expect(statuses.toSorted()).toEqual(
      [...Array(3).fill('DELIVERED'), 'QUEUED', ...Array(3).fill('SENT')].toSorted(),
    );
  });

  test.each([
    ['UTF-8', Buffer.from('\uFEFFümlaut, 語 and 📯')],
    ['Latin-1', Buffer.from('ümlaut', 'latin1')],
    ['no encoding at all', Buffer.from([0x61, 0, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0xff, 0x5c, 0x78])],
  ])('keeps every byte of its body and header fields: %s', async (_name, words) => {
    const headers = 'from: <hello@shop.test>\r\nX-Odd:  two  spaces \r\nSUBJECT: =?utf-8?q?caf=C3=A9?=\r\n';
    const body = `..dots\r\n.\t\r\n  blanks  \r\n\r\n\r\n${words.toString('latin1')}\r\n`;
    const dialogue = await login();
    await begin(dialogue);
    dialogue.write(Buffer.from(`${headers}\r\n${body.replaceAll(/^\./gm, '..')}.\r\n`, 'latin1'));
    const id = idIn(await dialogue.hear());
    await sink.waitForMessages(1);
    const sent = sink.messages[0]!.data.toString('latin1');
    expect(sent.endsWith(`${headers}\r\n${body}`)).toBe(true);
    expect(sent).toMatch(/^Date: /m);
    expect(sent).toContain(`Message-ID: <${id}@shop.test>`);
    expect(await get(id)).toMatchObject({ subject: 'café', to: [], bcc: ['ada@example.org'] });
    dialogue.drop();
  });

  test('to a suppressed address is accepted and not delivered', async () => {
    await team.call('POST', '/suppressions', { email: 'gone@example.org' });
    const { response } = await mailer().sendMail({ ...MESSAGE, to: 'gone@example.org' });
    expect((await get(idIn(response))).status).toBe('SUPPRESSED');
  });

  test('can be submitted over TLS with a self-signed certificate that is stored', async () => {
    const ca = readFileSync(join(server.config.dataDir, 'tls.pem'), 'utf8');
    expect(new X509Certificate(ca).checkHost('mx.posthorn.example')).toBe('mx.posthorn.example');
    const tls = { ca: ca.slice(ca.indexOf('-----BEGIN CERT')), servername: 'mx.posthorn.example' };
    const { response } = await mailer(team.key, { ignoreTLS: false, requireTLS: true, tls }).sendMail(
      MESSAGE,
    );
    expect(response).toMatch(/^250/);
  });
});

describe('authorization', () => {
  test('a wrong key or no key is refused', async () => {
    await expect(mailer('ph_wrong').sendMail(MESSAGE)).rejects.toMatchObject({ responseCode: 535 });
    const dialogue = await openDialogue(server.submissionPort);
    const offer = await dialogue.say('EHLO me.test');
    expect(offer).toContain('AUTH PLAIN LOGIN');
    expect(offer).toContain('STARTTLS');
    expect(offer).toContain('SIZE 26214400');
    expect(await dialogue.say('MAIL FROM:<hello@shop.test>')).toMatch(/^530 5\.7\.0/);
    const wrong = `AUTH PLAIN ${Buffer.from('\0u\0nope').toString('base64')}`;
    expect(await dialogue.say(wrong)).toMatch(/^535 5\.7\.8/);
    expect(await dialogue.say(wrong)).toMatch(/^535 5\.7\.8/);
    expect(await dialogue.say(wrong)).toMatch(/^421/);
  });

  test('a key that is revoked during a session cannot send any more', async () => {
    const { id, key } = await createApiKey(server.db, team.teamId, { name: 'SMTP', permission: 'sending' });
    const dialogue = await login(key);
    await begin(dialogue);
    dialogue.write('From: hello@shop.test\r\n\r\nfirst\r\n.\r\n');
    expect(await dialogue.hear()).toMatch(/^250/);
    await begin(dialogue);
    expect((await team.call('DELETE', `/api-keys/${id}`)).status).toBe(200);
    const before = await countEmails();
    const headers = { authorization: `Bearer ${key}` };
    await expect.poll(async () => (await server.call('POST', '/emails', {}, headers)).status).toBe(401);
    dialogue.write('From: hello@shop.test\r\n\r\nsecond\r\n.\r\n');
    expect(await dialogue.hear()).toMatch(/^535 5\.7\.8/);
    expect(await dialogue.say('MAIL FROM:<hello@shop.test>')).toMatch(/^535 5\.7\.8/);
    expect(await countEmails()).toBe(before);
    await expect(mailer(key).sendMail(MESSAGE)).rejects.toMatchObject({ responseCode: 535 });
    dialogue.drop();
  });

  test.each([
    ['another domain', 'From: hello@foreign.test'],
    ['no From', 'Subject: x'],
    ['two From fields', 'From: hello@shop.test\r\nFrom: eve@foreign.test'],
    ['two addresses', 'From: hello@shop.test, eve@foreign.test'],
    ['two addresses in brackets', 'From: <hello@shop.test> <eve@foreign.test>'],
    ['a name that looks like ours', 'From: "hello@shop.test" <eve@foreign.test>'],
    ['a From hidden behind a lone CR', 'From: hello@shop.test\r\nX: y\rFrom: eve@foreign.test'],
  ])('%s is refused', async (_what, header) => {
    const before = await countEmails();
    const dialogue = await login();
    await begin(dialogue);
    dialogue.write(`${header}\r\nTo: ada@example.org\r\n\r\nHello\r\n.\r\n`);
    expect(await dialogue.hear()).toMatch(/^550 5\.7\.1 /);
    expect(await countEmails()).toBe(before);
    dialogue.drop();
  });

  test('a bound key sends only from its domain, even if the team has others', async () => {
    await addVerifiedDomain(server, team, 'second.test');
    const { key } = await createApiKey(server.db, team.teamId, {
      name: 'B',
      permission: 'sending',
      domainId,
    });
    await mailer(key).sendMail(MESSAGE);
    await expect(mailer(key).sendMail({ ...MESSAGE, from: 'a@second.test' })).rejects.toMatchObject({
      responseCode: 550,
      response: expect.stringContaining('5.7.1'),
    });
  });
});

describe('invalid input', () => {
  test('a message that is too large is refused, with or without SIZE', async () => {
    const before = await countEmails();
    const dialogue = await login();
    expect(await dialogue.say('MAIL FROM:<a@shop.test> SIZE=26214401')).toMatch(/^552 5\.3\.4/);
    await begin(dialogue);
    dialogue.write('From: hello@shop.test\r\n\r\n');
    const line = `${'x'.repeat(998)}\r\n`.repeat(1024);
    for (let sent = 0; sent <= 25 * 1024 * 1024; sent += line.length) dialogue.write(line);
    dialogue.write('.\r\n');
    expect(await dialogue.hear()).toMatch(/^552 5\.3\.4/);
    expect(await dialogue.say('NOOP')).toMatch(/^250/);
    expect(await countEmails()).toBe(before);
    dialogue.drop();
  });

  test('a connection that is lost during a message stores nothing', async () => {
    const before = await countEmails();
    const dialogue = await login();
    await begin(dialogue);
    dialogue.write('From: hello@shop.test\r\nTo: ada@example.org\r\n\r\nHalf of it\r\n');
    await new Promise((resolve) => setTimeout(resolve, 100));
    dialogue.drop();
    await mailer().sendMail(MESSAGE);
    expect(await countEmails()).toBe(before + 1);
  });

  test.each([
    ['\\n.\\n', '\n.\n'],
    ['\\n.\\r\\n', '\n.\r\n'],
    ['\\r\\n.\\n', '\r\n.\n'],
    ['\\r.\\r', '\r.\r'],
    ['\\r\\n.\\r', '\r\n.\r'],
  ])('a second message smuggled after %s is treated as text', async (_name, end) => {
    const before = await countEmails();
    const dialogue = await login();
    const recipient = `r${before}@example.org`;
    await begin(dialogue, recipient);
    dialogue.write(
      `From: hello@shop.test\r\n\r\nHello${end}MAIL FROM:<a@shop.test>\r\nRCPT TO:<eve@example.org>\r\nDATA\r\n` +
        'From: ceo@shop.test\r\n\r\nPay\r\n.\r\n',
    );
    expect(await dialogue.hear()).toMatch(/^250/);
    expect(await dialogue.say('NOOP')).toBe('250 2.0.0 OK');
    expect(await countEmails()).toBe(before + 1);
    await expect.poll(() => sink.messages.some(({ recipients }) => recipients[0] === recipient)).toBe(true);
    const toUs = sink.messages.filter(({ recipients }) => recipients[0] === recipient);
    expect(toUs).toHaveLength(1);
    expect(sink.messages.some(({ recipients }) => recipients[0] === 'eve@example.org')).toBe(false);
    const sent = toUs[0]!.data.toString();
    expect(sent).toContain('RCPT TO:<eve@example.org>');
    expect(sent.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    dialogue.drop();
  });

  test('an unexpected error is a temporary reply that reveals no internals', async () => {
    const dialogue = await login();
    await begin(dialogue);
    await sql`alter table suppressions rename to gone`.execute(server.db);
    dialogue.write('From: hello@shop.test\r\n\r\nHello\r\n.\r\n');
    const reply = await dialogue.hear();
    await sql`alter table gone rename to suppressions`.execute(server.db);
    expect(reply).toMatch(/^451 4\.3\.0 /);
    expect(reply).not.toContain('suppressions');
    await begin(dialogue);
    dialogue.write('From: hello@shop.test\r\n\r\nHello\r\n.\r\n');
    expect(await dialogue.hear()).toMatch(/^250/);
    dialogue.drop();
  });

  test('the 101st recipient is deferred, and an invalid address is refused', async () => {
    const dialogue = await login();
    await dialogue.say('MAIL FROM:<>');
    expect(await dialogue.say('RCPT TO:<"quoted local"@example.org>')).toMatch(/^50[13]|^553/);
    for (let at = 0; at < 100; at += 1)
      expect(await dialogue.say(`RCPT TO:<u${at}@example.org>`)).toMatch(/^250/);
    expect(await dialogue.say('RCPT TO:<u100@example.org>')).toMatch(/^452 4\.5\.3/);
    dialogue.drop();
  });

  test('NUL bytes, wrong encodings and very long names in the header are accepted', async () => {
    const dialogue = await login();
    await begin(dialogue);
    const ids = `Message-ID: <${'x'.repeat(5_000)}@shop.test>`;
    dialogue.write(
      `From: Shop <hello@shop.test>\r\nSubject: a\0b =?utf-16?b?2AA=?=\r\n${ids}\r\nTo: ${'a@b.test, '.repeat(9_999)}\r\n\r\nx\r\n.\r\n`,
    );
    const id = idIn(await dialogue.hear());
    expect((await get(id)).subject).toMatch(/^a b /);
    dialogue.drop();
  });
});

test('closing the server finishes a message in transfer and closes idle connections at once', async () => {
  const own = await startTestServer({ doors: ['smtp'], databaseUrl: server.config.databaseUrl! });
  const busy = await openDialogue(own.submissionPort);
  await busy.say('EHLO me.test');
  await busy.say(`AUTH PLAIN ${Buffer.from(`\0u\0${team.key}`).toString('base64')}`);
  await begin(busy);
  busy.write('From: hello@shop.test\r\n\r\nHalf');
  const idle = await openDialogue(own.submissionPort);
  const closed = own.close();
  expect(await idle.hear()).toMatch(/^421/);
  busy.write(' and the rest\r\n.\r\n');
  expect(await busy.hear()).toMatch(/^250 2\.6\.0 Queued as eml_/);
  expect(await busy.hear()).toMatch(/^421/);
  await closed;
});

test('a port in use is an error at the start and leaves nothing running', async () => {
  const config = {
    ...server.config,
    port: 0,
    smtpPort: 0,
    submissionPort: server.submissionPort,
    submissionsPort: 0,
  };
  await expect(start(config, createLog('fatal'), ['http', 'smtp'])).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
});

test('the server starts although the default port of submission over TLS is in use', async () => {
  // Another test that runs a server with default ports may already use the port.
  const other = createServer();
  await new Promise((resolve) => other.on('error', resolve).listen(2465, '127.0.0.1', () => resolve(null)));
  const config = { ...server.config, port: 0, smtpPort: 0, submissionPort: 0, submissionsPort: null };
  const running = await start(config, createLog('fatal'), ['smtp']);
  if (other.listening) expect(running.submissionsPort).toBeNull();
  expect(running.submissionPort).toBeGreaterThan(0);
  await running.close();
  other.close();
});
