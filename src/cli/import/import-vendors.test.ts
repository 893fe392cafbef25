/** Imports from servers that respond in the shapes that the vendors document. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contactsOf, runImport, startVendor, stateAfterImport } from '../../testing/fixtures/run-import.ts';
import { OtherAnswer } from '../../testing/servers/vendor-server.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const run = (args: string[]) => runImport(server, args);

const page = <Entry>(entries: Entry[], from: number, size: number) => entries.slice(from, from + size);

/** Returns a page in listmonk's shape. */
const answer = (entries: unknown[], query: URLSearchParams, size = 50) => {
  const number = Number(query.get('page'));
  const results = page(entries, (number - 1) * size, size);
  return { data: { results, total: entries.length, per_page: size, page: number } };
};

/** Mailgun's links to other pages. */
const paging = (next: string) => ({
  first: '',
  last: '',
  previous: '',
  next: `https://api.mailgun.net${next}`,
});

test('a vendor that limits requests is asked again after the time that it names', async () => {
  const team = await server.createTeam();
  let answeredAt = 0;
  const { url } = await startVendor((path) => {
    if (path === '/domains' && answeredAt === 0) {
      answeredAt = Date.now();
      return new OtherAnswer(429, {}, { 'retry-after': '1' });
    }
    if (path === '/domains') {
      expect(Date.now() - answeredAt).toBeGreaterThanOrEqual(990);
      return { object: 'list', has_more: false, data: [{ id: 'd1', name: 'limited.example' }] };
    }
    return { object: 'list', has_more: false, data: [] };
  });
  await run(['resend', '--team', String(team.teamId), '--key', 're_x', '--url', url]);
  expect((await team.call('GET', '/domains')).body).toMatchObject([{ name: 'limited.example' }]);
});

test('a listmonk instance is imported: lists, subscriptions, blocklist, bounces and templates', async () => {
  const team = await server.createTeam();
  const lists = [
    { id: 1, uuid: 'u-1', name: 'News', optin: 'double', type: 'public', tags: [] },
    { id: 2, uuid: 'u-2', name: 'News', optin: 'single', type: 'private', tags: [] },
  ];
  const on = (id: number, subscription_status: string) => ({ ...lists[id - 1], subscription_status });
  const subscribers = [
    ['ada@example.com', 'Ada King Lovelace', 'enabled', [on(1, 'confirmed'), on(2, 'unconfirmed')]],
    ['bob@example.com', 'Bob', 'enabled', [on(1, 'unconfirmed'), on(2, 'unsubscribed')]],
    ['cleo@example.com', '', 'blocklisted', [on(1, 'confirmed')]],
    ['nobody@example.com', '', 'enabled', []],
  ].map(([email, name, status, of], index) => ({
    id: index + 1,
    email,
    name,
    status,
    lists: of,
    attribs: { city: 'Paris', tags: ['a', 'b'], age: 36 },
  }));
  const { url } = await startVendor((path, query, request) => {
    expect(request.headers.authorization).toBe(`Basic ${Buffer.from('api:token').toString('base64')}`);
    if (path === '/api/lists') return answer(lists, query, 1);
    if (path === '/api/subscribers') return answer(subscribers, query, 3);
    if (path === '/api/bounces')
      return answer(
        [
          { email: 'hard@example.com', type: 'hard' },
          { email: 'soft@example.com', type: 'soft' },
          { email: 'spam@example.com', type: 'complaint' },
        ],
        query,
      );
    if (path === '/api/templates')
      return {
        data: [
          { id: 1, name: 'Frame', type: 'campaign', body: '{{ template "content" . }}' },
          {
            id: 2,
            name: 'Welcome',
            type: 'tx',
            subject: 'Hi {{ .Tx.Data.name }}',
            body: '<p>{{ .Tx.Data.name }}</p>',
          },
        ],
      };
    return undefined;
  });
  const args = ['listmonk', '--team', String(team.teamId), '--key', 'api:token', '--url', `${url}/`];
  const printed = await run(args);
  expect(printed).toMatch(/contact books +2 +2/);
  expect(printed).toContain('1 × subscribers that are on no list');
  const books = (await team.call('GET', '/contactBooks')).body as {
    id: string;
    doubleOptInEnabled: boolean;
  }[];
  const read = async (doubleOptIn: boolean) => {
    const { id } = books.find(({ doubleOptInEnabled }) => doubleOptInEnabled === doubleOptIn)!;
    const { items } = (await team.call('GET', `/contactBooks/${id}/contacts`)).body;
    return Object.fromEntries(items.map((each: { email: string }) => [each.email, each]));
  };
  const [double, single] = [await read(true), await read(false)];
  expect(double['ada@example.com']).toMatchObject({
    firstName: 'Ada',
    lastName: 'King Lovelace',
    subscribed: true,
    consent: { source: 'import' },
    properties: { city: 'Paris', tags: 'a, b', age: 36 },
  });
  expect(double['bob@example.com']).toMatchObject({ subscribed: false, unsubscribeReason: null });
  expect(double['cleo@example.com']).toMatchObject({ subscribed: false, unsubscribeReason: 'BLOCKLISTED' });
  expect(single['ada@example.com']).toMatchObject({ subscribed: true });
  expect(single['bob@example.com']).toMatchObject({ subscribed: false, unsubscribeReason: 'UNSUBSCRIBED' });
  const { items } = (await team.call('GET', '/suppressions')).body;
  expect(
    items.map((each: { email: string; reason: string }) => `${each.email} ${each.reason}`).toSorted(),
  ).toEqual(['cleo@example.com MANUAL', 'hard@example.com HARD_BOUNCE', 'spam@example.com COMPLAINT']);
  const [template] = (await team.call('GET', '/templates')).body.items;
  expect(template).toMatchObject({ name: 'Welcome', subject: 'Hi {{name}}', variables: ['name'] });
  const state = await stateAfterImport(team);
  await run(args);
  expect(await stateAfterImport(team)).toEqual(state);
});

test('a Mailgun account is imported: suppressions of all pages, templates and mailing lists', async () => {
  const team = await server.createTeam();
  const domain = `mg${team.teamId}.example`;
  const bounces = ['a@x.example', 'b@x.example', 'c@x.example'].map((address) => ({
    address,
    code: '550',
    error: '',
  }));
  const { url, requests } = await startVendor((path, query) => {
    const skip = Number(query.get('skip'));
    if (path === '/v4/domains')
      return {
        total_count: 2,
        items: page([{ name: domain }, { name: 'sandbox0a1b.mailgun.org' }], skip, 100),
      };
    if (path === `/v3/${domain}/bounces`) {
      const from =
        query.get('page') === 'next'
          ? bounces.findIndex((each) => each.address === query.get('address')) + 1
          : 0;
      const items = page(bounces, from, 2);
      return { items, paging: paging(`${path}?page=next&address=${items.at(-1)?.address ?? ''}&limit=1000`) };
    }
    if (path === `/v3/${domain}/complaints`) return { items: [], paging: paging(path) };
    if (path === `/v3/${domain}/unsubscribes`) {
      const items = [
        { address: 'u@x.example', tags: ['*'] },
        { address: 't@x.example', tags: ['offers'] },
      ];
      return { items: query.get('page') ? [] : items, paging: paging(`${path}?page=next`) };
    }
    if (path === `/v3/${domain}/templates`)
      return { items: query.get('page') ? null : [{ name: 'welcome' }], paging: paging(`${path}?page=next`) };
    if (path === `/v3/${domain}/templates/welcome`)
      return {
        template: {
          name: 'welcome',
          version: { template: '<p>{{#if x}}Hi{{/if}} {{name}}</p>', engine: 'handlebars' },
        },
      };
    if (path === '/v3/lists/pages')
      return {
        items: query.get('page') ? [] : [{ address: `dev@${domain}`, name: 'Developers' }],
        paging: paging(`${path}?page=next`),
      };
    if (path === `/v3/lists/dev@${domain}/members/pages`)
      return {
        items: query.get('page')
          ? []
          : [
              { address: 'ada@example.com', name: 'Ada Lovelace', vars: { age: 36 }, subscribed: true },
              { address: 'bob@example.com', name: '', vars: {}, subscribed: false },
            ],
        paging: paging(`${path}?page=next`),
      };
    return undefined;
  });
  const args = ['mailgun', '--team', String(team.teamId), '--key', 'key-x', '--url', url];
  const printed = await run(args);
  expect(printed).toMatch(/suppressions +4 +4/);
  expect(printed).toContain('1 × unsubscribes from single tags');
  expect(printed).toContain('1 × parts of templates that are not plain tags');
  expect((await team.call('GET', '/domains')).body).toMatchObject([{ name: domain, status: 'NOT_STARTED' }]);
  const { items } = await contactsOf(team, 'Developers');
  expect(items).toEqual([
    expect.objectContaining({ email: 'bob@example.com', subscribed: false }),
    expect.objectContaining({
      email: 'ada@example.com',
      lastName: 'Lovelace',
      subscribed: true,
      properties: { age: 36 },
    }),
  ]);
  const state = await stateAfterImport(team);
  expect(await run(args)).toMatch(/suppressions +4 +0 +0 +4/);
  expect(await stateAfterImport(team)).toEqual(state);
  // The key was sent only to the host of the URL: the pages of api.mailgun.net were requested here.
  expect(
    requests.filter((path) => path.startsWith(`/v3/${domain}/bounces?page=next`)).length,
  ).toBeGreaterThan(1);
});
