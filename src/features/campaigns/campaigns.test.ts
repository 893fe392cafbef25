import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDomain } from '../../testing/factories.ts';
import { createCall, shareTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;
let domainId: number;
let book: string;
let emptyBook: string;

beforeAll(async () => {
  server = await shareTestServer();
  team = await server.createTeam();
  domainId = await addDomain(server.db, team.teamId, 'news.test');
  book = await addBook(team, ['ada@example.org', 'bob@example.org']);
  emptyBook = await addBook(team, []);
});
afterAll(() => server.close());

async function addBook(owner: TestTeam, emails: string[]): Promise<string> {
  const { body } = await owner.call('POST', '/contactBooks', { name: 'News' });
  if (emails.length > 0) {
    const contacts = emails.map((email) => ({ email }));
    expect((await owner.call('POST', `/contactBooks/${body.id}/contacts/bulk`, contacts)).status).toBe(200);
  }
  return body.id;
}

function campaign(changes: object = {}) {
  return {
    name: 'November',
    from: 'News <hello@news.test>',
    subject: 'Hello {{firstName,fallback=friend}}',
    contactBookId: book,
    html: '<p>Hello</p>',
    ...changes,
  };
}

async function create(changes: object = {}): Promise<string> {
  const { status, body } = await team.call('POST', '/campaigns', campaign(changes));
  expect([status, body.error]).toEqual([200, undefined]);
  return body.id;
}

async function statusOf(id: string): Promise<string> {
  return (await team.call('GET', `/campaigns/${id}`)).body.status;
}

function past(ms: number) {
  return { scheduledAt: new Date(Date.now() - ms).toISOString() };
}

const LATER = '2030-01-01T09:00:00+01:00';

describe('creating', () => {
  test('creates a draft with every field set', async () => {
    const { status, body } = await team.call('POST', '/campaigns', campaign());
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^cmp_/),
      name: 'November',
      from: 'News <hello@news.test>',
      subject: 'Hello {{firstName,fallback=friend}}',
      previewText: null,
      contactBookId: book,
      contactBookIds: [book],
      html: '<p>Hello</p>',
      content: null,
      status: 'DRAFT',
      scheduledAt: null,
      batchSize: 500,
      batchWindowMinutes: 0,
      total: 0,
      sent: 0,
      replyTo: [],
      cc: [],
      bcc: [],
      segmentId: null,
      topicId: null,
      tracking: { opens: null, clicks: null },
    });
    expect((await team.call('GET', `/campaigns/${body.id}`)).body).toEqual(body);
  });

  test.each([
    ['no name', { name: undefined }, 'name'],
    ['an empty name', { name: '  ' }, 'name'],
    ['no from', { from: undefined }, 'from'],
    ['a from that is no address', { from: 'hello' }, 'from'],
    ['no subject', { subject: undefined }, 'subject'],
    ['no book', { contactBookId: undefined }, 'contactBookId'],
    ['no content', { html: undefined }, 'html'],
    ['empty html', { html: '' }, 'html'],
    ['content that is no document', { html: undefined, content: '{"type":"x"}' }, 'content'],
    ['a batch of none', { batchSize: 0 }, 'batchSize'],
    ['a batch too large', { batchSize: 100_001 }, 'batchSize'],
    ['a time that is none', { scheduledAt: 'soonish' }, 'scheduledAt'],
    ['a past time', { scheduledAt: '2020-01-01T00:00:00Z' }, 'scheduledAt'],
    ['an unverified domain', { from: 'a@elsewhere.test' }, 'from'],
    ['sendNow that is no boolean', { sendNow: 'yes' }, 'sendNow'],
  ])('with %s is 400', async (_, changes, word) => {
    const { status, body } = await team.call('POST', '/campaigns', campaign(changes));
    expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
    expect(body.error.message).toContain(word);
  });

  test.each([
    ['contactBookId', 'cbk_01kbd8x4zvf7m8rk2q3w5t6y7h', 'Contact book'],
    ['contactBookId', 'nothing', 'Contact book'],
    ['segmentId', 'seg_01kbd8x4zvf7m8rk2q3w5t6y7h', 'Segment'],
    ['topicId', 'top_01kbd8x4zvf7m8rk2q3w5t6y7h', 'Topic'],
  ])('with an unknown %s %s is 404, whatever else is invalid', async (field, value, what) => {
    const changes = { [field]: value, from: 'a@elsewhere.test', scheduledAt: '2020-01-01T00:00:00Z' };
    const { status, body } = await team.call('POST', '/campaigns', campaign(changes));
    expect([status, body.error]).toEqual([404, { code: 'NOT_FOUND', message: `${what} not found` }]);
  });

  test('accepts the editor document as an object, several books, copies, and a time in English', async () => {
    const document = { type: 'doc', content: [{ type: 'paragraph' }] };
    const id = await create({
      html: undefined,
      content: document,
      contactBookId: undefined,
      contactBookIds: [book, emptyBook, book],
      replyTo: 'desk@news.test',
      cc: ['Copy <copy@example.org>'],
      scheduledAt: 'tomorrow 9am',
    });
    const { body } = await team.call('GET', `/campaigns/${id}`);
    expect(body).toMatchObject({
      content: JSON.stringify(document),
      contactBookId: book,
      contactBookIds: [book, emptyBook],
      replyTo: ['desk@news.test'],
      cc: ['Copy <copy@example.org>'],
      status: 'SCHEDULED',
    });
    expect(body.scheduledAt).toMatch(/T09:00:00.000Z$/);
  });

  test('with sendNow and an empty book is 400 and creates nothing', async () => {
    const before = (await team.call('GET', '/campaigns')).body.campaigns.length;
    const body = campaign({ contactBookId: emptyBook, sendNow: true });
    expect((await team.call('POST', '/campaigns', body)).status).toBe(400);
    expect((await team.call('GET', '/campaigns')).body.campaigns).toHaveLength(before);
  });

  test('rejects a segment of another book', async () => {
    const filter = { all: [] };
    const { body } = await team.call('POST', '/segments', { name: 'All', contactBookId: emptyBook, filter });
    expect((await team.call('POST', '/campaigns', campaign({ segmentId: body.id }))).status).toBe(400);
    await create({ segmentId: body.id, contactBookIds: [emptyBook] });
  });
});

describe('changing', () => {
  test('replaces the named fields of a draft', async () => {
    const id = await create({ previewText: 'Soon', topicId: null });
    const changes = { name: 'December', previewText: null, batchSize: 7, tracking: { opens: false } };
    const { status, body } = await team.call('PATCH', `/campaigns/${id}`, changes);
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'December', previewText: null, batchSize: 7, html: '<p>Hello</p>' });
    expect(body.tracking).toEqual({ opens: false, clicks: null });
    expect((await team.call('PATCH', `/campaigns/${id}`, {})).body).toEqual(body);
    const content = JSON.stringify({ type: 'doc', content: [{ type: 'paragraph' }] });
    const rewritten = await team.call('PATCH', `/campaigns/${id}`, { content });
    expect(rewritten.body).toMatchObject({ content, html: null });
  });

  test('cannot remove all content, and cannot change a running campaign', async () => {
    const id = await create();
    expect((await team.call('PATCH', `/campaigns/${id}`, { html: null })).status).toBe(400);
    await team.call('POST', `/campaigns/${id}/schedule`);
    const { status, body } = await team.call('PATCH', `/campaigns/${id}`, { name: 'x' });
    expect([status, body.error.code]).toEqual([409, 'CONFLICT']);
  });
});

describe('states', () => {
  test('schedule for later, pause, pause again, resume', async () => {
    const id = await create();
    expect(
      await team.call('POST', `/campaigns/${id}/schedule`, { scheduledAt: LATER, batchSize: 3 }),
    ).toMatchObject({ status: 200, body: { success: true } });
    expect((await team.call('GET', `/campaigns/${id}`)).body).toMatchObject({
      status: 'SCHEDULED',
      scheduledAt: '2030-01-01T08:00:00.000Z',
      batchSize: 3,
    });
    for (let again = 0; again < 2; again++) {
      expect(await team.call('POST', `/campaigns/${id}/pause`)).toMatchObject({
        status: 200,
        body: { success: true },
      });
      expect(await statusOf(id)).toBe('PAUSED');
    }
    expect((await team.call('POST', `/campaigns/${id}/resume`)).body).toEqual({ success: true });
    expect(await statusOf(id)).toBe('SCHEDULED');
    expect((await team.call('POST', `/campaigns/${id}/resume`)).status).toBe(409);
  });

  test('schedule without a body starts it, and a second time is 409', async () => {
    const id = await create();
    expect((await team.call('POST', `/campaigns/${id}/schedule`)).body).toEqual({ success: true });
    expect(await statusOf(id)).toBe('RUNNING');
    for (const body of [{}, { scheduledAt: LATER }, { scheduledAt: '2020-01-01T00:00:00Z' }]) {
      expect((await team.call('POST', `/campaigns/${id}/schedule`, body)).status).toBe(409);
    }
    expect((await team.call('DELETE', `/campaigns/${id}`)).status).toBe(409);
    await team.call('POST', `/campaigns/${id}/pause`);
    expect(await statusOf(id)).toBe('PAUSED');
    expect((await team.call('POST', `/campaigns/${id}/schedule`, { scheduledAt: LATER })).status).toBe(200);
    expect(await statusOf(id)).toBe('SCHEDULED');
    expect((await team.call('POST', `/campaigns/${id}/schedule`, {})).status).toBe(200);
    await team.call('POST', `/campaigns/${id}/pause`);
    expect((await team.call('DELETE', `/campaigns/${id}`)).body).toMatchObject({ id, status: 'PAUSED' });
    expect((await team.call('GET', `/campaigns/${id}`)).status).toBe(404);
    expect((await team.call('POST', `/campaigns/${id}/resume`)).status).toBe(404);
  });

  test('a draft cannot be paused or resumed, and a sent campaign stays sent', async () => {
    const id = await create();
    expect((await team.call('POST', `/campaigns/${id}/pause`)).status).toBe(409);
    expect((await team.call('POST', `/campaigns/${id}/resume`)).status).toBe(409);
    await sql`update campaigns set status = 'SENT' where name = 'November' and status = 'DRAFT'`.execute(
      server.db,
    );
    for (const action of ['pause', 'resume', 'schedule']) {
      expect((await team.call('POST', `/campaigns/${id}/${action}`)).status).toBe(409);
    }
    expect((await team.call('DELETE', `/campaigns/${id}`)).status).toBe(200);
  });

  test('half a minute ago means now; two minutes ago and an empty audience are rejected', async () => {
    const id = await create();
    expect((await team.call('POST', `/campaigns/${id}/schedule`, past(120_000))).status).toBe(400);
    expect((await team.call('POST', `/campaigns/${id}/schedule`, past(30_000))).status).toBe(200);
    expect(await statusOf(id)).toBe('RUNNING');
    const empty = await create({ contactBookId: emptyBook });
    expect((await team.call('POST', `/campaigns/${empty}/schedule`, {})).status).toBe(400);
    expect((await team.call('POST', `/campaigns/${empty}/schedule`, { scheduledAt: LATER })).status).toBe(
      200,
    );
  });

  test.each([
    ['2026-13-01T00:00:00Z'],
    ['2026-02-30T00:00:00Z'],
    ['2030-01-01'],
    ['2030-01-01T09:00:00'],
    ['2030-01-01T09:00'],
    ['2030-02-30T09:00Z'],
    ['2030-01-01T09:00+25'],
    ['2030-01-01 tomorrow'],
    ['not tomorrow'],
    ['tomorrow 25:00'],
    [''],
    [42],
    ['last friday'],
    ['yesterday'],
  ])('scheduledAt %j is 400', async (scheduledAt) => {
    const id = await create();
    expect((await team.call('POST', `/campaigns/${id}/schedule`, { scheduledAt })).status).toBe(400);
    expect(await statusOf(id)).toBe('DRAFT');
  });

  test.each([
    ['2040-01-01T09:00Z', '2040-01-01T09:00:00.000Z'],
    ['2040-01-01T09:00+01:00', '2040-01-01T08:00:00.000Z'],
    ['2040-01-01T09:00:30+0530', '2040-01-01T03:30:30.000Z'],
    ['2040-01-01 09:00:00.5+01', '2040-01-01T08:00:00.500Z'],
  ])('scheduledAt %s is ISO 8601 with an offset and means %s', async (scheduledAt, expected) => {
    const id = await create();
    expect((await team.call('POST', `/campaigns/${id}/schedule`, { scheduledAt })).status).toBe(200);
    expect((await team.call('GET', `/campaigns/${id}`)).body.scheduledAt).toBe(expected);
  });

  test('an unknown campaign is 404 for a valid request and 400 for an invalid one', async () => {
    const id = 'cmp_01kbd8x4zvf7m8rk2q3w5t6y7h';
    const past = { scheduledAt: '2020-01-01T00:00:00Z' };
    expect((await team.call('POST', `/campaigns/${id}/schedule`, past)).status).toBe(404);
    expect((await team.call('POST', '/campaigns/x/pause')).status).toBe(404);
    expect((await team.call('POST', `/campaigns/${id}/schedule`, { batchSize: 'x' })).status).toBe(400);
    expect((await team.call('POST', `/campaigns/${id}/schedule`, [])).status).toBe(400);
  });
});

describe('the list', () => {
  test('has pages of 30, newest first, and filters by status and text', async () => {
    const other = await server.createTeam();
    await addDomain(server.db, other.teamId, 'other.test');
    const theirs = await addBook(other, []);
    const ids: string[] = [];
    for (let at = 0; at < 32; at++) {
      const { body } = await other.call('POST', '/campaigns', {
        ...campaign({ contactBookId: theirs, from: 'a@other.test' }),
        name: `Issue ${at}`,
        subject: at === 3 ? '100%_sure Ärger' : 'News',
      });
      ids.unshift(body.id);
    }
    const idsOf = async (query: string) => {
      const { status, body } = await other.call('GET', `/campaigns${query}`);
      expect(status).toBe(200);
      return [body.campaigns.map((item: { id: string }) => item.id), body.totalPage];
    };
    expect(await idsOf('')).toEqual([ids.slice(0, 30), 2]);
    expect(await idsOf('?page=2')).toEqual([ids.slice(30), 2]);
    expect(await idsOf('?page=2147483647')).toEqual([[], 2]);
    expect(await idsOf('?search=%25_SURE')).toEqual([[ids[28]], 1]);
    expect(await idsOf('?search=%C3%84RGER')).toEqual([[ids[28]], 1]);
    expect(await idsOf('?search=issue_1')).toEqual([[], 0]);
    expect(await idsOf('?search=ISSUE%2031')).toEqual([[ids[0]], 1]);
    await other.call('POST', `/campaigns/${ids[5]}/schedule`, { scheduledAt: LATER });
    expect(await idsOf('?status=SCHEDULED')).toEqual([[ids[5]], 1]);
    const { body } = await other.call('GET', '/campaigns?status=SCHEDULED');
    expect(Object.keys(body.campaigns[0])).toEqual(
      expect.arrayContaining([
        'id',
        'name',
        'from',
        'subject',
        'createdAt',
        'updatedAt',
        'scheduledAt',
        'status',
      ]),
    );
    expect(body.campaigns[0]).toMatchObject({ total: 0, sent: 0, delivered: 0, unsubscribed: 0 });
  });

  test.each([
    'page=0',
    'page=-1',
    'page=x',
    'page=1.5',
    'page=',
    'page=99999999999',
    'status=sent',
    'status=',
  ])('?%s is 400', async (query) => {
    expect((await team.call('GET', `/campaigns?${query}`)).status).toBe(400);
  });
});

describe('access', () => {
  test('another team does not see the campaign', async () => {
    const id = await create();
    const other = await server.createTeam();
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/schedule'],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['GET', '/recipients'],
    ]) {
      const body = method === 'PATCH' ? { name: 'x' } : undefined;
      expect((await other.call(method!, `/campaigns/${id}${path}`, body)).status).toBe(404);
    }
    const to = { to: 'a@example.org' };
    expect((await other.call('POST', `/campaigns/${id}/test`, to)).status).toBe(404);
    expect((await other.call('GET', '/campaigns')).body).toEqual({ campaigns: [], totalPage: 0 });
  });

  test('a key that is bound to a domain works only with campaigns of that domain', async () => {
    const otherDomain = await addDomain(server.db, team.teamId, 'second.test');
    const { body: made } = await team.call('POST', '/api-keys', {
      name: 'Bound',
      permission: 'full',
      domainId: otherDomain,
    });
    const bound = createCall(server.url, made.key);
    const id = await create();
    expect((await bound('GET', `/campaigns/${id}`)).status).toBe(403);
    expect((await bound('POST', `/campaigns/${id}/pause`)).status).toBe(403);
    expect((await bound('POST', '/campaigns', campaign())).status).toBe(403);
    const own = await bound('POST', '/campaigns', campaign({ from: 'a@second.test' }));
    expect(own.status).toBe(200);
    expect((await bound('GET', '/campaigns')).body.campaigns).toHaveLength(1);
  });

  test('a sending key is rejected', async () => {
    const { body } = await team.call('POST', '/api-keys', { name: 'S', permission: 'sending' });
    expect((await createCall(server.url, body.key)('GET', '/campaigns')).status).toBe(403);
  });
});

describe('requirements', () => {
  test('a campaign from an unverified domain cannot be scheduled', async () => {
    const id = await create();
    await sql`update domains set held = false where id = ${domainId}`.execute(server.db);
    expect((await team.call('POST', `/campaigns/${id}/schedule`, { scheduledAt: LATER })).status).toBe(400);
    await sql`update domains set held = true where id = ${domainId}`.execute(server.db);
  });
});
