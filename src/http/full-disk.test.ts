/**
 * While less than MIN_FREE_DISK_MB is free, every door rejects what can grow. Reading, deleting and stopping things still
 * work. The data is made through a server without the limit on the same database.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordLines } from '../testing/record-lines.ts';
import { openImapDialogue } from '../testing/clients/imap-dialogue.ts';
import { sendVendorRequest, vendorRequests } from '../testing/clients/vendor-requests.ts';
import { rawMail, startMailWorld, writeTo, type MailWorld } from '../testing/mail-world.ts';
import { readMetrics } from '../testing/read-metrics.ts';
import { openDialogue } from '../testing/smtp-dialogue.ts';
import { createCall, startTestServer, type Call, type TestServer } from '../testing/test-server.ts';

let world: MailWorld;
let full: TestServer;
let call: Call;
const lines: string[] = [];

beforeAll(async () => {
  world = await startMailWorld({ doors: ['http', 'smtp'] });
  full = await startTestServer({
    databaseUrl: world.server.config.databaseUrl!,
    doors: ['http', 'smtp', 'imap'],
    env: { MIN_FREE_DISK_MB: '1000000000' },
    log: recordLines(lines),
  });
  call = createCall(full.url, world.team.key);
});
afterAll(async () => {
  await full.close();
  await world.close();
});

test('the health check, the metrics and the notices name the full disk', async () => {
  const health = await fetch(`${full.url}/healthz`);
  expect(health.status).toBe(503);
  expect(health.headers.get('retry-after')).toBe('60');
  expect(((await health.json()) as { error: { message: string } }).error.message).toMatch(
    /^The disk is full: \d+ MiB are free, and MIN_FREE_DISK_MB is 1000000000\./,
  );
  const metrics = await readMetrics(`${full.url}/metrics`);
  expect(metrics.get('posthorn_disk_full')).toBe(1);
  expect(metrics.get('posthorn_disk_free_bytes')).toBeGreaterThan(0);
  const { body } = await call('GET', '/notices');
  expect(body.items).toMatchObject([
    { kind: 'disk', message: expect.stringMatching(/The disk of the server is full/) },
  ]);
});

test('requests that store something are 503, in our API and in those of other vendors', async () => {
  const book = await world.team.call('POST', '/contactBooks', { name: 'Made before' });
  const contacts = `/contactBooks/${book.body.id}/contacts`;
  const mail = { from: 'a@harbour.test', to: 'b@example.com', subject: 'x', text: 'x' };
  const refused: [string, string, unknown][] = [
    ['POST', '/emails', mail],
    ['POST', '/emails/batch', [mail]],
    ['POST', '/contactBooks', { name: 'x' }],
    ['POST', contacts, { email: 'ada@example.com' }],
    ['POST', `${contacts}/bulk`, [{ email: 'ada@example.com' }]],
    ['PATCH', `/contactBooks/${book.body.id}`, { name: 'y' }],
    ['POST', '/templates', { name: 'x', subject: 'x', html: 'x' }],
    ['POST', '/domains', { name: 'more.test' }],
  ];
  for (const [method, path, body] of refused) {
    const answer = await call(method, path, body);
    expect([answer.status, answer.headers.get('retry-after')], path).toEqual([503, '60']);
  }
  const csv = await call('POST', `/contactBooks/${book.body.id}/imports`, 'email\na@example.com\n', {
    'content-type': 'text/csv',
  });
  expect(csv.status).toBe(503);
  for (const [vendor, request] of Object.entries(vendorRequests(world.team.key, 'harbour.test'))) {
    const answer = await sendVendorRequest(full, request);
    expect([answer.status, answer.body], vendor).toEqual([503, request.error]);
  }
  expect((await createCall(full.url, 'ph_wrong')('POST', '/emails', mail)).status).toBe(401);
});

test('reading, deleting, erasing and suppressing still work', async () => {
  const book = await world.team.call('POST', '/contactBooks', { name: 'Goes' });
  expect((await call('GET', '/contactBooks')).status).toBe(200);
  expect((await call('DELETE', `/contactBooks/${book.body.id}`)).status).toBe(200);
  expect((await call('POST', '/suppressions', { email: 'no@example.com' })).status).toBe(200);
  expect((await call('DELETE', '/contacts?email=ada@example.com')).status).toBe(200);
});

test('a sign-up form rejects submissions and is still shown', async () => {
  const book = await world.team.call('POST', '/contactBooks', { name: 'Forms' });
  const form = await world.team.call('POST', '/forms', { name: 'Join', contactBookId: book.body.id });
  const url = `${full.url}${new URL(form.body.url).pathname}`;
  expect((await fetch(url)).status).toBe(200);
  const body = new URLSearchParams({ email: 'ada@example.com' });
  expect((await fetch(url, { method: 'POST', body })).status).toBe(503);
});

describe('mail', () => {
  test('both SMTP ports defer mail with 452', async () => {
    await expect(writeTo(full.smtpPort, 'ada@harbour.test', rawMail())).rejects.toThrow('452 4.3.1');
    const dialogue = await openDialogue(full.submissionPort);
    await dialogue.say('EHLO x.example');
    await dialogue.say(`AUTH PLAIN ${Buffer.from(`\0x\0${world.team.key}`).toString('base64')}`);
    expect(await dialogue.say('MAIL FROM:<a@harbour.test>')).toMatch(/^452 4\.3\.1/);
    dialogue.drop();
  });

  test('IMAP rejects APPEND and COPY, and expunges', async () => {
    const box = await world.freshMailbox();
    await world.receive(box);
    const { body } = await world.team.call('POST', `/mailboxes/${box.id}/app-passwords`, { name: 'Test' });
    const imap = await openImapDialogue(full.imapPort);
    expect(await imap.say(`LOGIN ${box.address} ${body.password}`)).toMatch(/^OK|OK /m);
    await imap.say('SELECT INBOX');
    expect(await imap.say('COPY 1 Archive')).toMatch(/NO \[UNAVAILABLE\] The disk is full/);
    expect(await imap.say('APPEND INBOX {5+}\r\na: b\n')).toMatch(/NO \[UNAVAILABLE\] The disk is full/);
    expect(await imap.say('STORE 1 +FLAGS (\\Deleted)')).toMatch(/OK/);
    expect(await imap.say('EXPUNGE')).toMatch(/\* 1 EXPUNGE/);
    imap.drop();
  });
});

test('the log has one line about the full disk, however many requests it has rejected', () => {
  expect(lines.filter((line) => line.startsWith('disk:'))).toEqual(['disk: full, so that nothing is stored']);
  expect(lines.filter((line) => line.includes('is full:'))).toEqual([]);
});

test('when the database reports a full disk, further writes are rejected without asking it', async () => {
  const server = await startTestServer();
  const team = await server.createTeam();
  await sql`
    create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file' using errcode = '53100'; end
    $$`.execute(server.db);
  await sql`create trigger refuse before insert on contact_books for each row execute function refuse()`.execute(
    server.db,
  );
  expect((await team.call('POST', '/templates', { name: 'x', subject: 'x', html: 'x' })).status).toBe(200);
  const first = await team.call('POST', '/contactBooks', { name: 'x' });
  expect([first.status, first.body.error.message]).toEqual([
    503,
    'The disk of the database is full. Try again later.',
  ]);
  const next = await team.call('POST', '/templates', { name: 'y', subject: 'y', html: 'y' });
  expect([next.status, next.body.error.message]).toEqual([
    503,
    'The disk of the database is full. Try again later.',
  ]);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(503);
  expect((await team.call('GET', '/templates')).status).toBe(200);
  await server.close();
});
