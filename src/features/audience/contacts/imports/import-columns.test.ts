import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer, type TestTeam } from '../../../../testing/test-server.ts';
import type { ContactImport } from './imports.schema.ts';

let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'worker'] });
  team = await server.createTeam();
});
afterAll(() => server.close());

interface ImportOptions {
  variables?: string[];
  mapping?: unknown;
  /** Addresses of contacts that the book has before. */
  contacts?: string[];
}

async function importFile(file: string, options: ImportOptions = {}) {
  const { variables = [], mapping, contacts: existing = [] } = options;
  const { body: created } = await team.call('POST', '/contactBooks', { name: 'Imported', variables });
  const book = `/contactBooks/${created.id}`;
  for (const email of existing) await team.call('POST', `${book}/contacts`, { email });
  const query = mapping ? `?mapping=${encodeURIComponent(JSON.stringify(mapping))}` : '';
  const started = await team.call('POST', `${book}/imports${query}`, file, { 'content-type': 'text/csv' });
  expect(started.status).toBe(200);
  const path = `${book}/imports/${started.body.id}`;
  await expect.poll(async () => (await team.call('GET', path)).body.status).toMatch(/DONE|FAILED/);
  const result: ContactImport = (await team.call('GET', path)).body;
  const { body: page } = await team.call('GET', `${book}/contacts?limit=100`);
  const contacts = Object.fromEntries(
    page.items.map((contact: { email: string }) => [contact.email.split('@')[0], contact]),
  );
  return { result, contacts, book: (await team.call('GET', book)).body };
}

describe('columns become variables of the book', () => {
  test('under names that merge tags can use', async () => {
    const { book, contacts, result } = await importFile(
      'Email,City,Sign-up date,Größe,Любимый цвет,2024 donor\na@example.com,Paris,2024-01-10,L,red,yes\n',
    );
    expect(book.variables).toEqual(['City', 'Sign_up_date', 'Grosse', 'donor']);
    expect(contacts.a.properties).toEqual({
      City: 'Paris',
      Sign_up_date: '2024-01-10',
      Grosse: 'L',
      'Любимый цвет': 'red',
      donor: 'yes',
    });
    expect(result.columns.slice(0, 3)).toEqual([
      { name: 'Email', importedAs: 'email', property: null },
      { name: 'City', importedAs: 'property', property: 'City' },
      { name: 'Sign-up date', importedAs: 'property', property: 'Sign_up_date' },
    ]);
  });

  test('and a column with the name of a variable in another spelling is that variable', async () => {
    const { book, contacts } = await importFile('email,CITY\na@example.com,Paris\n', {
      variables: ['size', 'city'],
    });
    expect(book.variables).toEqual(['size', 'city']);
    expect(contacts.a.properties).toEqual({ city: 'Paris' });
  });

  test('but two columns that differ only in case are rejected', async () => {
    const { result, book } = await importFile('email,City,city\na@example.com,Paris,Rome\n');
    expect(result).toMatchObject({
      status: 'FAILED',
      error: expect.stringContaining('"City" and "city" both contain the property "city"'),
    });
    expect(book.variables).toEqual([]);
  });

  test('a segment, a form and a merge tag can use them at once', async () => {
    const { book } = await importFile('email,Plan type\na@example.com,free\n');
    const form = await team.call('POST', '/forms', {
      name: 'Form',
      contactBookId: book.id,
      fields: ['plan_TYPE'],
    });
    expect(form.body.fields[1]).toMatchObject({ name: 'Plan_type' });
    const filter = { all: [{ field: 'properties.plan_type', op: 'equals', value: 'free' }] };
    const segment = await team.call('POST', '/segments', { name: 'Free', contactBookId: book.id, filter });
    const { body } = await team.call('GET', `/segments/${segment.body.id}/contacts`);
    expect(body.items).toHaveLength(1);
  });
});

describe('nobody who left is subscribed by an import:', () => {
  test.each([
    ['Opted out?', ['yes', 'no', '']],
    ['unsubscribed', ['TRUE', 'false', '0']],
    ['UNSUB_TIME', ['2024-01-10 09:30:00', '', '0000-00-00 00:00:00']],
    ['CLEAN_TIME', ['2023-05-01 10:00:00', '', '']],
    ['Unsubscribed at', ['10.01.2024', '', '']],
    ['blocklisted', ['1', '0', 'no']],
    ['Do not email', ['x', '', 'n']],
    ['Status', ['unsubscribed', 'subscribed', 'Active']],
    ['status', ['blocklisted', 'enabled', 'confirmed']],
    ['Opt-in status', ['Opted out', 'Opted in', 'yes']],
    ['Email Status', ['Cleaned', 'Subscribed', '']],
    ['Accepts Email Marketing', ['no', 'yes', 'yes']],
    ['Subscription status', ['Non-subscribed', 'Subscribed', 'Subscribed']],
  ])('the column "%s" is recognised', async (name, values) => {
    const rows = values.map((value, index) => `${'abc'[index]}@example.com,"${value}"`);
    const { contacts, result, book } = await importFile(`email,${name}\n${rows.join('\n')}\n`);
    expect(result).toMatchObject({ status: 'DONE', created: 3, refused: 0, unsubscribed: 1 });
    expect([contacts.a.subscribed, contacts.b.subscribed, contacts.c.subscribed]).toEqual([
      false,
      true,
      true,
    ]);
    expect(contacts.a.properties).toEqual({});
    expect(book.variables).toEqual([]);
  });

  test('the reason is kept', async () => {
    const { contacts } = await importFile(
      'email,status\na@example.com,cleaned\nb@example.com,spam complaint\nc@example.com,pending\nd@example.com,unsubscribed\n',
    );
    const reasons = ['a', 'b', 'c', 'd'].map((name) => contacts[name].unsubscribeReason);
    expect(reasons).toEqual(['BOUNCED', 'COMPLAINED', 'UNCONFIRMED', 'UNSUBSCRIBED']);
  });

  test('someone who has not confirmed elsewhere stays subscribed here, and is not subscribed if new', async () => {
    const { contacts } = await importFile(
      'email,status\na@example.com,pending\nb@example.com,pending\nc@example.com,pending\nc@example.com,unsubscribed\nd@example.com,subscribed\nd@example.com,pending\ne@example.com,pending\ne@example.com,subscribed\n',
      { contacts: ['b@example.com', 'c@example.com'] },
    );
    expect(['a', 'b', 'c', 'd', 'e'].map((name) => contacts[name].subscribed)).toEqual([
      false,
      true,
      false,
      true,
      false,
    ]);
    expect(['a', 'c'].map((name) => contacts[name].unsubscribeReason)).toEqual([
      'UNCONFIRMED',
      'UNSUBSCRIBED',
    ]);
  });

  test('any of several columns can say so', async () => {
    const { contacts } = await importFile(
      'email,Status,Opted out?,UNSUB_TIME\na@example.com,subscribed,no,2024-01-10\nb@example.com,subscribed,yes,\nc@example.com,cleaned,,\nd@example.com,subscribed,no,\n',
    );
    expect(['a', 'b', 'c', 'd'].map((name) => contacts[name].subscribed)).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  test('a status that is not understood rejects its row', async () => {
    const { result } = await importFile(
      'email,Status\na@example.com,subscribed\nb@example.com,ausgetreten\nc@example.com,unsubscribed\n',
    );
    expect(result).toMatchObject({ created: 2, refused: 1 });
    expect(result.refusals[0]).toMatchObject({ line: 3, reason: expect.stringContaining('"ausgetreten"') });
  });

  test('a column "Status" without any such word is a property', async () => {
    const { contacts, book } = await importFile('email,Status\na@example.com,Gold\nb@example.com,Silver\n');
    expect(contacts.a).toMatchObject({ subscribed: true, properties: { Status: 'Gold' } });
    expect(book.variables).toEqual(['Status']);
  });

  test('the mapping decides otherwise', async () => {
    const { contacts } = await importFile(
      'email,Opted out?,Standing\na@example.com,yes,cleaned\nb@example.com,yes,subscribed\n',
      {
        mapping: { 'Opted out?': 'property:optedOutBefore', Standing: 'status' },
      },
    );
    expect(contacts.a).toMatchObject({ subscribed: false, properties: { optedOutBefore: 'yes' } });
    expect(contacts.b).toMatchObject({ subscribed: true, properties: { optedOutBefore: 'yes' } });
  });
});
