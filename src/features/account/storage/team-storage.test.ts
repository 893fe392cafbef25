/** TEAM_STORAGE_MB at every door. One team has used its 2 MiB, the other has not. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openImapDialogue } from '../../../testing/clients/imap-dialogue.ts';
import { openJmapClient, type JmapClient } from '../../../testing/clients/jmap-client.ts';
import { sendVendorRequest, vendorRequests } from '../../../testing/clients/vendor-requests.ts';
import { addDomain } from '../../../testing/factories.ts';
import { rawMail, startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';
import { openDialogue } from '../../../testing/smtp-dialogue.ts';

const MIB = 1024 * 1024;
let world: MailWorld;
let box: { id: string; address: string };
let theirs: { id: string; address: string };
let password: string;
let jmap: JmapClient;
let formUrl: string;

beforeAll(async () => {
  world = await startMailWorld({
    doors: ['http', 'smtp', 'imap', 'worker'],
    env: { TEAM_STORAGE_MB: '2' },
  });
  const { team, other } = world;
  box = await world.freshMailbox();
  password = (await team.call('POST', `/mailboxes/${box.id}/app-passwords`, { name: 'x' })).body.password;
  jmap = await openJmapClient(world);
  const { body: book } = await team.call('POST', '/contactBooks', { name: 'x' });
  formUrl = (await team.call('POST', '/forms', { name: 'Join', contactBookId: book.id })).body.url;
  await addDomain(world.server.db, other.teamId, 'theirs.test');
  theirs = (await other.call('POST', '/mailboxes', { address: 'ada@theirs.test' })).body;
});
afterAll(() => world.close());

/** 700 kB of lines that do not compress well. */
function largeText(): string {
  return randomBytes(525_000).toString('base64').replaceAll(/.{76}/g, '$&\r\n');
}

const mail = { from: 'a@harbour.test', to: 'b@example.com', subject: 'x', text: 'x' };

async function noticesOfStorage(): Promise<{ message: string }[]> {
  const { body } = await world.team.call('GET', '/notices');
  return body.items.filter(({ kind }: { kind: string }) => kind === 'storage');
}

test('the storage of a team is shown, and from 80 % on there is a notice', async () => {
  await world.receive(box, { text: largeText() });
  expect(await noticesOfStorage()).toEqual([]);
  await world.receive(box, { text: largeText() });
  const draft = { to: ['b@example.com'], subject: 'x', text: largeText().slice(0, 400_000) };
  expect((await world.team.call('POST', `/mailboxes/${box.id}/drafts`, draft)).status).toBe(200);
  await expect.poll(noticesOfStorage).toHaveLength(1);
  expect((await noticesOfStorage())[0]!.message).toMatch(/^Your team uses \d\d % of its storage\.$/);
  const { body } = await world.team.call('GET', '/team');
  expect(body.storage.limitBytes).toBe(2 * MIB);
  expect(body.storage.usedBytes).toBeGreaterThan(1.6 * MIB);
});

test('what does not fit is rejected before it is stored, and smaller requests still pass', async () => {
  const { status, body } = await world.team.call('POST', '/emails', { ...mail, text: largeText() });
  expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
  expect(body.error.message).toMatch(/^Your team uses 1\.\d of its 2 MiB of storage, so this does not fit\./);
  expect((await world.team.call('POST', '/emails', mail)).status).toBe(200);
});

test('a team over its limit gets 400 for new data, in our API and in those of other vendors', async () => {
  const key = { 'idempotency-key': 'before' };
  expect((await world.team.call('POST', '/emails', mail, key)).status).toBe(200);
  await world.receive(box, { text: largeText() });
  for (const [path, input] of [
    ['/emails', mail],
    ['/emails/batch', [mail]],
    ['/contactBooks', { name: 'x' }],
    ['/templates', { name: 'x', subject: 'x', html: 'x' }],
  ] as const)
    expect((await world.team.call('POST', path, input)).status, path).toBe(400);
  for (const [vendor, request] of Object.entries(vendorRequests(world.team.key, 'harbour.test'))) {
    const { status, body } = await sendVendorRequest(world.server, request);
    expect(status, vendor).toBeGreaterThanOrEqual(400);
    expect(status, vendor).toBeLessThan(500);
    expect(JSON.stringify(body), vendor).toContain('MiB of storage');
  }
  const again = await world.team.call('POST', '/emails', mail, key);
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
  await expect
    .poll(noticesOfStorage)
    .toMatchObject([{ message: expect.stringMatching(/^Your team has used all of its storage\./) }]);
});

test('other teams are not affected', async () => {
  expect((await world.other.call('POST', '/contactBooks', { name: 'x' })).status).toBe(200);
});

test('mail for its mailboxes is deferred with 452 4.2.2, and mail for those of other teams is not', async () => {
  const { rcpt, data } = await world.write([box.address, theirs.address], rawMail());
  expect(rcpt[0]).toMatch(/^452 4\.2\.2 This mailbox is full/);
  expect(rcpt[1]).toMatch(/^250/);
  expect(data).toMatch(/^250/);
});

test('submission defers its email with 452 4.2.2', async () => {
  const dialogue = await openDialogue(world.server.submissionPort);
  await dialogue.say('EHLO x.example');
  await dialogue.say(`AUTH PLAIN ${Buffer.from(`\0x\0${world.team.key}`).toString('base64')}`);
  expect(await dialogue.say('MAIL FROM:<a@harbour.test>')).toMatch(/^250/);
  expect(await dialogue.say('RCPT TO:<b@example.com>')).toMatch(/^250/);
  expect(await dialogue.say('DATA')).toMatch(/^354/);
  const reply = await dialogue.say('From: a@harbour.test\r\nSubject: x\r\n\r\nx\r\n.');
  expect(reply).toMatch(/^452 4\.2\.2 Your team uses/);
  dialogue.drop();
});

test('IMAP rejects APPEND and COPY with OVERQUOTA, and reads and deletes', async () => {
  const imap = await openImapDialogue(world.server.imapPort);
  await imap.say(`LOGIN ${box.address} ${password}`);
  await imap.say('SELECT INBOX');
  expect(await imap.say('APPEND INBOX {5+}\r\na: b\n')).toMatch(/NO \[OVERQUOTA\] Your team uses/);
  expect(await imap.say('COPY 1 Archive')).toMatch(/NO \[OVERQUOTA\]/);
  expect(await imap.say('FETCH 1 (FLAGS)')).toMatch(/OK/);
  expect(await imap.say('STORE 1 +FLAGS (\\Deleted)')).toMatch(/OK/);
  expect(await imap.say('EXPUNGE')).toMatch(/\* 1 EXPUNGE/);
  imap.drop();
});

test('JMAP rejects new messages with overQuota, and uploads with 400', async () => {
  const { notCreated } = await jmap.call('Email/set', {
    create: { k1: { mailboxIds: { drafts: true }, subject: 'x', from: [{ email: jmap.address }] } },
  });
  expect(notCreated.k1.type).toBe('overQuota');
  const upload = await fetch(`${world.server.url}/jmap/upload/${jmap.accountId}`, {
    method: 'POST',
    headers: { authorization: jmap.authorization },
    body: 'x',
  });
  expect(upload.status).toBe(400);
});

test('a sign-up form says that it cannot be used, and not why', async () => {
  const response = await fetch(`${world.server.url}${new URL(formUrl).pathname}`, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams({ email: 'ada@example.com' }),
  });
  expect(response.status).toBe(503);
  expect(await response.text()).not.toContain('storage');
});

test('IMAP shows the storage of the team as a quota of every folder', async () => {
  const imap = await openImapDialogue(world.server.imapPort);
  expect(await imap.say(`LOGIN ${box.address} ${password}`)).toMatch(/^OK/);
  expect(await imap.say('CAPABILITY')).toContain(' QUOTA=RES-STORAGE');
  const quota = /\* QUOTA "team" \(STORAGE (\d+) 2048\)/;
  const ofFolder = await imap.say('GETQUOTAROOT INBOX');
  expect(ofFolder).toContain('* QUOTAROOT INBOX "team"');
  expect(Number(quota.exec(ofFolder)?.[1]) * 1024).toBeGreaterThan(1.6 * MIB);
  expect(await imap.say('GETQUOTA team')).toMatch(quota);
  expect(await imap.say('GETQUOTA other')).toMatch(/^NO \[NONEXISTENT\]/);
  imap.drop();
});

test('after deleting, a new count lets the team store again', async () => {
  for (const thread of await world.threads(box.id)) {
    await world.team.call('PATCH', `/threads/${thread.id}`, { folder: 'trash' });
    expect((await world.team.call('DELETE', `/threads/${thread.id}`)).status).toBe(200);
  }
  // A count that began before the deletion may end only now, so each attempt makes the next count due.
  const send = async () => {
    await sql`update team_storage set counted_at = now() - interval '1 hour'`.execute(world.server.db);
    return (await world.team.call('POST', '/emails', mail)).status;
  };
  await expect.poll(send, { timeout: 30_000, interval: 500 }).toBe(200);
  const { body } = await world.team.call('GET', '/team');
  expect(body.storage.usedBytes).toBeLessThan(1.5 * MIB);
  expect(body.storage.countedAt).not.toBeNull();
  expect(await noticesOfStorage()).toEqual([]);
});
