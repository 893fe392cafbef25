import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { inTransaction } from '../../../platform/database/database.ts';
import {
  addBook,
  closeCampaignWorld,
  create,
  get,
  openCampaignWorld,
  server,
  sink,
  start,
  team,
  untilStatus,
} from '../../../testing/fixtures/campaign-world.ts';

beforeAll(openCampaignWorld);
afterAll(closeCampaignWorld);
beforeEach(() => sink.reset());

const BROWSER = {
  'user-agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36',
  'accept-language': 'en',
};

/** Loads the tracking pixel of a message as a reader would. */
async function open(message: Buffer): Promise<void> {
  const { html } = await PostalMime.parse(message);
  const path = /https:\/\/post\.example(\/t\/o\/[\w-]+)/.exec(html!)![1]!;
  expect((await fetch(`${server.url}${path}`, { headers: BROWSER })).status).toBe(200);
}

async function countStored(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from emails where team_id = ${team.teamId} and source = 'campaign'
  `.execute(server.db);
  return rows[0]!.count;
}

async function findEmail(address: string) {
  const { body } = await team.call('GET', `/emails?search=${address}`);
  return (await team.call('GET', `/emails/${body.items[0].id}`)).body;
}

function statusesOf(email: { emailEvents: { status: string }[] }): string[] {
  return email.emailEvents.map(({ status }) => status);
}

test('an email that is only in the ledger is shown like every other email', async () => {
  const book = await addBook([{ email: 'Ada@Ledger.test', firstName: 'Ada' }, { email: 'bob@ledger.test' }]);
  const id = await create(book, { subject: 'Hello {{firstName,fallback=you}}' });
  await start(id);
  await untilStatus(id, 'SENT');
  expect(await countStored()).toBe(0);

  const { body: list } = await team.call('GET', '/emails?limit=10');
  expect(list.items.map(({ to }: { to: string[] }) => to[0]).toSorted()).toEqual([
    'Ada@Ledger.test',
    'bob@ledger.test',
  ]);
  const email = await findEmail('ada@ledger.test');
  const message = sink.messages.find(({ recipients: [to] }) => to === 'Ada@Ledger.test')!;
  expect(email).toMatchObject({
    status: 'DELIVERED',
    subject: 'Hello Ada',
    campaignId: id,
    to: ['Ada@Ledger.test'],
    messageId: (await PostalMime.parse(message.data)).messageId,
  });
  expect(statusesOf(email)).toEqual(['QUEUED', 'SENT', 'DELIVERED']);
  const { data, recipient } = email.emailEvents[2];
  expect([data.code, recipient]).toEqual([250, 'Ada@Ledger.test']);
  expect(data.transcript).toContainEqual(expect.stringContaining(`MAIL FROM:<${message.mailFrom}>`));
  expect(data.transcript).toContainEqual(expect.stringContaining('RCPT TO:<Ada@Ledger.test>'));
  const { body: activity } = await team.call('GET', '/emails?search=bob@ledger.test&status=DELIVERED');
  expect(activity.items).toHaveLength(1);
  const stranger = await server.createTeam();
  expect((await stranger.call('GET', `/emails/${email.id}`)).status).toBe(404);
});

test('an open gives an email of the ledger rows of its own, and its earlier events stay', async () => {
  const book = await addBook([{ email: 'cleo@ledger.test' }]);
  const id = await create(book, { tracking: { opens: true, clicks: true } });
  await start(id);
  await untilStatus(id, 'SENT');
  const before = await findEmail('cleo@ledger.test');
  await open(sink.messages[0]!.data);
  await expect.poll(async () => (await get(id)).opened).toBe(1);
  const after = await findEmail('cleo@ledger.test');
  expect([after.status, statusesOf(after)]).toEqual(['OPENED', ['QUEUED', 'SENT', 'DELIVERED', 'OPENED']]);
  expect(after).toMatchObject({ id: before.id, messageId: before.messageId, createdAt: before.createdAt });
  const { body: list } = await team.call('GET', '/emails?limit=100');
  expect(list.items.filter((item: { id: string }) => item.id === before.id)).toHaveLength(1);
});

test('an open that comes before the outcome is recorded still counts', async () => {
  const id = await create(await addBook([{ email: 'dan@ledger.test' }]), { tracking: { opens: true } });
  await inTransaction(server.db, async (trx) => {
    await sql`lock table campaign_recipients in share mode`.execute(trx);
    await start(id);
    await sink.waitForMessages(1, 20_000);
    await open(sink.messages[0]!.data);
    // The visit is written within half a second, finds no email, and waits.
    await new Promise((resolve) => setTimeout(resolve, 600));
  });
  await untilStatus(id, 'SENT');
  await expect.poll(async () => (await get(id)).opened).toBe(1);
});
