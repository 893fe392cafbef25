/** Urgent mail overtakes bulk mail of every kind, even when bulk mail has stalled. */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { inTransaction } from '../../platform/database/database.ts';
import { countWaiting } from '../../testing/count-waiting.ts';
import { setUpOwner, type TestPerson } from '../../testing/people.ts';
import { SILENCE } from '../../testing/smtp-sink/smtp-sink-behaviour.ts';
import { startSmtpSink, type SmtpSink } from '../../testing/smtp-sink.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let sink: SmtpSink;
let owner: TestPerson;

beforeAll(async () => {
  sink = await startSmtpSink();
  server = await startTestServer({
    doors: ['http', 'worker'],
    env: { MAIL_TRANSPORT: 'relay', RELAY_URL: `smtp://127.0.0.1:${sink.port}` },
  });
  owner = await setUpOwner(server);
  await owner.call('POST', '/domains', { name: 'shop.test' });
  await sql`update domains set held = true, status = 'SUCCESS'`.execute(server.db);
});
beforeEach(async () => {
  await sql`update emails set status = 'CANCELLED' where status = 'SCHEDULED'`.execute(server.db);
  await sql`delete from deliveries`.execute(server.db);
  await sql`delete from sign_in_failures`.execute(server.db);
  sink.reset();
});
// Cuts silent connections, because the worker waits for them when it closes.
afterEach(() => sink.reset());
afterAll(async () => {
  await server.close();
  await sink.close();
});

const MANY = 120;
let signUps = 0;
const bulkContacts = Array.from({ length: MANY }, (_, at) => ({ email: `bulk${at}@example.org` }));

/** The relay never replies to the recipients of the bulk mail. */
function stallBulkMail(): void {
  sink.behave({ rcptReplies: Object.fromEntries(bulkContacts.map(({ email }) => [email, SILENCE])) });
}

async function createBook(fields: object = {}): Promise<string> {
  return (await owner.call('POST', '/contactBooks', { name: 'Readers', ...fields })).body.id;
}

const doubleOptIn = { doubleOptInEnabled: true };

async function startCampaign(): Promise<void> {
  const contactBookId = await createBook();
  await owner.call('POST', `/contactBooks/${contactBookId}/contacts/bulk`, bulkContacts);
  const draft = { name: 'News', from: 'news@shop.test', subject: 'News', html: '<p>News</p>' };
  const { body } = await owner.call('POST', '/campaigns', { ...draft, contactBookId, sendNow: true });
  expect(body.id).toBeDefined();
}

async function importContacts(): Promise<void> {
  const book = await createBook(doubleOptIn);
  await owner.call('POST', `/contactBooks/${book}/contacts/bulk`, bulkContacts);
}

function listArrived(): string[] {
  return sink.messages
    .map(({ recipients }) => recipients[0]!)
    .filter((recipient) => !recipient.startsWith('bulk'))
    .toSorted();
}

/** Sends one message of each urgent kind and waits until the relay has them all. */
async function expectUrgentMail(): Promise<void> {
  const book = await createBook(doubleOptIn);
  // An address gets few confirmations of one team, so each test has its own.
  const signUp = `sign-up${(signUps += 1)}@example.net`;
  const email = { from: 'a@shop.test', to: 'api@example.net', subject: 'Receipt', text: 'Paid.' };
  const answers = await Promise.all([
    owner.call('POST', '/emails', email),
    owner.call('POST', `/contactBooks/${book}/contacts`, { email: signUp }),
    server.call('POST', '/auth/forgotten', { email: owner.email }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  await expect.poll(() => listArrived(), { interval: 20 }).toEqual(['api@example.net', owner.email, signUp]);
}

function countBulkStarted(): number {
  return sink.commands.filter((line) => line.startsWith('RCPT TO:<bulk')).length;
}

async function waitForBulkMail(): Promise<void> {
  await expect.poll(() => countBulkStarted(), { interval: 20 }).toBeGreaterThanOrEqual(18);
}

test('urgent mail overtakes a campaign', async () => {
  stallBulkMail();
  await startCampaign();
  await waitForBulkMail();
  await expectUrgentMail();
});

test('urgent mail overtakes confirmations for an imported list', async () => {
  stallBulkMail();
  await importContacts();
  await waitForBulkMail();
  await expectUrgentMail();
});

const bulkEmails = bulkContacts.map(({ email }) => ({
  from: 'a@shop.test',
  to: email,
  subject: 'Statement',
  text: 'Attached.',
}));

async function sendBatches(fields: object = {}): Promise<void> {
  for (let at = 0; at < MANY; at += 60) {
    const batch = bulkEmails.slice(at, at + 60).map((email) => ({ ...email, ...fields }));
    expect((await owner.call('POST', '/emails/batch', batch)).status).toBe(200);
  }
}

test('urgent mail overtakes batches', async () => {
  stallBulkMail();
  await sendBatches();
  await waitForBulkMail();
  await expectUrgentMail();
});

test('urgent mail overtakes scheduled emails that are released together', async () => {
  stallBulkMail();
  await sendBatches({ scheduledAt: new Date(Date.now() + 3_600_000).toISOString() });
  await sql`update emails set scheduled_at = now() where status = 'SCHEDULED'`.execute(server.db);
  await waitForBulkMail();
  await expectUrgentMail();
});

test('urgent mail overtakes one email to many recipients', async () => {
  stallBulkMail();
  for (let at = 0; at < MANY; at += 40) {
    const bcc = bulkContacts.slice(at, at + 39).map(({ email }) => email);
    const to = bulkContacts[at + 39]!.email;
    expect((await owner.call('POST', '/emails', { ...bulkEmails[0], to, bcc })).status).toBe(200);
  }
  await waitForBulkMail();
  await expectUrgentMail();
});

test('imports that occupy every job worker do not delay urgent mail', async () => {
  const books = await Promise.all(Array.from({ length: 5 }, () => createBook()));
  for (const book of books)
    await owner.call('POST', `/contactBooks/${book}/contacts`, { email: 'held@example.org' });
  await inTransaction(server.db, async (trx) => {
    await sql`select from contacts where email = 'held@example.org' order by id for update`.execute(trx);
    for (const book of books)
      await owner.call('POST', `/contactBooks/${book}/imports`, 'email\nheld@example.org\n', {
        'content-type': 'text/csv',
      });
    await expect.poll(() => countWaiting(server.db, 'with book as'), { interval: 20 }).toBe(4);
    await expectUrgentMail();
    expect(await countWaiting(server.db, 'with book as')).toBe(4);
  });
});
