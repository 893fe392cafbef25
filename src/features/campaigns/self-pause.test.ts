import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startSmtpSink, type SmtpSink } from '../../testing/smtp-sink.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';

let sink: SmtpSink;
let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  sink = await startSmtpSink();
  server = await startTestServer({
    doors: ['http', 'worker'],
    env: {
      MAIL_TRANSPORT: 'relay',
      RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
      MAIL_HOST: 'mx.posthorn.example',
      WEBHOOK_ALLOW_PRIVATE: 'true',
    },
  });
  team = await server.createTeam();
  await team.call('POST', '/domains', { name: 'news.test' });
  await holdDomain(true);
});
afterAll(async () => {
  await server.close();
  await sink.close();
});
beforeEach(() => sink.reset());

async function holdDomain(held: boolean): Promise<void> {
  await sql`update domains set held = ${held}, status = 'SUCCESS'`.execute(server.db);
}

async function addBook(count: number): Promise<string> {
  const { body } = await team.call('POST', '/contactBooks', { name: 'News' });
  const people = Array.from({ length: count }, (_, at) => ({ email: `u${at}@example.org` }));
  await team.call('POST', `/contactBooks/${body.id}/contacts/bulk`, people);
  return body.id;
}

async function create(contactBookId: string, changes: object = {}): Promise<string> {
  const { status, body } = await team.call('POST', '/campaigns', {
    name: 'News',
    from: 'News <hello@news.test>',
    subject: 'Hello',
    contactBookId,
    html: '<p>Hello</p>',
    ...changes,
  });
  expect([status, body.error]).toEqual([200, undefined]);
  return body.id;
}

async function get(id: string) {
  return (await team.call('GET', `/campaigns/${id}`)).body;
}

async function becomes(id: string, status: string): Promise<void> {
  await expect.poll(async () => (await get(id)).status, { timeout: 60_000, interval: 20 }).toBe(status);
}

/** Runs, but so slowly that there is time to do something to it. */
const SLOW = { ratePerMinute: 1, sendNow: true };
const LATER = { scheduledAt: '2030-01-01T09:00:00Z' };

describe('a campaign pauses itself and says why', () => {
  test('when its domain is not verified any more, and goes on when it is', async () => {
    const id = await create(await addBook(3), SLOW);
    await sink.waitForMessages(1, 20_000);
    await holdDomain(false);
    await becomes(id, 'PAUSED');
    expect((await get(id)).statusReason).toContain('domain');
    expect((await team.call('POST', `/campaigns/${id}/resume`)).status).toBe(400);
    await holdDomain(true);
    expect((await team.call('POST', `/campaigns/${id}/resume`)).status).toBe(200);
    expect(await get(id)).toMatchObject({ status: 'RUNNING', statusReason: null, sent: 1 });
    await team.call('POST', `/campaigns/${id}/pause`);
  });

  test('when its time comes and its domain is lost', async () => {
    const id = await create(await addBook(1), {
      scheduledAt: new Date(Date.now() + 1_000).toISOString(),
    });
    await holdDomain(false);
    await becomes(id, 'PAUSED');
    await holdDomain(true);
    expect(sink.messages).toHaveLength(0);
  });

  test('when its content cannot be rendered, and nobody counts as tried', async () => {
    const id = await create(await addBook(3), LATER);
    await sql`update campaigns set html = null, content = '{}' where status = 'SCHEDULED'`.execute(server.db);
    await team.call('POST', `/campaigns/${id}/schedule`, {});
    await becomes(id, 'PAUSED');
    expect(await get(id)).toMatchObject({
      sent: 0,
      total: 3,
      statusReason: expect.stringContaining('rendered'),
    });
    await sql`update campaigns set html = '<p>Mended</p>' where status = 'PAUSED'`.execute(server.db);
    await team.call('POST', `/campaigns/${id}/resume`);
    await becomes(id, 'SENT');
    expect(await get(id)).toMatchObject({ sent: 3, delivered: 3 });
  });

  test('when everything is refused, instead of burning the list', async () => {
    sink.behave({ replies: { RCPT: '550 5.7.1 Not from you' } });
    const id = await create(await addBook(400), { sendNow: true });
    await becomes(id, 'PAUSED');
    // What was on the wire is still being written down.
    await expect.poll(async () => (await get(id)).sent, { timeout: 10_000 }).toBeGreaterThanOrEqual(100);
    const { sent, statusReason } = await get(id);
    expect(statusReason).toContain('100 letters in a row');
    expect(sent).toBeLessThan(250);
  }, 60_000);
});

describe('a contact book', () => {
  test('stays while a campaign is being sent to it', async () => {
    const book = await addBook(3);
    const id = await create(book, SLOW);
    const { status, body } = await team.call('DELETE', `/contactBooks/${book}`);
    expect([status, typeof body.error]).toEqual([409, 'string']);
    await team.call('POST', `/campaigns/${id}/pause`);
    expect((await team.call('DELETE', `/contactBooks/${book}`)).status).toBe(200);
    expect(await get(id)).toMatchObject({ status: 'PAUSED', statusReason: 'Its contact book was deleted.' });
    expect((await team.call('POST', `/campaigns/${id}/resume`)).status).toBe(400);
    expect((await team.call('POST', `/campaigns/${id}/schedule`, LATER)).status).toBe(400);
    expect((await team.call('DELETE', `/campaigns/${id}`)).status).toBe(200);
  });

  test('takes the campaign that waits for it into a pause', async () => {
    const book = await addBook(1);
    const id = await create(book, LATER);
    expect((await team.call('DELETE', `/contactBooks/${book}`)).status).toBe(200);
    expect(await get(id)).toMatchObject({ status: 'PAUSED', statusReason: 'Its contact book was deleted.' });
  });
});

async function excludeFrom(otherBook: string) {
  const input = { name: 'Customers', contactBookId: otherBook, filter: { all: [] } };
  const { body } = await team.call('POST', '/segments', input);
  return { segmentId: body.id, excludeSegmentIds: [body.id] };
}

describe('a segment that is left out', () => {
  const gone = 'A segment that it goes to or leaves out was deleted.';

  test('and goes with its book keeps the campaign from starting, instead of letting everybody get it', async () => {
    const other = await addBook(1);
    const { excludeSegmentIds } = await excludeFrom(other);
    const id = await create(await addBook(2), { ...LATER, excludeSegmentIds });
    expect((await team.call('DELETE', `/contactBooks/${other}`)).status).toBe(200);
    await sql`update campaigns set scheduled_at = now() where status = 'SCHEDULED'`.execute(server.db);
    await becomes(id, 'PAUSED');
    expect(await get(id)).toMatchObject({ total: 0, statusReason: gone });
    expect(sink.messages).toEqual([]);
  });

  test('and is deleted under a draft must be taken out of it first', async () => {
    const book = await addBook(2);
    const { segmentId, excludeSegmentIds } = await excludeFrom(book);
    const id = await create(book, { segmentId, excludeSegmentIds });
    expect((await team.call('DELETE', `/segments/${segmentId}`)).status).toBe(200);
    const { status, body } = await team.call('POST', `/campaigns/${id}/schedule`, {});
    expect([status, body.error.message]).toEqual([400, gone]);
    const renamed = await team.call('PATCH', `/campaigns/${id}`, { name: 'Renamed' });
    expect([renamed.status, renamed.body.name]).toEqual([200, 'Renamed']);
    await team.call('PATCH', `/campaigns/${id}`, { segmentId: null, excludeSegmentIds: [] });
    expect((await team.call('POST', `/campaigns/${id}/schedule`, {})).status).toBe(200);
    await becomes(id, 'SENT');
  });
});

test('segments and topics stay while a campaign that is not through uses them', async () => {
  const book = await addBook(1);
  const input = { name: 'All', contactBookId: book, filter: { all: [] } };
  const { body: segment } = await team.call('POST', '/segments', input);
  const { body: excluded } = await team.call('POST', '/segments', input);
  const { body: topic } = await team.call('POST', '/topics', { name: 'T' });
  const id = await create(book, {
    ...LATER,
    segmentId: segment.id,
    excludeSegmentIds: [excluded.id],
    topicId: topic.id,
  });
  const paths = [`/segments/${segment.id}`, `/segments/${excluded.id}`, `/topics/${topic.id}`];
  for (const path of paths) expect((await team.call('DELETE', path)).status).toBe(409);
  await team.call('DELETE', `/campaigns/${id}`);
  for (const path of paths) expect((await team.call('DELETE', path)).status).toBe(200);
});

test('webhooks hear of every state', async () => {
  await team.call('POST', '/webhooks', { url: 'http://127.0.0.1:9/', events: ['campaign.*'] });
  const id = await create(await addBook(2), LATER);
  await team.call('POST', `/campaigns/${id}/pause`);
  await team.call('POST', `/campaigns/${id}/resume`);
  await team.call('POST', `/campaigns/${id}/schedule`, {});
  await becomes(id, 'SENT');
  const { rows } = await sql<{ type: string; data: { total: number; sent: number } }>`
    select type, data from webhook_calls order by id
  `.execute(server.db);
  expect(rows.map(({ type }) => type)).toEqual([
    'campaign.scheduled',
    'campaign.paused',
    'campaign.resumed',
    'campaign.started',
    'campaign.sent',
  ]);
  expect(rows.at(-1)!.data).toMatchObject({ campaignId: id, status: 'SENT', total: 2, sent: 2 });
});
