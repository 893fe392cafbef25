import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inTransaction } from '../../platform/database/database.ts';
import { decodeId } from '../../platform/ids.ts';
import {
  addBook,
  untilStatus,
  closeCampaignWorld,
  create,
  makePeople,
  get,
  readLedger,
  openCampaignWorld,
  recipients,
  server,
  sink,
  start,
  team,
} from '../../testing/fixtures/campaign-world.ts';
import { countWaiting } from '../../testing/count-waiting.ts';

const LATER = '2031-01-01T08:00:00.000Z';
const EVEN_LATER = '2032-02-02T08:00:00.000Z';

beforeAll(openCampaignWorld);
afterAll(closeCampaignWorld);
beforeEach(() => sink.reset());

function patch(id: string, changes: object) {
  return team.call('PATCH', `/campaigns/${id}`, changes);
}

function unschedule(id: string) {
  return team.call('POST', `/campaigns/${id}/unschedule`);
}

async function createScheduled(book: string, changes: object = {}): Promise<string> {
  const id = await create(book, { scheduledAt: LATER, ...changes });
  expect(await get(id)).toMatchObject({ status: 'SCHEDULED', scheduledAt: LATER, editable: true });
  return id;
}

/** Pauses between two steps of the runner: the audience is written, and nobody is released. */
async function pauseBeforeRelease(id: string): Promise<void> {
  await sql`
    with written as (
      insert into campaign_batches (
        team_id, campaign_id, no, contact_book_id, contact_ids, address_keys, first_key, last_key
      )
      select p.team_id, p.id, 1, c.contact_book_id, array_agg(c.id order by c.email_key),
        array_agg(c.email_key order by c.email_key), min(c.email_key), max(c.email_key)
      from campaigns p join contacts c on c.team_id = p.team_id and c.contact_book_id = any(p.contact_book_ids)
      where p.id = ${decodeId('cmp', id)} group by p.team_id, p.id, c.contact_book_id
      returning cardinality(contact_ids) as recipients
    )
    update campaigns set status = 'PAUSED', begun_at = now(), audience_book = 1, audience_ready = true,
      total = (select sum(recipients) from written)
    where id = ${decodeId('cmp', id)}
  `.execute(server.db);
}

describe('a scheduled campaign', () => {
  test('can be changed, keeps its time and is sent with the change', async () => {
    const id = await createScheduled(await addBook(makePeople(1, 'old.test')));
    const book = await addBook(makePeople(1, 'new.test'));
    const changes = { subject: 'Corrected', html: '<p>Corrected</p>', contactBookId: book };
    const { status, body } = await patch(id, changes);
    expect([status, body]).toMatchObject([200, { ...changes, status: 'SCHEDULED', scheduledAt: LATER }]);
    await start(id);
    await untilStatus(id, 'SENT');
    expect(recipients()).toEqual(['u0@new.test']);
    expect(sink.messages[0]!.data.toString()).toContain('Subject: Corrected');
  });

  test('can be rescheduled and starts at its new time', async () => {
    const id = await createScheduled(await addBook(makePeople(1)));
    await start(id, { scheduledAt: EVEN_LATER });
    expect(await get(id)).toMatchObject({ status: 'SCHEDULED', scheduledAt: EVEN_LATER });
    await start(id, { scheduledAt: new Date(Date.now() + 300).toISOString() });
    await untilStatus(id, 'SENT');
  });

  test('can be made a draft again', async () => {
    const id = await createScheduled(await addBook(makePeople(1)));
    expect(await unschedule(id)).toMatchObject({ status: 200, body: { success: true } });
    expect(await get(id)).toMatchObject({ status: 'DRAFT', scheduledAt: null, editable: true });
    const again = await unschedule(id);
    expect([again.status, again.body.error.code]).toEqual([409, 'CONFLICT']);
  });

  test('must stay ready to send', async () => {
    const id = await createScheduled(await addBook(makePeople(1)));
    const other = await addBook(makePeople(1));
    const { body: segment } = await team.call('POST', '/segments', {
      name: 'Of another book',
      contactBookId: other,
      filter: { all: [] },
    });
    const before = await get(id);
    for (const [wrong, status] of [
      [{ html: null }, 400],
      [{ from: 'x@unverified.test' }, 400],
      [{ segmentId: segment.id }, 400],
      [{ segmentId: 'seg_0123456789abcdefghjkmnpqrs' }, 404],
      [{ topicId: 'top_0123456789abcdefghjkmnpqrs' }, 404],
      [{ contactBookId: 'cbk_0123456789abcdefghjkmnpqrs' }, 404],
    ] as const) {
      expect([wrong, (await patch(id, { name: 'x', ...wrong })).status]).toEqual([wrong, status]);
    }
    await sql`update domains set held = false`.execute(server.db);
    const lost = await patch(id, { name: 'x' });
    await sql`update domains set held = true`.execute(server.db);
    expect([lost.status, lost.body.error.message]).toEqual([
      400,
      'The sending domain is no longer verified.',
    ]);
    expect(await get(id)).toEqual(before);
  });

  test('is not visible to other teams', async () => {
    const id = await createScheduled(await addBook(makePeople(1)));
    const stranger = await server.createTeam();
    expect((await stranger.call('POST', `/campaigns/${id}/unschedule`)).status).toBe(404);
    expect((await stranger.call('PATCH', `/campaigns/${id}`, { name: 'x' })).status).toBe(404);
    expect((await get(id)).status).toBe('SCHEDULED');
  });
});

describe('a campaign that was paused before anyone was released', () => {
  test('can get another audience, and is sent only to that', async () => {
    const id = await create(await addBook(makePeople(2, 'old.test')));
    await pauseBeforeRelease(id);
    expect(await get(id)).toMatchObject({ total: 2, editable: true });
    const { status, body } = await patch(id, { contactBookId: await addBook(makePeople(1, 'new.test')) });
    expect([status, body]).toMatchObject([200, { status: 'PAUSED', total: 0, startedAt: null }]);
    expect((await team.call('POST', `/campaigns/${id}/resume`)).status).toBe(200);
    await untilStatus(id, 'SENT');
    expect(recipients()).toEqual(['u0@new.test']);
    expect(await readLedger(id)).toEqual({ 'u0@new.test': 'delivered' });
  });

  test('can be made a draft again, without the audience that was written', async () => {
    const id = await create(await addBook(makePeople(2)));
    await pauseBeforeRelease(id);
    expect((await unschedule(id)).status).toBe(200);
    expect(await get(id)).toMatchObject({ status: 'DRAFT', total: 0, startedAt: null, scheduledAt: null });
    expect(await readLedger(id)).toEqual({});
  });
});

describe('unknown merge tags', () => {
  const html = '<p>{{nothing}}</p>';
  const message = expect.stringContaining('{{nothing}}');

  test('are rejected in a change of a scheduled campaign, which stays as it was', async () => {
    const id = await createScheduled(await addBook(makePeople(1)));
    const before = await get(id);
    expect(await patch(id, { html })).toMatchObject({ status: 400, body: { error: { message } } });
    expect(await get(id)).toEqual(before);
    const book = await addBook([{ email: 'a@tags.test', properties: { Nothing: 'something' } }]);
    expect((await patch(id, { html, contactBookId: book })).status).toBe(200);
  });

  test('are accepted while the campaign is paused, and rejected when it is resumed', async () => {
    const id = await createScheduled(await addBook(makePeople(1)));
    await team.call('POST', `/campaigns/${id}/pause`);
    expect((await patch(id, { html })).status).toBe(200);
    const resume = () => team.call('POST', `/campaigns/${id}/resume`);
    expect(await resume()).toMatchObject({ status: 400, body: { error: { message } } });
    expect((await get(id)).status).toBe('PAUSED');
    await patch(id, { html: '<p>Corrected</p>' });
    expect((await resume()).status).toBe(200);
  });

  test('are searched for before the campaign is locked', async () => {
    const id = await createScheduled(await addBook(makePeople(1)));
    const draft = await create(await addBook(makePeople(1)), { html });
    const { request } = await inTransaction(server.db, async (trx) => {
      await sql`lock table contacts in access exclusive mode`.execute(trx);
      const waiting = [
        patch(id, { html }),
        team.call('POST', `/campaigns/${draft}/schedule`, { scheduledAt: LATER }),
      ];
      await expect.poll(() => countWaiting(server.db)).toBe(2);
      await sql`
        select from campaigns where id in (${decodeId('cmp', id)}, ${decodeId('cmp', draft)}) for update nowait
      `.execute(trx);
      return { request: Promise.all(waiting) };
    });
    expect((await request).map(({ status }) => status)).toEqual([400, 400]);
  });
});

test('after the first release a campaign cannot be changed or unscheduled in any state', async () => {
  const id = await create(await addBook(makePeople(2, 'part.test')), { ratePerMinute: 1 });
  const refused = async (status: string) => {
    expect(await get(id)).toMatchObject({ status, editable: false });
    expect([(await patch(id, { name: 'x' })).status, (await unschedule(id)).status]).toEqual([409, 409]);
  };
  await start(id);
  await sink.waitForMessages(1);
  await refused('RUNNING');
  await team.call('POST', `/campaigns/${id}/pause`);
  await refused('PAUSED');
  await start(id, { scheduledAt: LATER });
  await refused('SCHEDULED');
  await sql`update campaigns set rate_per_minute = null where id = ${decodeId('cmp', id)}`.execute(server.db);
  await start(id);
  await untilStatus(id, 'SENT');
  await refused('SENT');
});

test.each(['PATCH', 'POST'])(
  'a %s waits while a runner starts the campaign, and is then refused',
  async (method) => {
    const id = await createScheduled(await addBook(makePeople(1)));
    const path = method === 'PATCH' ? `/campaigns/${id}` : `/campaigns/${id}/unschedule`;
    const { request } = await server.db.transaction().execute(async (trx) => {
      await sql`update campaigns set status = 'RUNNING', begun_at = now() where id = ${decodeId('cmp', id)}`.execute(
        trx,
      );
      const waiting = team.call(method, path, { subject: 'After' });
      await expect.poll(() => countWaiting(server.db)).toBe(1);
      return { request: waiting };
    });
    expect((await request).status).toBe(409);
    await untilStatus(id, 'SENT');
    expect(sink.messages[0]!.data.toString()).not.toContain('Subject: After');
  },
);

test('a runner does not start a campaign that is being unscheduled when its time comes', async () => {
  const id = await create(await addBook(makePeople(1)), {
    scheduledAt: new Date(Date.now() + 3_000).toISOString(),
  });
  const isDue = async () => {
    const { rows } = await sql`
      select from campaigns where id = ${decodeId('cmp', id)} and scheduled_at < now() - interval '300 ms'
    `.execute(server.db);
    return rows.length === 1;
  };
  const isLocked = async () => {
    const { rows } = await sql`
      select from campaigns where id = ${decodeId('cmp', id)} for update skip locked
    `.execute(server.db);
    return rows.length === 0;
  };
  const { request } = await inTransaction(server.db, async (trx) => {
    // Unscheduling inserts webhook calls last, so it waits here.
    await sql`lock table webhooks in access exclusive mode`.execute(trx);
    const waiting = unschedule(id);
    await expect.poll(isLocked, { interval: 20 }).toBe(true);
    expect(await isDue()).toBe(false);
    await expect.poll(isDue).toBe(true);
    return { request: waiting };
  });
  expect((await request).status).toBe(200);
  // The runner starts due campaigns before it advances running ones, so it has checked this campaign by the
  // time the next one is sent.
  const next = await create(await addBook([{ email: 'next@race.test' }]));
  await start(next);
  await untilStatus(next, 'SENT');
  expect([(await get(id)).status, recipients()]).toEqual(['DRAFT', ['next@race.test']]);
});
