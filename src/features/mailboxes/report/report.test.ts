import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeId } from '../../../platform/ids.ts';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';
import { setUpOwner, type TestPerson } from '../../../testing/people.ts';

let world: MailWorld;
let owner: TestPerson;

beforeAll(async () => {
  world = await startMailWorld();
  owner = await setUpOwner(world.server);
});
afterAll(() => world.close());

interface Box {
  id: string;
  address: string;
}

async function answer(box: Box, subject: string, call = world.team.call): Promise<string> {
  const thread = (await world.threads(box.id)).find((each) => each.subject === subject)!;
  const { status, body } = await call('POST', `/mailboxes/${box.id}/messages`, {
    to: ['charles@example.org'],
    subject: `Re: ${subject}`,
    text: 'Yes.',
    thread_id: thread.id,
    undo_seconds: 0,
  });
  expect(status).toBe(200);
  return body.id;
}

/** Moves messages in time: there is no other way to have mail of other days. */
async function receiveAt(box: Box, subject: string, at: string) {
  await world.receive(box, { subject });
  await sql`
    update messages set created_at = ${at}, saved_at = ${at}
    where subject = ${subject} and mailbox_id = ${decodeId('mbx', box.id)}
  `.execute(world.server.db);
}

async function answerAt(box: Box, subject: string, at: string) {
  const id = decodeId('msg', await answer(box, subject));
  await sql`update messages set created_at = ${at}, saved_at = ${at} where id = ${id}`.execute(
    world.server.db,
  );
  await sql`
    update emails set scheduled_at = ${at} where id = (select email_id from messages where id = ${id})
  `.execute(world.server.db);
}

function report(box: Box, query = '', call = world.team.call) {
  return call('GET', `/mailboxes/${box.id}/report${query}`);
}

test('counts what came and went, and what waits', async () => {
  const box = await world.freshMailbox();
  const empty = await report(box);
  expect(empty.status).toBe(200);
  expect(empty.body).toMatchObject({
    received: 0,
    sent: 0,
    answered: 0,
    open: 0,
    first_answer: { median_minutes: null, p90_minutes: null },
    by_person: [],
  });
  expect(empty.body.by_day).toHaveLength(30);
  await world.receive(box, { subject: 'Answered' });
  await world.receive(box, { subject: 'Open' });
  await world.receive(box, { subject: 'Filed' });
  const filed = (await world.threads(box.id)).find(({ subject }) => subject === 'Filed')!;
  await world.team.call('PATCH', `/threads/${filed.id}`, { folder: 'archive' });
  await answer(box, 'Answered');
  await world.team.call('POST', `/mailboxes/${box.id}/messages`, {
    to: ['eve@example.org'],
    subject: 'Later',
    text: 'x',
    undo_seconds: 120,
  });
  const { body } = await report(box);
  expect(body).toMatchObject({ received: 3, sent: 1, answered: 1, open: 1 });
  expect(body.first_answer.median_minutes).toBeLessThan(2);
  expect(body.by_person).toEqual([
    { user_id: null, name: null, sent: 1, answered: 1, median_minutes: expect.any(Number) },
  ]);
  expect(body.by_day.at(-1)).toMatchObject({ received: 3, sent: 1, answered: 1 });
});

test('days are those of the time zone, and the median is over conversations', async () => {
  const box = await world.freshMailbox();
  await receiveAt(box, 'Late', '2026-03-01T23:30:00Z');
  await receiveAt(box, 'Noon', '2026-03-02T12:00:00Z');
  await receiveAt(box, 'Never', '2026-03-03T12:00:00Z');
  await receiveAt(box, 'Before', '2026-02-01T12:00:00Z');
  await answerAt(box, 'Late', '2026-03-01T23:40:00Z');
  await answerAt(box, 'Noon', '2026-03-02T12:20:00Z');
  await answerAt(box, 'Before', '2026-03-02T13:00:00Z');
  const range = '?from=2026-03-02&to=2026-03-03';
  const berlin = await report(box, `${range}&timezone=Europe/Berlin`);
  expect(berlin.body).toMatchObject({
    received: 3,
    sent: 3,
    answered: 2,
    open: 1,
    first_answer: { median_minutes: 15, p90_minutes: 19 },
    by_day: [
      { date: '2026-03-02', received: 2, sent: 3, answered: 2 },
      { date: '2026-03-03', received: 1, sent: 0, answered: 0 },
    ],
  });
  const utc = await report(box, range);
  expect(utc.body).toMatchObject({ received: 2, sent: 2, answered: 1 });
});

test('names the people who answered, and only for those who may read the mailbox', async () => {
  const { body: domain } = await owner.call('POST', '/domains', { name: 'quay.test' });
  await owner.call('PUT', `/domains/${domain.id}/verify`);
  const { body: box } = await owner.call('POST', '/mailboxes', { address: 'desk@quay.test' });
  await world.receive(box, { subject: 'Who' });
  const { items } = (await owner.call('GET', `/mailboxes/${box.id}/threads`)).body;
  await owner.call('POST', `/mailboxes/${box.id}/messages`, {
    to: ['charles@example.org'],
    subject: 'Re: Who',
    text: 'Me',
    thread_id: items[0].id,
    undo_seconds: 0,
  });
  const { body } = await report(box, '', owner.call);
  expect(body.by_person).toEqual([
    expect.objectContaining({ user_id: expect.stringMatching(/^usr_/), sent: 1, answered: 1 }),
  ]);
  expect((await report(box)).status).toBe(404);
  await owner.call('PUT', `/mailboxes/${box.id}/access`, { mode: 'listed', people: [] });
  expect((await report(box, '', owner.call)).status).toBe(403);
});

test.each([
  '?from=2026-03-02',
  '?from=2026-02-30&to=2026-03-01',
  '?from=2026-03-02&to=2026-03-01',
  '?from=2020-01-01&to=2026-03-01',
  '?timezone=Mars/Base',
])('%s is rejected', async (query) => {
  const { status, body } = await report(await world.freshMailbox(), query);
  expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
});
