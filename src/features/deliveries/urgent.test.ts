/** Mail that one person waits for passes bulk of every kind, also where that has come to a standstill. */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { inTransaction } from '../../platform/database.ts';
import { countWaiting } from '../../testing/count-waiting.ts';
import { setUpOwner, type TestPerson } from '../../testing/people.ts';
import { SILENCE } from '../../testing/smtp-sink-behaviour.ts';
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
// What was silent is cut: the courier waits for it before it ends.
afterEach(() => sink.reset());
afterAll(async () => {
  await server.close();
  await sink.close();
});

const MANY = 120;
const crowd = Array.from({ length: MANY }, (_, at) => ({ email: `bulk${at}@example.org` }));

/** The relay takes letters to the crowd and never says what became of them. */
function keepCrowdWaiting(): void {
  sink.behave({ rcptReplies: Object.fromEntries(crowd.map(({ email }) => [email, SILENCE])) });
}

async function createBook(fields: object = {}): Promise<string> {
  return (await owner.call('POST', '/contactBooks', { name: 'Readers', ...fields })).body.id;
}

const doubleOptIn = { doubleOptInEnabled: true };

async function startCampaign(): Promise<void> {
  const contactBookId = await createBook();
  await owner.call('POST', `/contactBooks/${contactBookId}/contacts/bulk`, crowd);
  const draft = { name: 'News', from: 'news@shop.test', subject: 'News', html: '<p>News</p>' };
  const { body } = await owner.call('POST', '/campaigns', { ...draft, contactBookId, sendNow: true });
  expect(body.id).toBeDefined();
}

async function bringInMany(): Promise<void> {
  const book = await createBook(doubleOptIn);
  await owner.call('POST', `/contactBooks/${book}/contacts/bulk`, crowd);
}

function listArrived(): string[] {
  return sink.messages
    .map(({ recipients }) => recipients[0]!)
    .filter((recipient) => !recipient.startsWith('bulk'))
    .toSorted();
}

/** Sends one letter of each kind for which somebody waits; resolves when the relay has them all. */
async function expectUrgentMail(): Promise<void> {
  const book = await createBook(doubleOptIn);
  const email = { from: 'a@shop.test', to: 'api@example.net', subject: 'Receipt', text: 'Paid.' };
  const answers = await Promise.all([
    owner.call('POST', '/emails', email),
    owner.call('POST', `/contactBooks/${book}/contacts`, { email: 'sign-up@example.net' }),
    server.call('POST', '/auth/forgotten', { email: owner.email }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  await expect
    .poll(() => listArrived(), { timeout: 15_000, interval: 20 })
    .toEqual(['api@example.net', owner.email, 'sign-up@example.net']);
}

function countBegun(): number {
  return sink.commands.filter((line) => line.startsWith('RCPT TO:<bulk')).length;
}

async function hasBegun(): Promise<void> {
  await expect.poll(() => countBegun(), { timeout: 15_000, interval: 20 }).toBeGreaterThanOrEqual(18);
}

test('of a campaign', async () => {
  keepCrowdWaiting();
  await startCampaign();
  await hasBegun();
  await expectUrgentMail();
});

test('of confirmations for a list that was brought in', async () => {
  keepCrowdWaiting();
  await bringInMany();
  await hasBegun();
  await expectUrgentMail();
});

const crowdOfBatches = crowd.map(({ email }) => ({
  from: 'a@shop.test',
  to: email,
  subject: 'Statement',
  text: 'Attached.',
}));

async function sendBatches(fields: object = {}): Promise<void> {
  for (let at = 0; at < MANY; at += 60) {
    const batch = crowdOfBatches.slice(at, at + 60).map((email) => ({ ...email, ...fields }));
    expect((await owner.call('POST', '/emails/batch', batch)).status).toBe(200);
  }
}

test('of batches', async () => {
  keepCrowdWaiting();
  await sendBatches();
  await hasBegun();
  await expectUrgentMail();
});

test('of scheduled emails that leave at the same moment', async () => {
  keepCrowdWaiting();
  await sendBatches({ scheduledAt: new Date(Date.now() + 3_600_000).toISOString() });
  await sql`update emails set scheduled_at = now() where status = 'SCHEDULED'`.execute(server.db);
  await hasBegun();
  await expectUrgentMail();
});

test('of one email to many recipients', async () => {
  keepCrowdWaiting();
  for (let at = 0; at < MANY; at += 40) {
    const bcc = crowd.slice(at, at + 39).map(({ email }) => email);
    const to = crowd[at + 39]!.email;
    expect((await owner.call('POST', '/emails', { ...crowdOfBatches[0], to, bcc })).status).toBe(200);
  }
  await hasBegun();
  await expectUrgentMail();
});

test('of imports that occupy every worker of jobs', async () => {
  const books = await Promise.all(Array.from({ length: 5 }, () => createBook()));
  for (const book of books)
    await owner.call('POST', `/contactBooks/${book}/contacts`, { email: 'held@example.org' });
  await inTransaction(server.db, async (trx) => {
    await sql`select from contacts where email = 'held@example.org' order by id for update`.execute(trx);
    for (const book of books)
      await owner.call('POST', `/contactBooks/${book}/imports`, 'email\nheld@example.org\n', {
        'content-type': 'text/csv',
      });
    await expect.poll(() => countWaiting(server.db), { timeout: 15_000, interval: 20 }).toBe(4);
    await expectUrgentMail();
    expect(await countWaiting(server.db)).toBe(4);
  });
});
