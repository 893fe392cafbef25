import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setUpOwner } from '../../testing/people.ts';
import { createCall, startTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../testing/servers/webhook-receiver.ts';

const ADA = 'ada@erase.example';
const polled = { interval: 100 };

let server: TestServer;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  server = await startTestServer({ doors: ['http', 'worker'], env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
});
afterAll(async () => {
  await server.close();
  await receiver.close();
});

async function openTeam(domain: string): Promise<TestTeam> {
  const team = await server.createTeam();
  const { body } = await team.call('POST', '/domains', { name: domain });
  expect((await team.call('PUT', `/domains/${body.id}/verify`)).status).toBe(200);
  return team;
}

async function send({ call }: TestTeam, email: object): Promise<string> {
  const { status, body } = await call('POST', '/emails', {
    subject: 'Your order, Ada',
    text: 'Dear Ada',
    ...email,
  });
  expect(status).toBe(200);
  return body.emailId;
}

async function read({ call }: TestTeam, emailId: string) {
  return (await call('GET', `/emails/${emailId}`)).body;
}

/** Returns the tables in which rows of a team contain the address, as text or as bytes, but not as a part of lada@. */
async function tablesWith(teamId: number, address: string): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'team_id'
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by 1
  `.execute(server.db);
  const hex = Buffer.from(address).toString('hex');
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql`
      select 1 from ${sql.table(name)} as t where team_id = ${teamId}
        and (lower(t::text) ~ ${`(?<!l)${address}`} or t::text ~ ${`(?<!6c)${hex}`}) limit 1
    `.execute(server.db);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

/** Runs jobs that wait for a later time. */
async function runNow(): Promise<void> {
  await sql`update jobs set due_at = now() where leased_by is null`.execute(server.db);
}

async function addContact({ call }: TestTeam, email: string): Promise<string> {
  const { body: book } = await call('POST', '/contactBooks', { name: 'Book' });
  const person = { email, firstName: 'Ada', properties: { city: 'London' } };
  await call('POST', `/contactBooks/${book.id}/contacts`, person);
  return book.id;
}

async function runCampaign({ call }: TestTeam, from: string, contactBookId: string): Promise<string> {
  const content = {
    name: 'News',
    from,
    subject: 'Hello {{firstName}}',
    contactBookId,
    html: '<p>{{firstName}}</p>',
  };
  const { body } = await call('POST', '/campaigns', { ...content, sendNow: true });
  await expect
    .poll(async () => (await call('GET', `/campaigns/${body.id}`)).body.status, polled)
    .toBe('SENT');
  return body.id;
}

test('erasing a person leaves the address only in the suppression, and keeps counts, other people and other teams', async () => {
  const [team, other] = [await openTeam('ours.test'), await openTeam('theirs.test')];
  await team.call('POST', '/webhooks', { url: receiver.url, events: ['*'] });
  const books = [await addContact(team, ADA), await addContact(team, 'Ada@Erase.example')];
  await addContact(other, ADA);
  const campaignId = await runCampaign(team, 'a@ours.test', books[0]!);
  const mine = await send(team, { from: 'a@ours.test', to: 'Ada <ADA@erase.example>' });
  const shared = await send(team, { from: 'a@ours.test', to: [ADA, 'lada@erase.example'], text: 'Both' });
  const later = await send(team, {
    from: 'a@ours.test',
    to: ADA,
    scheduledAt: new Date(Date.now() + 3_600_000),
  });
  const theirs = await send(other, { from: 'a@theirs.test', to: ADA });
  for (const [owner, id] of [
    [team, mine],
    [team, shared],
    [other, theirs],
  ] as const)
    await expect.poll(async () => (await read(owner, id)).status, polled).toBe('DELIVERED');
  await team.call('POST', `/contactBooks/${books[0]}/imports`, `email\n${ADA}@\n`, {
    'content-type': 'text/csv',
  });
  const box = (await team.call('POST', '/mailboxes', { address: 'desk@ours.test' })).body;
  await sql`
    insert into vacation_replies (team_id, mailbox_id, address_key)
    select team_id, id, ${ADA} from mailboxes where team_id = ${team.teamId}
  `.execute(server.db);
  expect(box.address).toBe('desk@ours.test');
  expect(await tablesWith(team.teamId, ADA)).toContain('vacation_replies');
  const analytics = (await team.call('GET', '/analytics/time-series')).body;

  const answer = await team.call('DELETE', `/contacts?email=${encodeURIComponent(' Ada@ERASE.example ')}`);
  expect([answer.status, answer.body]).toEqual([200, { success: true, count: 2 }]);
  expect((await read(team, later)).status).toMatch(/SCHEDULED|CANCELLED/);
  // Only the shared email, whose content belongs to others too, still names the address.
  await expect
    .poll(async () => {
      await runNow();
      return (await tablesWith(team.teamId, ADA)).filter((name) => name !== 'webhook_events');
    }, polled)
    .toEqual(['email_contents', 'sandbox_messages', 'suppressions']);
  await expect
    .poll(async () => {
      await runNow();
      const { rows } = await sql`
        select data from webhook_events where team_id = ${team.teamId} and data::text ~* '[^l]ada@erase.example'
      `.execute(server.db);
      return rows;
    }, polled)
    .toEqual([]);
  // The receiver was told of the deletion before the calls were erased from the log.
  expect(receiver.calls.filter(({ json }) => json.type === 'contact.deleted')).toHaveLength(2);

  const gone = await read(team, mine);
  expect(gone).toMatchObject({ status: 'DELIVERED', subject: '', html: null, text: null });
  expect(gone.contentDeletedAt).toEqual(expect.any(String));
  expect(gone.to).toEqual([expect.stringMatching(/^erased-[0-9a-f]{32}@erased\.invalid$/)]);
  expect(gone.emailEvents.map(({ data }: { data: unknown }) => data).filter(Boolean)).toEqual([]);
  expect((await read(team, later)).status).toBe('CANCELLED');
  const both = await read(team, shared);
  expect(both).toMatchObject({
    to: [gone.to[0], 'lada@erase.example'],
    text: 'Both',
    contentDeletedAt: null,
  });
  expect((await team.call('GET', `/campaigns/${campaignId}`)).body).toMatchObject({ sent: 1, delivered: 1 });
  const { items } = (await team.call('GET', `/campaigns/${campaignId}/recipients`)).body;
  expect(items).toMatchObject([{ email: gone.to[0], state: 'delivered' }]);
  expect((await team.call('GET', '/analytics/time-series')).body).toEqual(analytics);
  for (const book of books)
    expect((await team.call('GET', `/contactBooks/${book}`)).body._count.contacts).toBe(0);

  // Nobody writes to the person again.
  expect((await team.call('GET', `/suppressions?email=${ADA}`)).body.items).toMatchObject([
    { reason: 'ERASED' },
  ]);
  const again = await send(team, { from: 'a@ours.test', to: ADA });
  expect((await read(team, again)).status).toBe('SUPPRESSED');

  const untouched = await read(other, theirs);
  expect(untouched).toMatchObject({ to: [ADA], subject: 'Your order, Ada', contentDeletedAt: null });
  expect((await other.call('GET', `/suppressions?email=${ADA}`)).body.items).toEqual([]);
  expect(await tablesWith(other.teamId, ADA)).toEqual(expect.arrayContaining(['contacts', 'email_contents']));
});

test('the content of an email goes with the last of its recipients, also when they are erased together', async () => {
  const team = await openTeam('several.test');
  const people = ['ada@several.example', 'bob@several.example', 'cy@several.example'];
  const [one, all] = [people.slice(0, 2), people].map((to) => send(team, { from: 'a@several.test', to }));
  for (const id of [await one!, await all!])
    await expect.poll(async () => (await read(team, id)).status, polled).toBe('DELIVERED');
  const erase = (email: string) => team.call('DELETE', `/contacts?email=${email}`);
  expect((await erase(people[2]!)).status).toBe(200);
  await expect.poll(async () => (await read(team, await all!)).to[2], polled).toContain('@erased.invalid');
  expect(await read(team, await all!)).toMatchObject({ text: 'Dear Ada', contentDeletedAt: null });

  await Promise.all(people.slice(0, 2).map(erase));
  for (const id of [await one!, await all!]) {
    await expect
      .poll(async () => (await read(team, id)).contentDeletedAt, polled)
      .toEqual(expect.any(String));
    expect(await read(team, id)).toMatchObject({ subject: '', text: null });
  }
  for (const person of people)
    await expect
      .poll(async () => {
        await runNow();
        return tablesWith(team.teamId, person);
      }, polled)
      .toEqual(['suppressions']);
});

test('an address that nobody knows can be erased, and an invalid one is rejected', async () => {
  const team = await server.createTeam();
  const { status, body } = await team.call('DELETE', '/contacts?email=nobody@example.org');
  expect([status, body]).toEqual([200, { success: true, count: 0 }]);
  for (const query of ['', '?email=', '?email=nobody', '?email=%ff@example.org'])
    expect((await team.call('DELETE', `/contacts${query}`)).status, query).toBe(400);
});

test('a second address in the query is rejected instead of being ignored', async () => {
  const team = await server.createTeam();
  const refused = await team.call('DELETE', '/contacts?email=a@example.org&email=b@example.org');
  expect([refused.status, refused.body.error.message]).toEqual([400, 'email must be given only once.']);
  const unknown = await team.call('DELETE', '/contacts?email=a@example.org&x=1&x=2&y=%EF%BF%BD');
  expect(unknown.status).toBe(200);
});

test('the reason of a rejection about an erased person is deleted, and what an email said to them', async () => {
  const owner = await setUpOwner(server);
  await owner.call('POST', '/domains', { name: 'agents.test' });
  await sql`update domains set held = true, status = 'SUCCESS'`.execute(server.db);
  const { body: policy } = await owner.call('POST', '/send-policies', { name: 'All', mode: 'approve_all' });
  const { body: key } = await owner.call('POST', '/api-keys', {
    name: 'Agent',
    permission: 'full',
    kind: 'agent',
    policyId: policy.id,
  });
  const agent = createCall(server.url, key.key);
  const email = { from: 'a@agents.test', subject: 'Hello', text: 'Dear Ada' };
  const { body: book } = await owner.call('POST', '/contactBooks', { name: 'Book' });
  await owner.call('POST', `/contactBooks/${book.id}/contacts`, { email: ADA });
  const rejected: string[] = [];
  for (const [to, reason] of [
    [ADA, 'Ada prefers a call.'],
    ['bob@erase.example', `Do not mention ${ADA}.`],
    ['bob@erase.example', 'Too long.'],
  ] as const) {
    const { body } = await agent('POST', '/emails', { ...email, to });
    rejected.push(body.approvalId);
    await owner.call('POST', `/approvals/${body.approvalId}/reject`, { reason });
  }
  expect((await owner.call('DELETE', `/contacts?email=${encodeURIComponent(ADA)}`)).status).toBe(200);
  const reasonsOf = () =>
    Promise.all(
      rejected.map(async (id) => {
        const { body } = await owner.call('GET', `/approvals/${id}`);
        return [body.reason, body.newText];
      }),
    );
  await expect.poll(reasonsOf, polled).toEqual([
    [null, null],
    [null, 'Dear Ada'],
    ['Too long.', 'Dear Ada'],
  ]);
});
