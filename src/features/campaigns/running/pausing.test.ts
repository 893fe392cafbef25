import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  addBook,
  untilStatus,
  closeCampaignWorld,
  create,
  makePeople,
  findContact,
  get,
  readLedger,
  openCampaignWorld,
  recipients,
  server,
  sink,
  start,
  team,
} from '../../../testing/fixtures/campaign-world.ts';

beforeAll(openCampaignWorld);
afterAll(closeCampaignWorld);
beforeEach(() => sink.reset());

/** Waits until all attempts are recorded, and everything that was claimed is back in the queue. */
async function untilNothingIsClaimed(): Promise<void> {
  await expect.poll(countClaimed, { interval: 10 }).toBe(0);
}

async function countClaimed(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from deliveries where leased_by is not null)
      + (select count(*) from campaign_batches where leased_by is not null) as count
  `.execute(server.db);
  return rows[0]!.count;
}

describe('pausing', () => {
  test('stops sending, resuming continues, and everyone gets the email exactly once', async () => {
    // Slow enough that it cannot end before it is paused.
    sink.behave({ dripMs: 1 });
    const book = await addBook(makePeople(500, 'w.test'));
    const id = await create(book, { batchSize: 100_000 });
    await start(id);
    for (let times = 0; times < 2; times++) {
      const before = sink.messages.length;
      await expect.poll(() => sink.messages.length, { interval: 5 }).toBeGreaterThan(before + 60);
      expect((await team.call('POST', `/campaigns/${id}/pause`)).status).toBe(200);
      await untilNothingIsClaimed();
      const stopped = sink.messages.length;
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(sink.messages.length).toBe(stopped);
      const { status, sent } = await get(id);
      expect([status, sent]).toEqual(['PAUSED', stopped]);
      expect((await team.call('POST', `/campaigns/${id}/resume`)).status).toBe(200);
    }
    sink.behave({ dripMs: 0 });
    await untilStatus(id, 'SENT');
    expect(recipients()).toHaveLength(500);
    expect(new Set(recipients()).size).toBe(500);
    expect(await get(id)).toMatchObject({ total: 500, sent: 500, delivered: 500 });
  }, 120_000);

  test('also stops deliveries that wait for a connection to a slow server', async () => {
    sink.behave({ dripMs: 5 });
    const id = await create(await addBook(makePeople(160, 'slow.test')));
    await start(id);
    await sink.waitForMessages(5, 30_000);
    await team.call('POST', `/campaigns/${id}/pause`);
    // Messages that are already being sent on the twenty connections are completed.
    await untilNothingIsClaimed();
    const stopped = sink.messages.length;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(sink.messages.length).toBe(stopped);
    expect((await get(id)).sent).toBe(stopped);
    sink.behave({ dripMs: 0 });
    await team.call('POST', `/campaigns/${id}/resume`);
    await untilStatus(id, 'SENT');
    expect(recipients()).toHaveLength(160);
    expect(new Set(recipients()).size).toBe(160);
  }, 120_000);

  test('a contact that leaves is skipped, stays in the total, and the ledger has the reason', async () => {
    const { body: topic } = await team.call('POST', '/topics', { name: 'T', defaultSubscription: 'opt_out' });
    const book = await addBook(
      ['gone', 'left', 'quiet', 'stays', 'topic'].map((name) => ({ email: `${name}@x.test` })),
    );
    const id = await create(book, { topicId: topic.id, ratePerMinute: 1 });
    await start(id);
    // One email leaves immediately, and the others wait for the rate.
    await sink.waitForMessages(1);
    await team.call('POST', `/campaigns/${id}/pause`);
    await sql`update campaigns set rate_per_minute = null where status = 'PAUSED'`.execute(server.db);
    expect(recipients()).toEqual(['gone@x.test']);
    const contact = async (name: string) =>
      `/contactBooks/${book}/contacts/${await findContact(book, `${name}@x.test`)}`;
    await team.call('PATCH', await contact('left'), { subscribed: false });
    await team.call('POST', '/suppressions', { email: 'quiet@x.test' });
    await team.call('PATCH', `${await contact('topic')}/topics`, {
      topics: [{ id: topic.id, subscribed: false }],
    });
    await team.call('DELETE', await contact('stays'));
    await team.call('POST', `/contactBooks/${book}/contacts`, { email: 'late@x.test' });
    await team.call('POST', `/campaigns/${id}/resume`);
    await untilStatus(id, 'SENT');
    expect(await readLedger(id)).toEqual({
      'gone@x.test': 'delivered',
      'left@x.test': 'unsubscribed',
      'quiet@x.test': 'suppressed',
      'stays@x.test': 'deleted',
      'topic@x.test': 'left_topic',
    });
    expect(await get(id)).toMatchObject({ total: 5, sent: 1 });
    expect(sink.messages).toHaveLength(1);
  });

  test('a recipient of a batch that was begun and not sent to is skipped too', async () => {
    const book = await addBook(makePeople(250, 'y.test'));
    const id = await create(book, { batchSize: 1000 });
    await start(id);
    await expect.poll(() => sink.messages.length, { interval: 5 }).toBeGreaterThan(20);
    await team.call('POST', `/campaigns/${id}/pause`);
    await sql`update contacts set subscription = 'unsubscribed' where email like '%@y.test'`.execute(
      server.db,
    );
    await untilNothingIsClaimed();
    const sent = sink.messages.length;
    await team.call('POST', `/campaigns/${id}/resume`);
    await untilStatus(id, 'SENT');
    expect(sink.messages).toHaveLength(sent);
    expect(await get(id)).toMatchObject({ total: 250, sent });
    const { rows } = await sql<{ state: string; count: number }>`
      select state, count(*) from campaign_recipients where contact_book_id in (
        select contact_book_id from contacts where email like '%@y.test'
      ) group by state
    `.execute(server.db);
    expect(Object.fromEntries(rows.map(({ state, count }) => [state, count]))).toEqual({
      delivered: sent,
      skipped: 250 - sent,
    });
    const { rows: emails } = await sql<{ count: number }>`
      select count(*) from all_emails where to_addresses[1] like '%@y.test'
    `.execute(server.db);
    expect(emails[0]!.count).toBe(sent);
  }, 120_000);

  test('deleting a paused campaign removes what it has not sent', async () => {
    const id = await create(await addBook(makePeople(250, 'z.test')), { batchSize: 1000 });
    await start(id);
    await expect.poll(() => sink.messages.length, { interval: 5 }).toBeGreaterThan(20);
    await team.call('POST', `/campaigns/${id}/pause`);
    const { body, status } = await team.call('DELETE', `/campaigns/${id}`);
    expect([status, body.id, body.status]).toEqual([200, id, 'PAUSED']);
    await expect
      .poll(async () => {
        const { rows } = await sql<{ count: number }>`
          select count(*) from campaign_batches
        `.execute(server.db);
        return rows[0]!.count;
      })
      .toBe(0);
    const sent = sink.messages.length;
    const { rows } = await sql<{ status: string; count: number }>`
      select status, count(*) from all_emails where to_addresses[1] like '%@z.test' group by status
    `.execute(server.db);
    expect(rows).toEqual([{ status: 'DELIVERED', count: sent }]);
  });
});
