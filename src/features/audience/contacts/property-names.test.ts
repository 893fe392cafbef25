import { sql } from 'kysely';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'worker'] });
  team = await server.createTeam();
});
afterAll(() => server.close());

async function createBook(variables: string[] = []): Promise<string> {
  const { body } = await team.call('POST', '/contactBooks', { name: 'Readers', variables });
  return `/contactBooks/${body.id}`;
}

async function propertiesOf(book: string, contactId: string) {
  return (await team.call('GET', `${book}/contacts/${contactId}`)).body.properties;
}

async function countSegment(book: string, field: string, value: unknown, op = 'equals'): Promise<number> {
  const filter = { all: [{ field, op, value }] };
  const contactBookId = book.slice('/contactBooks/'.length);
  const { body } = await team.call('POST', '/segments', { name: 'Part', contactBookId, filter });
  const { body: page } = await team.call('GET', `/segments/${body.id}/contacts`);
  return page.items.length;
}

describe('names of properties compare without regard to case', () => {
  test('a property keeps its first name in POST, PATCH, PUT and bulk', async () => {
    const book = await createBook();
    const email = 'ada@example.com';
    const { body } = await team.call('POST', `${book}/contacts`, { email, properties: { City: 'Paris' } });
    const contact = `${book}/contacts/${body.contactId}`;
    await team.call('POST', `${book}/contacts`, { email, properties: { city: 'London' } });
    expect(await propertiesOf(book, body.contactId)).toEqual({ City: 'London' });
    await team.call('PATCH', contact, { properties: { CITY: 'Rome', age: 36 } });
    expect(await propertiesOf(book, body.contactId)).toEqual({ City: 'Rome', age: 36 });
    await team.call('PUT', contact, { email, properties: { cItY: 'Oslo', Age: 37 } });
    expect(await propertiesOf(book, body.contactId)).toEqual({ City: 'Oslo', age: 37 });
    await team.call('POST', `${book}/contacts/bulk`, [{ email, properties: { CITY: 'Bern' } }]);
    expect(await propertiesOf(book, body.contactId)).toEqual({ City: 'Bern', age: 37 });
    await team.call('PATCH', contact, { properties: { cITY: null } });
    expect(await propertiesOf(book, body.contactId)).toEqual({ age: 37 });
  });

  test('a property that is a variable has the name of the variable', async () => {
    const book = await createBook();
    const email = 'ada@example.com';
    const { body } = await team.call('POST', `${book}/contacts`, { email, properties: { CITY: 'Paris' } });
    await team.call('PATCH', book, { variables: ['city'] });
    await team.call('POST', `${book}/contacts`, { email, properties: { City: 'London' } });
    expect(await propertiesOf(book, body.contactId)).toEqual({ city: 'London' });
    const other = await team.call('POST', `${book}/contacts`, {
      email: 'new@example.com',
      properties: { CiTy: 'Bern', Size: 'L' },
    });
    expect(await propertiesOf(book, other.body.contactId)).toEqual({ city: 'Bern', Size: 'L' });
  });

  test('one upload with several spellings of a variable stores each contact under its name', async () => {
    const book = await createBook(['City']);
    const contacts = [{ City: 'Bern' }, { CITY: 'Rome', note: 1 }, { GRÖßE: 'L', größe: 'M' }, {}];
    const upload = () =>
      team.call(
        'POST',
        `${book}/contacts/bulk`,
        contacts.map((properties, at) => ({ email: `c${at}@example.com`, properties })),
      );
    for (let time = 0; time < 2; time += 1) {
      await upload();
      const { body } = await team.call('GET', `${book}/contacts?limit=10`);
      expect(body.items.map((each: { properties: object }) => each.properties).toReversed()).toEqual([
        { City: 'Bern' },
        { City: 'Rome', note: 1 },
        { GRÖßE: 'M' },
        {},
      ]);
    }
    expect(await countSegment(book, 'properties.cITY', 'rome')).toBe(1);
    expect(await countSegment(book, 'properties.Größe', 'm')).toBe(1);
  });

  test('values stay as they are, whatever they contain', async () => {
    const book = await createBook();
    const email = 'ada@example.com';
    const first = { quote: '"City": "Paris", "city":', 'a"B': 'X\\N\n', 'ß\t': true, Score: 1.5 };
    const { body } = await team.call('POST', `${book}/contacts`, { email, properties: first });
    await team.call('PATCH', `${book}/contacts/${body.contactId}`, {
      properties: { City: 'PARIS', 'A"b': 'Ünter', quote: null },
    });
    expect(await propertiesOf(book, body.contactId)).toEqual({
      'a"B': 'Ünter',
      'ß\t': true,
      Score: 1.5,
      City: 'PARIS',
    });
    expect(await countSegment(book, 'properties.A"B', 'ünter')).toBe(1);
  });

  test('two spellings in one request are one property, with the last value', async () => {
    const book = await createBook();
    const { body } = await team.call('POST', `${book}/contacts`, {
      email: 'ada@example.com',
      properties: { City: 'Paris', city: 'London' },
    });
    expect(await propertiesOf(book, body.contactId)).toEqual({ City: 'London' });
  });

  test('a segment finds a property in any spelling', async () => {
    const book = await createBook();
    for (const [email, properties] of [
      ['a@example.com', { City: 'Paris', Score: 7 }],
      ['b@example.com', { city: 'paris', score: '9' }],
      ['c@example.com', { town: 'Paris', note: '"city": "Paris"' }],
    ] as const)
      await team.call('POST', `${book}/contacts`, { email, properties });
    expect(await countSegment(book, 'properties.CITY', 'Paris')).toBe(2);
    expect(await countSegment(book, 'properties.city', null, 'notExists')).toBe(1);
    expect(await countSegment(book, 'properties.sCore', 6, 'greater')).toBe(2);
  });

  test('an export has one column for all spellings, and can be imported again', async () => {
    const book = await createBook();
    await team.call('POST', `${book}/contacts`, { email: 'a@example.com', properties: { City: 'Paris' } });
    await team.call('POST', `${book}/contacts`, {
      email: 'b@example.com',
      properties: { city: 'Rome', 'Home town': 'Ostia', status: 'gold' },
    });
    const response = await fetch(`${server.url}/api/v1${book}/export`, {
      headers: { authorization: `Bearer ${team.key}` },
    });
    const [header, ...rows] = (await response.text()).trim().split('\r\n');
    expect(header).toBe(
      'email,firstName,lastName,subscribed,unsubscribeReason,createdAt,City,property:Home town,property:status',
    );
    expect(rows.map((row) => row.split(',').slice(6))).toEqual([
      ['Paris', '', ''],
      ['Rome', 'Ostia', 'gold'],
    ]);
  });

  test('a form takes its fields in any spelling', async () => {
    const book = await createBook(['city']);
    const contactBookId = book.slice('/contactBooks/'.length);
    const { status, body } = await team.call('POST', '/forms', {
      name: 'Sign up',
      contactBookId,
      fields: ['email', 'FIRSTNAME', 'City'],
    });
    expect({ status, names: body.fields.map(({ name }: { name: string }) => name) }).toEqual({
      status: 200,
      names: ['email', 'firstName', 'city'],
    });
  });
});

test('the migration merges properties that differ only in case, and loses no value', async () => {
  const book = await createBook(['city']);
  const { body } = await team.call('POST', `${book}/contacts`, { email: 'ada@example.com' });
  const properties = { City: 'Paris', city: 'London', CITY: 'London', Size: 'L', size: 'L', plain: true };
  await sql`
    update contacts set properties = ${JSON.stringify(properties)}::jsonb
    where team_id = ${team.teamId} and email = 'ada@example.com'
      and contact_book_id = (select id from contact_books where team_id = ${team.teamId} order by id desc limit 1)
  `.execute(server.db);
  const migration = await readFile(
    new URL('../../../../migrations/0052_property-names.sql', import.meta.url),
    'utf8',
  );
  const [merging] = migration.split('alter table');
  await server.db.transaction().execute(async (trx) => {
    for (const part of merging!.split(/;\n/).filter((each) => each.trim() !== ''))
      await sql.raw(part).execute(trx);
  });
  expect(await propertiesOf(book, body.contactId)).toEqual({
    city: 'London',
    City_3: 'Paris',
    Size: 'L',
    plain: true,
  });
});
