import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startRelayWorld, type RelayWorld } from '../../../testing/fixtures/relay-world.ts';
import type { TestServer, TestTeam } from '../../../testing/test-server.ts';

let world: RelayWorld;
let sink: RelayWorld['sink'];
let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  world = await startRelayWorld({ env: { MAIL_HOST: 'mx.posthorn.example', WEBHOOK_ALLOW_PRIVATE: 'true' } });
  ({ sink, server } = world);
  team = await server.createTeam();
  await team.call('POST', '/domains', { name: 'news.test' });
  await setVerified(true);
});
afterAll(() => world.close());
beforeEach(async () => {
  sink.reset();
  const domainId = (await team.call('GET', '/domains')).body[0].id;
  await team.call('POST', `/domains/${domainId}/release-brake`, { reason: 'The next test begins.' });
});

async function setVerified(held: boolean): Promise<void> {
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

async function noticesAbout(id: string): Promise<string[]> {
  const { body } = await team.call('GET', '/notices');
  return body.items
    .filter((notice: { id: string }) => notice.id === id)
    .map(({ message }: { message: string }) => message);
}

async function untilStatus(id: string, status: string): Promise<void> {
  await expect.poll(async () => (await get(id)).status, { timeout: 60_000, interval: 20 }).toBe(status);
}

/** Sends slowly enough that a test can act while the campaign runs. */
const SLOW = { ratePerMinute: 1, sendNow: true };
const LATER = { scheduledAt: '2030-01-01T09:00:00Z' };

describe('a campaign pauses itself and says why, also in a notice until someone resumes it', () => {
  test('when its domain is no longer verified, and can be resumed once it is', async () => {
    const id = await create(await addBook(3), SLOW);
    await sink.waitForMessages(1, 20_000);
    await setVerified(false);
    await untilStatus(id, 'PAUSED');
    const { statusReason } = await get(id);
    expect(statusReason).toContain('domain');
    expect(await noticesAbout(id)).toEqual([`The campaign “News” was paused. ${statusReason}`]);
    expect((await team.call('POST', `/campaigns/${id}/resume`)).status).toBe(400);
    await setVerified(true);
    expect((await team.call('POST', `/campaigns/${id}/resume`)).status).toBe(200);
    expect(await get(id)).toMatchObject({ status: 'RUNNING', statusReason: null, sent: 1 });
    expect(await noticesAbout(id)).toEqual([]);
    await team.call('POST', `/campaigns/${id}/pause`);
    expect(await noticesAbout(id)).toEqual([]);
  });

  test('when its time comes and its domain is not verified', async () => {
    const id = await create(await addBook(1), {
      scheduledAt: new Date(Date.now() + 1_000).toISOString(),
    });
    await setVerified(false);
    await untilStatus(id, 'PAUSED');
    await setVerified(true);
    expect(sink.messages).toHaveLength(0);
  });

  test('when its content cannot be rendered, and no recipient counts as sent', async () => {
    const id = await create(await addBook(3), LATER);
    await sql`update campaigns set html = null, content = '{}' where status = 'SCHEDULED'`.execute(server.db);
    await team.call('POST', `/campaigns/${id}/schedule`, {});
    await untilStatus(id, 'PAUSED');
    expect(await get(id)).toMatchObject({
      sent: 0,
      total: 3,
      statusReason: expect.stringContaining('rendered'),
    });
    await sql`update campaigns set html = '<p>Mended</p>' where status = 'PAUSED'`.execute(server.db);
    await team.call('POST', `/campaigns/${id}/resume`);
    await untilStatus(id, 'SENT');
    expect(await get(id)).toMatchObject({ sent: 3, delivered: 3 });
  });

  test('when everything is rejected, instead of using up the list', async () => {
    sink.behave({ replies: { RCPT: '550 5.7.1 Not from you' } });
    const id = await create(await addBook(400), { sendNow: true });
    await untilStatus(id, 'PAUSED');
    const { sent, statusReason } = await get(id);
    // The brake of the domain may be faster.
    expect(statusReason).toMatch(/100 emails in a row|The brake of news\.test stopped it/);
    expect(await noticesAbout(id)).toEqual([`The campaign “News” was paused. ${statusReason}`]);
    expect(sent).toBeLessThan(250);
  }, 60_000);
});

describe('a contact book', () => {
  test('cannot be deleted while a campaign is being sent to it', async () => {
    const book = await addBook(3);
    const id = await create(book, SLOW);
    const { status, body } = await team.call('DELETE', `/contactBooks/${book}`);
    expect([status, typeof body.error]).toEqual([409, 'string']);
    await team.call('POST', `/campaigns/${id}/pause`);
    expect((await team.call('DELETE', `/contactBooks/${book}`)).status).toBe(200);
    expect(await get(id)).toMatchObject({ status: 'PAUSED', statusReason: 'The contact book was deleted.' });
    expect((await team.call('POST', `/campaigns/${id}/resume`)).status).toBe(400);
    expect((await team.call('POST', `/campaigns/${id}/schedule`, LATER)).status).toBe(400);
    expect((await team.call('DELETE', `/campaigns/${id}`)).status).toBe(200);
  });

  test('pauses the scheduled campaign that uses it when it is deleted', async () => {
    const book = await addBook(1);
    const id = await create(book, LATER);
    expect((await team.call('DELETE', `/contactBooks/${book}`)).status).toBe(200);
    expect(await get(id)).toMatchObject({ status: 'PAUSED', statusReason: 'The contact book was deleted.' });
  });
});

async function excludeFrom(otherBook: string) {
  const input = { name: 'Customers', contactBookId: otherBook, filter: { all: [] } };
  const { body } = await team.call('POST', '/segments', input);
  return { segmentId: body.id, excludeSegmentIds: [body.id] };
}

describe('an excluded segment', () => {
  const gone = 'A segment of this campaign was deleted.';

  test('that is deleted with its book stops the campaign from starting, instead of sending it to everyone', async () => {
    const other = await addBook(1);
    const { excludeSegmentIds } = await excludeFrom(other);
    const id = await create(await addBook(2), { ...LATER, excludeSegmentIds });
    expect((await team.call('DELETE', `/contactBooks/${other}`)).status).toBe(200);
    await sql`update campaigns set scheduled_at = now() where status = 'SCHEDULED'`.execute(server.db);
    await untilStatus(id, 'PAUSED');
    expect(await get(id)).toMatchObject({ total: 0, statusReason: gone });
    expect(sink.messages).toEqual([]);
  });

  test('that was deleted must be removed from the draft first', async () => {
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
    await untilStatus(id, 'SENT');
  });
});

test('segments and topics cannot be deleted while an unfinished campaign uses them', async () => {
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

test('webhooks are called for every state', async () => {
  await team.call('POST', '/webhooks', { url: 'http://127.0.0.1:9/', events: ['campaign.*'] });
  const id = await create(await addBook(2), LATER);
  await team.call('POST', `/campaigns/${id}/pause`);
  await team.call('POST', `/campaigns/${id}/resume`);
  await team.call('POST', `/campaigns/${id}/schedule`, {});
  await untilStatus(id, 'SENT');
  const { rows } = await sql<{ type: string; data: { total: number; sent: number } }>`
    select type, data from webhook_events order by id
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
