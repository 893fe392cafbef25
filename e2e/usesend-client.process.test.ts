/** The public useSend client, which must work with our API when only its URL is changed. */
import { UseSend } from 'usesend-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDomain } from '../src/testing/factories.ts';
import { startTestServer, type TestServer } from '../src/testing/test-server.ts';

let server: TestServer;
let client: UseSend;

beforeAll(async () => {
  server = await startTestServer();
  const team = await server.createTeam();
  await addDomain(server.db, team.teamId, 'client.test');
  client = new UseSend(team.key, server.url);
});
afterAll(() => server.close());

/** The client returns data or an error and never throws. */
function dataOf<Data>({ data, error }: { data: Data | null; error: unknown }): Data {
  expect(error).toBeNull();
  return data!;
}

test('its contact books', async () => {
  const book = dataOf(await client.contactBooks.create({ name: 'Client', variables: ['plan'] }));
  expect(book).toMatchObject({ name: 'Client', variables: ['plan'], _count: { contacts: 0 } });
  expect(dataOf(await client.contactBooks.list()).map(({ id }) => id)).toContain(book.id);
  expect(dataOf(await client.contactBooks.get(book.id))).toEqual(book);
  expect(dataOf(await client.contactBooks.update(book.id, { emoji: '📯' })).emoji).toBe('📯');
  expect(dataOf(await client.contactBooks.delete(book.id))).toMatchObject({ id: book.id, success: true });
  expect((await client.contactBooks.get(book.id)).error).toMatchObject({ error: { code: 'NOT_FOUND' } });
});

test('its contacts', async () => {
  const { id: book } = dataOf(await client.contactBooks.create({ name: 'Client' }));
  const contactId = dataOf(await client.contacts.create(book, { email: 'ada@example.com' })).contactId!;
  dataOf(await client.contacts.update(book, contactId, { firstName: 'Ada', properties: { plan: 'gold' } }));
  expect(dataOf(await client.contacts.get(book, contactId))).toMatchObject({
    firstName: 'Ada',
    properties: { plan: 'gold' },
  });
  const upserted = dataOf(await client.contacts.upsert(book, contactId, { email: 'ada@example.org' }));
  expect(upserted).toEqual({ contactId });
  const bulk = dataOf(await client.contacts.bulkCreate(book, [{ email: 'grace@example.com' }]));
  expect(bulk.count).toBe(1);
  expect(dataOf(await client.contacts.bulkDelete(book, { contactIds: [contactId] }))).toEqual({
    success: true,
    count: 1,
  });
  const last = dataOf(await client.contacts.create(book, { email: 'grace@example.com' })).contactId!;
  expect(await client.contacts.delete(book, last)).toMatchObject({ error: null });
});

test('its campaigns', async () => {
  const { id: contactBookId } = dataOf(await client.contactBooks.create({ name: 'Client' }));
  dataOf(await client.contacts.create(contactBookId, { email: 'ada@example.com' }));
  const campaign = dataOf(
    await client.campaigns.create({
      name: 'Client',
      from: 'News <news@client.test>',
      subject: 'Hello',
      contactBookId,
      html: '<p>Hello</p>',
      replyTo: 'desk@client.test',
    }),
  );
  expect(campaign).toMatchObject({ status: 'DRAFT', contactBookId, replyTo: ['desk@client.test'], total: 0 });
  expect(dataOf(await client.campaigns.get(campaign.id))).toEqual(campaign);
  const schedule = { scheduledAt: 'tomorrow 9am', batchSize: 10 };
  expect(dataOf(await client.campaigns.schedule(campaign.id, schedule))).toEqual({ success: true });
  const { campaigns, totalPage } = dataOf(
    await client.campaigns.getAll({ page: '1', status: 'SCHEDULED', search: 'CLIENT' }),
  );
  expect([campaigns.map(({ id }) => id), totalPage]).toEqual([[campaign.id], 1]);
  expect(dataOf(await client.campaigns.pause(campaign.id))).toEqual({ success: true });
  expect(dataOf(await client.campaigns.resume(campaign.id))).toEqual({ success: true });
  expect(dataOf(await client.campaigns.delete(campaign.id))).toMatchObject({
    id: campaign.id,
    status: 'SCHEDULED',
  });
});
