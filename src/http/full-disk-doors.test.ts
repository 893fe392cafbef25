/**
 * Every door that stores something rejects it while the disk is full. The routes come from the tables of the server, so a
 * new route is tested without a change: it must be listed here if it has to work on a full disk.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openImapDialogue, type ImapDialogue } from '../testing/clients/imap-dialogue.ts';
import { createJmapClient, type JmapClient } from '../testing/clients/jmap-client.ts';
import { rawMail, startMailWorld, writeTo, type MailWorld } from '../testing/mail-world.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';
import { apiRoutes } from './routes.ts';
import { DOORS } from './vendors/vendors.ts';

let world: MailWorld;
let full: TestServer;
let imap: ImapDialogue;
let jmap: JmapClient;

beforeAll(async () => {
  world = await startMailWorld({ doors: ['http', 'smtp'] });
  full = await startTestServer({
    databaseUrl: world.server.config.databaseUrl!,
    doors: ['http', 'smtp', 'imap', 'worker'],
    env: { MIN_FREE_DISK_MB: '1000000000' },
  });
  const box = await world.freshMailbox();
  await world.receive(box);
  const { body } = await world.team.call('POST', `/mailboxes/${box.id}/app-passwords`, { name: 'Test' });
  jmap = createJmapClient(full.url, { ...box, password: body.password });
  imap = await openImapDialogue(full.imapPort);
  await imap.say(`LOGIN ${box.address} ${body.password}`);
  await imap.say('SELECT INBOX');
});
afterAll(async () => {
  imap.drop();
  await full.close();
  await world.close();
});

/** These stop, undo or only compute something, or store a few bytes that people need in order to do so. */
const WORKS_WHEN_FULL = [
  'cancelEmail',
  'previewContent',
  'addSuppression',
  'updateThreads',
  'previewRule',
  'mergeThreads',
  'splitThread',
  'updateThread',
  'updateMessage',
  'setPresence',
  'mergeThreads',
  'splitThread',
  'previewRule',
  'fillSavedReply',
  'fillMessage',
  'updateTeam',
  'updateWebhook',
  'countFilter',
  'unscheduleCampaign',
  'pauseCampaign',
  'previewCampaign',
  'pauseAutomation',
  'closeAutomation',
  'cancelAutomationRun',
  'simulateAutomation',
];

const writing = apiRoutes.filter(
  ({ method, permission }) =>
    method !== 'GET' && method !== 'DELETE' && (permission === 'full' || permission === 'sending'),
);

test.each(writing.map(({ operationId, method, path }) => ({ operationId, method, path })))(
  '$operationId is 503 on a full disk, unless it is listed as working',
  async ({ operationId, method, path }) => {
    const url = `${full.url}/api${path.replaceAll(/\{[^}]+\}/g, 'x')}`;
    const headers = { authorization: `Bearer ${world.team.key}`, 'content-type': 'application/json' };
    const { status } = await fetch(url, { method, headers, body: '{}' });
    const works = WORKS_WHEN_FULL.includes(operationId) || path.startsWith('/v1/queue/');
    expect(status === 503).toBe(!works);
  },
);

test('every listed route exists', () => {
  const known = writing.map(({ operationId }) => operationId);
  expect(WORKS_WHEN_FULL.filter((operationId) => !known.includes(operationId))).toEqual([]);
});

const vendorRoutes = DOORS.flatMap(({ prefix, routes }) =>
  routes.flatMap(({ method, path, storesLittle }) =>
    method === 'GET' || method === 'DELETE' ? [] : [{ prefix, method, path, works: storesLittle ?? false }],
  ),
);

test.each(vendorRoutes)(
  '$method $prefix$path is 503 on a full disk',
  async ({ prefix, method, path, works }) => {
    const basic = `Basic ${Buffer.from(`api:${world.team.key}`).toString('base64')}`;
    const isBasic = /^\/v\d/.test(prefix);
    const headers = {
      authorization: isBasic ? basic : `Bearer ${world.team.key}`,
      'x-postmark-server-token': world.team.key,
      'x-postmark-account-token': world.team.key,
      'content-type': 'application/json',
    };
    const url = `${full.url}${prefix}${path.replaceAll(/\{[^}]+\}/g, 'x')}`;
    const { status } = await fetch(url, { method, headers, body: '{}' });
    expect(status === 503).toBe(!works);
  },
);

describe('IMAP', () => {
  test.each([
    'CREATE Receipts',
    'RENAME Archive Old',
    'SUBSCRIBE Archive',
    'STORE 1 +FLAGS (urgent)',
    'STORE 1 FLAGS (\\Seen urgent)',
  ])('%s is rejected', async (command) => {
    expect(await imap.say(command)).toMatch(/NO \[UNAVAILABLE\] The disk is full/);
  });

  test.each(['UNSUBSCRIBE Archive', 'STORE 1 +FLAGS (\\Seen)', 'STORE 1 -FLAGS (urgent)'])(
    '%s works',
    async (command) => {
      expect(await imap.say(command)).toMatch(/^OK/m);
    },
  );
});

describe('JMAP', () => {
  test.each([
    ['Mailbox/set', { create: { k: { name: 'Receipts' } } }],
    ['Mailbox/set', { update: { archive: { name: 'Old' } } }],
    ['Identity/set', { create: { k: { name: 'Ada', email: 'ada@harbour.test' } } }],
    ['VacationResponse/set', { update: { singleton: { isEnabled: true, textBody: 'Away' } } }],
    ['Email/set', { create: { k: { mailboxIds: { drafts: true }, subject: 'x' } } }],
    ['EmailSubmission/set', { create: { k: { emailId: 'x', identityId: 'x' } } }],
  ])('%s %j is rejected', async (method, args) => {
    const response = await jmap.call(method, { accountId: jmap.accountId, ...args });
    const failures = Object.values({ ...response.notCreated, ...response.notUpdated });
    expect(failures).toMatchObject([{ type: 'serverUnavailable' }]);
  });

  test('messages get labels no more, and can be moved to the trash; an automatic reply can be turned off', async () => {
    const { ids } = await jmap.call('Email/query', { accountId: jmap.accountId });
    const update = (patch: object) =>
      jmap.call('Email/set', { accountId: jmap.accountId, update: { [ids[0]]: patch } });
    expect((await update({ 'keywords/urgent': true })).notUpdated[ids[0]].type).toBe('serverUnavailable');
    expect((await update({ mailboxIds: { trash: true } })).notUpdated).toBeNull();
    const off = { singleton: { isEnabled: false } };
    const vacation = await jmap.call('VacationResponse/set', { accountId: jmap.accountId, update: off });
    expect(vacation.notUpdated).toBeNull();
  });
});

test('deliveries to the sandbox wait, and are made when there is space', async () => {
  const mail = { from: 'a@harbour.test', to: 'b@example.com', subject: 'x', text: 'x' };
  const { body } = await world.team.call('POST', '/emails', mail);
  const copies = async () => (await world.team.call('GET', '/sandbox/messages')).body.items.length;
  const status = async () => (await world.team.call('GET', `/emails/${body.emailId}`)).body.latestStatus;
  // A job of the same worker that was added later shows that the worker has passed the email over.
  const { body: domain } = await world.team.call('POST', '/domains', { name: 'later.test' });
  await world.team.call('PUT', `/domains/${domain.id}/verify`);
  const isVerified = async () => (await world.team.call('GET', `/domains/${domain.id}`)).body.status;
  await expect.poll(isVerified).toBe('SUCCESS');
  expect(await copies()).toBe(0);
  const roomy = await startTestServer({ databaseUrl: world.server.config.databaseUrl!, doors: ['worker'] });
  await expect.poll(copies).toBe(1);
  expect(await status()).not.toBe('QUEUED');
  await roomy.close();
});

test('a full disk of the database is 452 for received mail, and then for every door', async () => {
  const own = await startMailWorld({ doors: ['http', 'smtp'] });
  const box = await own.freshMailbox();
  await sql`
    create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file' using errcode = '53100'; end
    $$`.execute(own.server.db);
  await sql`create trigger refuse before insert on messages for each row execute function refuse()`.execute(
    own.server.db,
  );
  const { data } = await own.write(box.address, rawMail());
  expect(data).toMatch(/^452 4\.3\.1 The disk of the database is full/);
  await expect(writeTo(own.server.smtpPort, box.address, rawMail())).rejects.toThrow('452 4.3.1');
  expect((await own.team.call('POST', '/contactBooks', { name: 'x' })).status).toBe(503);
  await own.close();
});
