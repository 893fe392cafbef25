import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCall, shareTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;
let book: string;

const daysFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

const PEOPLE = [
  {
    email: 'ada@example.com',
    firstName: 'Ada',
    lastName: 'Lovelace',
    properties: {
      city: 'London',
      age: 36,
      score: '7.5',
      vip: true,
      joined: '2026-03-01T12:00:00+02:00',
      renews: daysFromNow(1),
    },
  },
  {
    email: 'grace@example.org',
    firstName: 'Grace',
    properties: {
      city: '100%_sure',
      age: '85',
      score: -3,
      vip: 'true',
      joined: '2026-02-30',
      renews: daysFromNow(10).slice(0, 10),
    },
  },
  {
    email: 'alan@BÜCHER.example',
    lastName: 'O\'Neil "x"',
    properties: { city: 7, age: 'old', joined: '2025-12-31', renews: daysFromNow(-2) },
  },
  { email: 'bob@example.com', subscribed: false, properties: { 'a.b?c': 'x', age: 9e15 } },
];

beforeAll(async () => {
  server = await shareTestServer();
  team = await server.createTeam();
  book = (await team.call('POST', '/contactBooks', { name: 'Readers' })).body.id;
  const { status } = await team.call('POST', `/contactBooks/${book}/contacts/bulk`, PEOPLE);
  expect(status).toBe(200);
  await sql`
    update contacts set last_opened_at = '2026-05-01Z', last_clicked_at = '2026-05-02Z' where email = 'ada@example.com'
  `.execute(server.db);
});
afterAll(() => server.close());

/** The first two letters of each matching address. Checks that a stored segment and an ad hoc count agree. */
async function findMatches(filter: object): Promise<string> {
  const { status, body } = await team.call('POST', '/segments', { name: 'S', contactBookId: book, filter });
  expect([status, body]).toMatchObject([200, { filter: expect.any(Object) }]);
  const counted = await team.call('GET', `/segments/${body.id}/count`);
  expect(counted.status).toBe(200);
  const live = await team.call('POST', '/segments/count', { contactBookId: book, filter });
  expect(live.body).toEqual(counted.body);
  const names = await Promise.all(
    PEOPLE.map(async ({ email }) => {
      const only = { field: 'email', op: 'equals', value: email };
      const both = await team.call('POST', '/segments/count', {
        contactBookId: book,
        filter: { all: [only, filter] },
      });
      return both.body.count === 1 ? email.slice(0, 2) : '';
    }),
  );
  const letters = names.filter((name) => name !== '');
  expect(counted.body).toEqual({ count: letters.length });
  return letters.join(' ');
}

const EVERYONE = 'ad gr al bo';

test.each([
  ['email', 'equals', 'ADA@example.com', 'ad'],
  ['email', 'equals', 'alan@xn--bcher-kva.example', 'al'],
  ['email', 'equals', 'nothing like an address', ''],
  ['email', 'notEquals', 'ada@example.com', 'gr al bo'],
  ['email', 'contains', 'EXAMPLE.com', 'ad bo'],
  ['email', 'startsWith', 'a', 'ad al'],
  ['email', 'exists', undefined, EVERYONE],
  ['firstName', 'equals', 'ada', 'ad'],
  ['firstName', 'notEquals', 'ada', 'gr al bo'],
  ['firstName', 'contains', '%', ''],
  ['firstName', 'notContains', 'ra', 'ad al bo'],
  ['firstName', 'exists', null, 'ad gr'],
  ['firstName', 'notExists', 'whatever', 'al bo'],
  ['lastName', 'contains', '\'neil "X', 'al'],
  ['lastName', 'equals', "'; drop table contacts; --", ''],
  ['subscribed', 'equals', true, 'ad gr al'],
  ['subscribed', 'equals', false, 'bo'],
  ['subscribed', 'notEquals', true, 'bo'],
  ['createdAt', 'after', '2020-01-01T00:00:00Z', EVERYONE],
  ['createdAt', 'before', '2020-01-01T00:00:00Z', ''],
  ['createdAt', 'after', '0001-01-01T00:00:00Z', EVERYONE],
  ['updatedAt', 'before', '9999-12-31T23:59:59Z', EVERYONE],
  ['engagement.opened', 'equals', true, 'ad'],
  ['engagement.opened', 'notEquals', true, 'gr al bo'],
  ['engagement.clicked', 'equals', false, 'gr al bo'],
  ['engagement.lastOpenedAt', 'after', '2026-04-30T00:00:00Z', 'ad'],
  ['engagement.lastOpenedAt', 'before', '2026-04-30T00:00:00Z', ''],
  ['engagement.lastClickedAt', 'notExists', null, 'gr al bo'],
  ['properties.city', 'equals', 'LONDON', 'ad'],
  ['properties.city', 'equals', 7, 'al'],
  ['properties.city', 'equals', '7', 'al'],
  ['properties.city', 'notEquals', 'London', 'gr al bo'],
  ['properties.city', 'contains', '0%_', 'gr'],
  ['properties.city', 'contains', '_', 'gr'],
  ['properties.city', 'contains', '\\', ''],
  ['properties.city', 'startsWith', 'lon', 'ad'],
  ['properties.city', 'notContains', 'on', 'gr al bo'],
  ['properties.city', 'exists', null, 'ad gr al'],
  ['properties.city', 'notExists', null, 'bo'],
  ['properties.age', 'greater', 36, 'gr bo'],
  ['properties.age', 'greater', 35.5, 'ad gr bo'],
  ['properties.age', 'less', 100, 'ad gr'],
  ['properties.age', 'equals', 85, 'gr'],
  ['properties.age', 'notEquals', 85, 'ad al bo'],
  ['properties.age', 'greater', 1e308, ''],
  ['properties.score', 'less', 0, 'gr'],
  ['properties.score', 'greater', 7, 'ad'],
  ['properties.vip', 'equals', true, 'ad gr'],
  ['properties.vip', 'notEquals', false, EVERYONE],
  ['properties.vip', 'greater', 0, ''],
  ['properties.joined', 'after', '2026-01-01T00:00:00Z', 'ad'],
  ['properties.joined', 'before', '2026-01-01T00:00:00Z', 'al'],
  ['properties.joined', 'before', '2026-03-01T10:00:00Z', 'al'],
  ['properties.joined', 'after', '2026-03-01T09:59:59Z', 'ad'],
  ['createdAt', 'withinLastDays', 1, EVERYONE],
  ['createdAt', 'moreThanDaysAgo', 1, ''],
  ['engagement.lastOpenedAt', 'moreThanDaysAgo', 36_500, ''],
  ['engagement.lastOpenedAt', 'withinLastDays', 36_500, 'ad'],
  ['properties.renews', 'withinLastDays', 3, 'al'],
  ['properties.renews', 'withinLastDays', 1, ''],
  ['properties.renews', 'moreThanDaysAgo', 1, 'al'],
  ['properties.renews', 'withinNextDays', 2, 'ad'],
  ['properties.renews', 'withinNextDays', 30, 'ad gr'],
  ['properties.vip', 'withinLastDays', 30, ''],
  ['properties.a.b?c', 'equals', 'x', 'bo'],
  ["properties.'); drop", 'exists', null, ''],
])('%s %s %j finds %s', async (field, op, value, people) => {
  expect(await findMatches({ all: [{ field, op, value }] })).toBe(people);
});

const named = (value: string) => ({ field: 'firstName', op: 'equals', value });

test('all and any groups can be nested', async () => {
  expect(await findMatches({ all: [] })).toBe(EVERYONE);
  expect(await findMatches({ any: [named('Ada'), named('Grace')] })).toBe('ad gr');
  expect(await findMatches({ all: [named('Ada'), named('Grace')] })).toBe('');
  const subscribed = { field: 'subscribed', op: 'equals', value: true };
  const com = { field: 'email', op: 'contains', value: '.com' };
  expect(
    await findMatches({ all: [subscribed, { any: [named('Grace'), { all: [com, { all: [] }] }] }] }),
  ).toBe('ad gr');
});

describe('an invalid filter', () => {
  const condition = { field: 'email', op: 'exists' };
  const nest = (levels: number): object =>
    levels === 1 ? { all: [condition] } : { any: [nest(levels - 1)] };

  test.each([
    ['[]', [], '/filter'],
    ['null', null, '/filter'],
    ['neither all nor any', {}, '/filter'],
    ['both', { all: [], any: [condition] }, '/filter'],
    ['no array', { all: {} }, '/filter/all'],
    ['any of nothing', { all: [{ any: [] }] }, '/filter/all/0/any'],
    ['a part that is no object', { all: ['x'] }, '/filter/all/0'],
    ['a condition and a group in one', { all: [{ ...condition, all: [] }] }, '/filter/all/0'],
    ['an unknown field', { all: [{ field: 'team_id', op: 'equals', value: '1' }] }, '/filter/all/0/field'],
    ['a field of Object', { all: [{ field: 'constructor', op: 'exists' }] }, '/filter/all/0/field'],
    ['a field that is no text', { all: [{ field: 7, op: 'exists' }] }, '/filter/all/0/field'],
    ['a property without a name', { all: [{ field: 'properties.', op: 'exists' }] }, '/filter/all/0/field'],
    ['no op', { all: [{ field: 'email' }] }, '/filter/all/0/op'],
    ['an unknown op', { all: [{ field: 'email', op: 'like', value: 'x' }] }, '/filter/all/0/op'],
    [
      'an op of another kind',
      { any: [condition, { field: 'email', op: 'less', value: 1 }] },
      '/filter/any/1/op',
    ],
    [
      'a flag with text',
      { all: [{ field: 'subscribed', op: 'equals', value: 'true' }] },
      '/filter/all/0/value',
    ],
    ['text with a number', { all: [{ field: 'email', op: 'contains', value: 1 }] }, '/filter/all/0/value'],
    ['an empty text', { all: [{ field: 'email', op: 'contains', value: '' }] }, '/filter/all/0/value'],
    [
      'a property with a list',
      { all: [{ field: 'properties.a', op: 'equals', value: [] }] },
      '/filter/all/0/value',
    ],
    [
      'a property with null',
      { all: [{ field: 'properties.a', op: 'equals', value: null }] },
      '/filter/all/0/value',
    ],
    [
      'greater than a text',
      { all: [{ field: 'properties.a', op: 'greater', value: '1' }] },
      '/filter/all/0/value',
    ],
    [
      'a day that does not exist',
      { all: [{ field: 'createdAt', op: 'before', value: '2026-02-30T00:00:00Z' }] },
      '/filter/all/0/value',
    ],
    [
      'a time without an offset',
      { all: [{ field: 'properties.a', op: 'after', value: '2026-01-01T00:00:00' }] },
      '/filter/all/0/value',
    ],
    [
      'half a day',
      { all: [{ field: 'createdAt', op: 'withinLastDays', value: 0.5 }] },
      '/filter/all/0/value',
    ],
    ['no days', { all: [{ field: 'createdAt', op: 'moreThanDaysAgo', value: 0 }] }, '/filter/all/0/value'],
    [
      '1e300 days',
      { all: [{ field: 'createdAt', op: 'withinLastDays', value: 1e300 }] },
      '/filter/all/0/value',
    ],
    [
      'days as text',
      { all: [{ field: 'updatedAt', op: 'withinLastDays', value: '7' }] },
      '/filter/all/0/value',
    ],
    [
      'a future of createdAt',
      { all: [{ field: 'createdAt', op: 'withinNextDays', value: 7 }] },
      '/filter/all/0/op',
    ],
    ['a topic that is no text', { all: [{ field: 'topic', op: 'in', value: 7 }] }, '/filter/all/0/value'],
    [
      'a topic with another op',
      { all: [{ field: 'topic', op: 'equals', value: 'top_x' }] },
      '/filter/all/0/op',
    ],
    ['an empty campaign', { all: [{ field: 'campaign', op: 'sent', value: '' }] }, '/filter/all/0/value'],
    [
      'a link of an open',
      { all: [{ field: 'campaign', op: 'opened', value: 'cmp_x', url: 'https://a.example' }] },
      '/filter/all/0/url',
    ],
    [
      'a link that is no text',
      { all: [{ field: 'campaign', op: 'clicked', value: 'cmp_x', url: 7 }] },
      '/filter/all/0/url',
    ],
    ['six levels', nest(6), '/filter/any/0/any/0/any/0/any/0/any/0'],
    ['101 conditions', { all: Array.from({ length: 101 }, () => condition) }, '/filter/all/100'],
    ['101 groups', { all: Array.from({ length: 100 }, () => ({ all: [] })) }, '/filter/all/99'],
  ])('%s', async (_what, filter, path) => {
    for (const url of ['/segments', '/segments/count']) {
      const { status, body } = await team.call('POST', url, { name: 'S', contactBookId: book, filter });
      expect([status, body.error.code, body.error.issues[0].path]).toEqual([400, 'BAD_REQUEST', path]);
    }
  });

  test('is rejected at any depth; five levels and 100 conditions are accepted', async () => {
    const deep = `${'{"all":['.repeat(50_000)}${']}'.repeat(50_000)}`;
    const body = `{"name":"S","contactBookId":"${book}","filter":${deep}}`;
    expect((await team.call('POST', '/segments', body)).status).toBe(400);
    const five = await team.call('POST', '/segments/count', { contactBookId: book, filter: nest(5) });
    expect(five.body).toEqual({ count: 4 });
    const many = {
      all: Array.from({ length: 100 }, (_, at) => ({
        field: `properties.p${at}`,
        op: 'notEquals',
        value: at,
      })),
    };
    const { body: counted } = await team.call('POST', '/segments/count', {
      contactBookId: book,
      filter: many,
    });
    expect(counted).toEqual({ count: 4 });
  });

  test('an infinite number is rejected', async () => {
    const body = `{"contactBookId":"${book}","filter":{"all":[{"field":"properties.a","op":"less","value":1e999}]}}`;
    expect((await team.call('POST', '/segments/count', body)).status).toBe(400);
  });
});

describe('segments', () => {
  const filter = { all: [{ field: 'email', op: 'contains', value: 'example', more: 1 }], note: 'x' };

  test('can be created, listed, changed and deleted', async () => {
    const own = (await team.call('POST', '/contactBooks', { name: 'Own' })).body.id;
    const { body: segment } = await team.call('POST', '/segments', {
      name: '  All ',
      contactBookId: own,
      filter,
    });
    expect(segment).toEqual({
      id: expect.stringMatching(/^seg_/),
      name: 'All',
      contactBookId: own,
      filter: { all: [{ field: 'email', op: 'contains', value: 'example' }] },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const second = (await team.call('POST', '/segments', { name: 'B', contactBookId: own, filter })).body;
    const page = (await team.call('GET', `/segments?contactBookId=${own}&limit=1`)).body;
    expect(page).toEqual({ items: [second], next_cursor: second.id });
    const next = (await team.call('GET', `/segments?contactBookId=${own}&limit=1&cursor=${second.id}`)).body;
    expect(next).toEqual({ items: [segment], next_cursor: null });

    await team.call('POST', `/contactBooks/${own}/contacts/bulk`, [
      { email: 'a@example.org' },
      { email: 'b@other.org' },
      { email: 'c@example.org', subscribed: false },
    ]);
    const listed = async (query: string) =>
      (await team.call('GET', `/segments/${segment.id}/contacts?${query}`)).body.items.map(
        ({ email }: { email: string }) => email,
      );
    expect((await listed('')).toSorted()).toEqual(['a@example.org', 'c@example.org']);
    expect(await listed('subscribed=false')).toEqual(['c@example.org']);
    expect(await listed('search=a%40')).toEqual(['a@example.org']);
    const { body: head } = await team.call('GET', `/segments/${segment.id}/contacts?limit=1`);
    expect(head.next_cursor).toBe(head.items[0].id);
    expect(await listed(`cursor=${head.next_cursor}`)).toHaveLength(1);
    expect((await team.call('GET', `/segments/${segment.id}/contacts?cursor=x`)).status).toBe(400);

    expect((await team.call('PATCH', `/segments/${segment.id}`, {})).body).toEqual(segment);
    const renamed = (await team.call('PATCH', `/segments/${segment.id}`, { name: 'Every' })).body;
    expect(renamed).toMatchObject({ name: 'Every', filter: segment.filter });
    const changed = (await team.call('PATCH', `/segments/${segment.id}`, { filter: { all: [] } })).body;
    expect(changed).toMatchObject({ name: 'Every', filter: { all: [] } });
    expect((await team.call('GET', `/segments/${segment.id}`)).body).toEqual(changed);
    expect((await team.call('PATCH', `/segments/${segment.id}`, { name: ' ' })).status).toBe(400);

    expect((await team.call('DELETE', `/segments/${segment.id}`)).body).toEqual({
      id: segment.id,
      success: true,
    });
    for (const method of ['GET', 'DELETE', 'PATCH'])
      expect(
        (await team.call(method, `/segments/${segment.id}`, method === 'PATCH' ? {} : undefined)).status,
      ).toBe(404);

    expect((await team.call('DELETE', `/contactBooks/${own}`)).status).toBe(200);
    expect((await team.call('GET', `/segments/${second.id}/count`)).status).toBe(404);
  });

  test('belong to a book of the team', async () => {
    const other = await server.createTeam();
    const segment = (await team.call('POST', '/segments', { name: 'S', contactBookId: book, filter })).body;
    expect((await other.call('POST', '/segments', { name: 'S', contactBookId: book, filter })).status).toBe(
      404,
    );
    expect((await other.call('POST', '/segments/count', { contactBookId: book, filter })).status).toBe(404);
    expect((await other.call('GET', `/segments?contactBookId=${book}`)).status).toBe(404);
    expect((await other.call('GET', '/segments')).body).toEqual({ items: [], next_cursor: null });
    for (const [method, path, body] of [
      ['GET', ''],
      ['GET', '/count'],
      ['GET', '/contacts'],
      ['PATCH', '', { name: 'X' }],
      ['DELETE', ''],
    ] as const)
      expect((await other.call(method, `/segments/${segment.id}${path}`, body)).status).toBe(404);
    expect(
      (await team.call('POST', '/segments', { name: 'S', contactBookId: 'cbk_none', filter })).status,
    ).toBe(404);
    expect((await team.call('POST', '/segments', { name: 'S', filter })).status).toBe(400);
    expect((await team.call('GET', '/segments?cursor=x')).status).toBe(400);
  });

  test('require a key with full access', async () => {
    const { key } = (await team.call('POST', '/api-keys', { name: 'S', permission: 'sending' })).body;
    expect((await createCall(server.url, key)('GET', '/segments')).status).toBe(403);
  });
});
