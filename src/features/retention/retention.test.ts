import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeId, encodeId } from '../../platform/ids.ts';
import { addPerson, setUpOwner, type TestPerson } from '../../testing/people.ts';
import { startTestServer, type Call, type TestServer } from '../../testing/test-server.ts';
import { enqueue } from '../jobs/jobs.ts';

const polled = { interval: 50 };
const DAY_MS = 86_400_000;
let server: TestServer;
let owner: TestPerson;

beforeAll(async () => {
  server = await startTestServer({
    doors: ['http', 'worker'],
    env: { EMAIL_CONTENT_DAYS: '40', SANDBOX_DAYS: '20', EVENT_DAYS: '365' },
  });
  owner = await setUpOwner(server);
  await addDomain(owner.call, 'shop.test');
});
afterAll(() => server.close());

async function addDomain(call: Call, name: string): Promise<void> {
  const { body } = await call('POST', '/domains', { name });
  await call('PUT', `/domains/${body.id}/verify`);
}

async function send(call: Call, subject: string, more: object = {}): Promise<string> {
  const email = { from: 'a@shop.test', to: 'ada@example.org', subject, text: 'Hello', ...more };
  const { status, body } = await call('POST', '/emails', email);
  expect(status).toBe(200);
  if (!('scheduledAt' in more))
    await expect.poll(async () => (await read(call, body.emailId)).status, polled).toBe('DELIVERED');
  return body.emailId;
}

async function read(call: Call, emailId: string) {
  const { status, body } = await call('GET', `/emails/${emailId}`);
  expect(status).toBe(200);
  return body;
}

/** Makes an email and everything about it older. IDs contain the time, so the email gets another one. */
async function age(emailId: string, days: number): Promise<string> {
  const id = decodeId('eml', emailId)!;
  const hex = (Date.now() - days * DAY_MS).toString(16).padStart(12, '0');
  const oldId = `${hex.slice(0, 8)}-${hex.slice(8)}${id.slice(13)}`;
  for (const table of ['email_contents', 'email_recipients', 'email_visits', 'messages'])
    await sql`update ${sql.table(table)} set email_id = ${oldId} where email_id = ${id}`.execute(server.db);
  await sql`update emails set id = ${oldId} where id = ${id}`.execute(server.db);
  await sql`
    update sandbox_messages set email_id = ${oldId}, id = overlay(id::text placing ${oldId.slice(0, 13)} from 1)::uuid
    where email_id = ${id}`.execute(server.db);
  await sql`
    update events set subject_id = ${oldId}, created_at = now() - make_interval(days => ${days}::integer)
    where subject_id = ${id}`.execute(server.db);
  return encodeId('eml', oldId);
}

/** Runs the job as the schedule does, and waits until it has ended. */
async function expire(): Promise<void> {
  await enqueue(server.db, 'expire-old-data', {});
  const isDone = async () => {
    const { rows } = await sql`
      select 1 from jobs j
      where j.name = 'expire-old-data'`.execute(server.db);
    return rows.length === 0;
  };
  await expect.poll(isDone, polled).toBe(true);
}

async function sandboxIds(call: Call): Promise<string[]> {
  return (await call('GET', '/sandbox/messages')).body.items.map(
    ({ emailId }: { emailId: string }) => emailId,
  );
}

test('content past its time reads as null, and the email, its events and counts stay', async () => {
  const { call } = owner;
  const old = await age(await send(call, 'Old'), 41);
  const newer = await age(await send(call, 'Newer'), 39);
  const middle = await age(await send(call, 'Middle'), 19);
  const before = await read(call, old);
  expect(before.text).toContain('Hello');

  await expire();
  expect(await read(call, old)).toEqual({
    ...before,
    html: null,
    text: null,
    contentDeletedAt: expect.any(String),
  });
  expect((await call('GET', `/emails/${old}/source`)).body).toEqual({ emailId: old, raw: null });
  expect(await read(call, newer)).toMatchObject({
    text: expect.stringContaining('Hello'),
    contentDeletedAt: null,
  });
  expect(await sandboxIds(call)).toEqual([middle]);
});

test('email that can still be sent and mail of a mailbox keep their content', async () => {
  const { call } = owner;
  const later = await send(call, 'Later', { scheduledAt: new Date(Date.now() + DAY_MS).toISOString() });
  const scheduled = await age(later, 50);
  const { body: box } = await call('POST', '/mailboxes', { address: 'box@shop.test' });
  const message = { to: ['ada@example.org'], subject: 'Thread', text: 'Kept', undo_seconds: 0 };
  const sent = await call('POST', `/mailboxes/${box.id}/messages`, message);
  const findSent = async () => (await call('GET', '/emails?search=Thread')).body.items[0];
  await expect.poll(async () => (await findSent())?.status, polled).toBe('DELIVERED');
  const inMailbox = await age((await findSent()).id, 50);
  const gone = await age(await send(call, 'Gone'), 50);

  await expire();
  expect((await read(call, gone)).text).toBe(null);
  expect((await read(call, scheduled)).text).toContain('Hello');
  expect((await read(call, inMailbox)).text).toContain('Kept');
  expect((await call('GET', `/messages/${sent.body.id}/raw`)).body).toContain('Kept');
});

test('a team can keep data for a shorter time, and others are not affected', async () => {
  const { call } = owner;
  const other = await server.createTeam();
  await addDomain(other.call, 'other.test');
  const days = { emailContentDays: 5, sandboxDays: 3, eventDays: 7 };
  const changed = await call('PATCH', '/team', days);
  expect([changed.status, changed.body]).toMatchObject([
    200,
    { ...days, retentionLimits: { emailContentDays: 40, sandboxDays: 20, eventDays: 365 } },
  ]);
  const ours = await age(await send(call, 'Ours'), 8);
  const recent = await age(await send(call, 'Recent'), 4);
  const theirs = await age(await send(other.call, 'Theirs', { from: 'a@other.test' }), 8);

  await expire();
  expect(await read(call, ours)).toMatchObject({ text: null, emailEvents: [], status: 'DELIVERED' });
  const kept = await read(call, recent);
  expect(kept.text).toContain('Hello');
  expect(kept.emailEvents.length).toBeGreaterThan(1);
  const untouched = await read(other.call, theirs);
  expect(untouched.text).toContain('Hello');
  expect(untouched.emailEvents.length).toBeGreaterThan(1);
  expect([await sandboxIds(call), await sandboxIds(other.call)]).toEqual([[], [theirs]]);
});

test('only a signed-in owner changes the retention of a team, within the settings of the instance', async () => {
  const admin = await addPerson(server, owner, 'admin');
  const { key } = (await owner.call('POST', '/api-keys', { name: 'K', permission: 'full' })).body;
  const bearer = { authorization: `Bearer ${key}` };
  expect((await admin.call('PATCH', '/team', { eventDays: 10 })).status).toBe(403);
  expect((await server.call('PATCH', '/team', { eventDays: 10 }, bearer)).status).toBe(403);
  expect((await admin.call('PATCH', '/team', { name: 'Renamed' })).body.name).toBe('Renamed');
  for (const wrong of [{ emailContentDays: 41 }, { sandboxDays: 21 }, { eventDays: 0 }, { eventDays: 1.5 }])
    expect([wrong, (await owner.call('PATCH', '/team', wrong)).status]).toEqual([wrong, 400]);
  const cleared = { emailContentDays: null, sandboxDays: null, eventDays: null };
  expect((await owner.call('PATCH', '/team', cleared)).body).toMatchObject(cleared);
});
