import type { Resend } from 'resend';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { shareTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { connectResend } from '../../../testing/clients/vendor-clients.ts';

let server: TestServer;
let team: TestTeam;
let resend: Resend;

const clientOf = (key: string) => connectResend(server, key);

beforeAll(async () => {
  server = await shareTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  team = await server.createTeam();
  resend = clientOf(team.key);
});

const MISSING = { statusCode: 404, name: 'not_found' };
const INVALID = { statusCode: 422, name: 'validation_error' };
const email = 'ada@example.com';
const emailsIn = ({ data }: { data: { data: { email: string }[] } | null }) =>
  data!.data.map((contact) => contact.email);

describe('contacts', () => {
  test('of the team are created, found by id or address, changed and removed', async () => {
    expect((await resend.contacts.list()).data).toEqual({ object: 'list', has_more: false, data: [] });
    const created = (
      await resend.contacts.create({ email, firstName: 'Ada', properties: { city: 'London', age: 36 } })
    ).data!;
    const { id } = created;
    expect(created).toEqual({ object: 'contact', id: expect.stringMatching(/^con_/) });
    const shown = {
      object: 'contact',
      id,
      email,
      first_name: 'Ada',
      last_name: null,
      unsubscribed: false,
      properties: { city: { type: 'string', value: 'London' }, age: { type: 'number', value: 36 } },
    };
    expect((await resend.contacts.get(id)).data).toMatchObject(shown);
    expect((await resend.contacts.get({ email: 'ADA@example.com' })).data).toMatchObject(shown);
    const update = { email, lastName: 'Lovelace', unsubscribed: true, properties: { city: null } };
    expect((await resend.contacts.update(update)).data).toEqual(created);
    const changed = (await resend.contacts.get(id)).data!;
    expect(changed).toMatchObject({ first_name: 'Ada', last_name: 'Lovelace', unsubscribed: true });
    expect(changed.properties).toEqual({ age: { type: 'number', value: 36 } });
    await resend.contacts.update({ id, firstName: null, unsubscribed: false });
    expect((await resend.contacts.get(id)).data).toMatchObject({ first_name: null, unsubscribed: false });
    const other = clientOf((await server.createTeam()).key);
    expect((await other.contacts.get(id)).error).toMatchObject(MISSING);
    expect((await other.contacts.remove(email)).error).toMatchObject(MISSING);
    expect((await resend.contacts.remove(email)).data).toEqual({
      object: 'contact',
      contact: id,
      // The SDKs for Python and Go read it from here.
      id,
      deleted: true,
    });
    expect((await resend.contacts.get(id)).error).toMatchObject(MISSING);
    expect((await resend.contacts.create({ email: 'nobody' })).error).toMatchObject(INVALID);
    expect((await resend.contacts.create({ email: undefined as unknown as string })).error).toMatchObject({
      name: 'missing_required_field',
    });
  });

  test('are listed in pages, forwards and backwards', async () => {
    for (const name of ['a', 'b', 'c']) await resend.contacts.create({ email: `${name}@example.com` });
    const first = await resend.contacts.list({ limit: 2 });
    expect(emailsIn(first)).toEqual(['c@example.com', 'b@example.com']);
    expect(first.data!.has_more).toBe(true);
    const next = await resend.contacts.list({ after: first.data!.data[1]!.id });
    expect(emailsIn(next)).toEqual(['a@example.com']);
    const back = await resend.contacts.list({ limit: 1, before: next.data!.data[0]!.id });
    expect(emailsIn(back)).toEqual(['b@example.com']);
    expect(back.data!.has_more).toBe(true);
  });

  test('created at the same moment by a new team are in one book', async () => {
    const all = ['a', 'b', 'c', 'd'].map((name) => resend.contacts.create({ email: `${name}@example.com` }));
    await Promise.all(all);
    expect((await resend.contacts.list()).data!.data).toHaveLength(4);
    expect((await team.call('GET', '/contactBooks')).body).toHaveLength(1);
  });

  test('join and leave segments, and keep their other properties', async () => {
    const news = (await resend.segments.create({ name: 'News' })).data!;
    const shop = (await resend.audiences.create({ name: 'Shop' })).data!;
    expect(news).toEqual({ object: 'segment', id: expect.any(String), name: 'News' });
    const { id } = (
      await resend.contacts.create({ email, segments: [{ id: news.id }], properties: { city: 'London' } })
    ).data!;
    await resend.contacts.create({ email: 'grace@example.com', audienceId: shop.id });
    expect(emailsIn(await resend.contacts.list({ segmentId: news.id }))).toEqual([email]);
    expect(emailsIn(await resend.contacts.list({ audienceId: shop.id }))).toEqual(['grace@example.com']);
    expect((await resend.contacts.segments.add({ email, segmentId: shop.id })).data).toEqual({ id: shop.id });
    expect(emailsIn(await resend.contacts.list({ segmentId: shop.id }))).toHaveLength(2);
    const listed = (await resend.contacts.segments.list({ contactId: id })).data!;
    expect(listed.data.map(({ name }) => name)).toEqual(['Shop', 'News']);
    expect((await resend.contacts.get({ audienceId: shop.id, email })).data!.properties).toEqual({
      city: { type: 'string', value: 'London' },
    });
    const removed = { id: news.id, audienceId: news.id, deleted: true };
    const leave = { contactId: id, segmentId: news.id };
    expect((await resend.contacts.segments.remove(leave)).data).toEqual(removed);
    expect((await resend.contacts.segments.remove(leave)).error).toMatchObject(MISSING);
    expect((await resend.contacts.get({ audienceId: news.id, email })).error).toMatchObject(MISSING);
    await resend.contacts.segments.add({ email, segmentId: news.id });
    await resend.contacts.remove({ audienceId: shop.id, email });
    expect((await resend.contacts.get(email)).error).toBeNull();
    await resend.contacts.remove({ audienceId: news.id, email });
    expect((await resend.contacts.get(email)).error).toMatchObject(MISSING);
  });

  test('of a contact book or of a segment with a filter are reached through its id', async () => {
    await resend.contacts.create({ email });
    const book = (await team.call('POST', '/contactBooks', { name: 'Second' })).body.id;
    const { id } = (await resend.contacts.create({ audienceId: book, email: 'b@example.com' })).data!;
    expect(emailsIn(await resend.contacts.list({ segmentId: book }))).toEqual(['b@example.com']);
    expect((await resend.contacts.get(id)).data!.email).toBe('b@example.com');
    expect((await resend.segments.get(book)).data).toMatchObject({ id: book, name: 'Second' });
    const filter = { all: [{ field: 'email', op: 'startsWith', value: 'b' }] };
    const segment = (await team.call('POST', '/segments', { name: 'B', contactBookId: book, filter })).body;
    expect(emailsIn(await resend.contacts.list({ segmentId: segment.id }))).toEqual(['b@example.com']);
    const added = await resend.contacts.create({ email: 'c@example.com', segments: [{ id: segment.id }] });
    expect(added.error).toMatchObject({ ...INVALID, message: expect.stringContaining('filter') });
    expect((await resend.contacts.get('c@example.com')).error).toMatchObject(MISSING);
  });
});

test('segments are listed, renamed and removed', async () => {
  const { id } = (await resend.segments.create({ name: 'Old' })).data!;
  expect((await resend.segments.update(id, { name: 'New' })).data).toEqual({ object: 'segment', id });
  expect((await resend.segments.get(id)).data).toMatchObject({ object: 'segment', id, name: 'New' });
  expect((await resend.segments.list()).data).toMatchObject({ has_more: false, data: [{ id, name: 'New' }] });
  const other = clientOf((await server.createTeam()).key);
  expect((await other.segments.get(id)).error).toMatchObject(MISSING);
  expect((await other.contacts.create({ email, segments: [{ id }] })).error).toMatchObject(MISSING);
  expect((await other.contacts.list()).data!.data).toEqual([]);
  expect((await resend.segments.remove(id)).data).toEqual({ object: 'segment', id, deleted: true });
  expect((await resend.segments.get(id)).error).toMatchObject(MISSING);
  expect((await resend.segments.create({ name: '' })).error).toMatchObject(INVALID);
});

test('topics have the default of Resend, which is the reverse of ours, and contacts choose', async () => {
  const topic = (
    await resend.topics.create({ name: 'News', description: 'Weekly', defaultSubscription: 'opt_in' })
  ).data!;
  const secret = (await resend.topics.create({ name: 'Beta', defaultSubscription: 'opt_out' })).data!;
  expect((await team.call('GET', `/topics/${topic.id}`)).body.defaultSubscription).toBe('opt_out');
  expect((await resend.topics.get(topic.id)).data).toMatchObject({
    id: topic.id,
    name: 'News',
    description: 'Weekly',
    default_subscription: 'opt_in',
    visibility: 'public',
  });
  await resend.topics.update({ id: topic.id, name: 'Letters' });
  const names = (await resend.topics.list()).data!.data.map(({ name }) => name);
  expect(names).toEqual(['Beta', 'Letters']);
  await resend.contacts.create({ email, topics: [{ id: secret.id, subscription: 'opt_in' }] });
  const choices = async () =>
    (await resend.contacts.topics.list({ email })).data!.data.map(({ name, subscription }) => [
      name,
      subscription,
    ]);
  expect(await choices()).toEqual([
    ['Beta', 'opt_in'],
    ['Letters', 'opt_in'],
  ]);
  expect((await resend.contacts.topics.list({ email })).data!.data[0]).toMatchObject({
    created_at: expect.stringMatching(/Z$/),
  });
  const change = { email, topics: [{ id: topic.id, subscription: 'opt_out' as const }] };
  expect((await resend.contacts.topics.update(change)).data).toEqual({ id: expect.stringMatching(/^con_/) });
  expect((await choices())[1]).toEqual(['Letters', 'opt_out']);
  expect((await resend.topics.remove(topic.id)).data).toEqual({
    object: 'topic',
    id: topic.id,
    deleted: true,
  });
  expect((await resend.topics.get(topic.id)).error).toMatchObject(MISSING);
  expect((await resend.contacts.topics.update(change)).error).toMatchObject(MISSING);
  const both = await resend.contacts.create({
    email: 'x@example.com',
    topics: [{ id: topic.id, subscription: 'opt_in' }],
  });
  expect(both.error).toMatchObject(MISSING);
  expect((await resend.contacts.get('x@example.com')).error).toMatchObject(MISSING);
});

test('contact properties are the variables of the contact book', async () => {
  const created = await resend.contactProperties.create({ key: 'company', type: 'string' });
  expect(created.data).toEqual({ object: 'contact_property', id: 'company' });
  await resend.contactProperties.create({ key: 'age', type: 'number' });
  expect((await team.call('GET', '/contactBooks')).body[0].variables).toEqual(['company', 'age']);
  expect((await resend.contactProperties.get('age')).data).toMatchObject({ key: 'age', type: 'number' });
  const more = ['a', 'b', 'c', 'd'];
  await Promise.all(more.map((key) => resend.contactProperties.create({ key, type: 'string' })));
  expect((await resend.contactProperties.list()).data!.data).toHaveLength(6);
  for (const key of more) await resend.contactProperties.remove(key);
  const keys = (await resend.contactProperties.list({ limit: 1 })).data!;
  expect(keys).toMatchObject({ has_more: true, data: [{ key: 'age', fallbackValue: null }] });
  expect((await resend.contactProperties.create({ key: 'Age', type: 'number' })).error).toMatchObject({
    statusCode: 409,
  });
  expect((await resend.contactProperties.create({ key: 'a b', type: 'string' })).error).toMatchObject({
    ...INVALID,
    message: expect.stringMatching(/^key/),
  });
  expect((await resend.contactProperties.remove('age')).data).toMatchObject({ deleted: true });
  expect((await resend.contactProperties.get('age')).error).toMatchObject(MISSING);
});

test('a contact property has a fallback, which broadcasts use', async () => {
  const properties = resend.contactProperties;
  await properties.create({ key: 'city', type: 'string', fallbackValue: 'your town' });
  await properties.create({ key: 'age', type: 'number' });
  expect((await properties.get('city')).data).toMatchObject({ type: 'string', fallbackValue: 'your town' });
  expect((await properties.update({ id: 'age', fallbackValue: 'x' })).error).toMatchObject(INVALID);
  expect((await properties.update({ id: 'age', fallbackValue: 30 })).error).toBeNull();
  expect((await properties.get('age')).data).toMatchObject({ type: 'number', fallbackValue: 30 });
  await properties.update({ id: 'city', fallbackValue: 'here' });

  const domain = `rp${team.teamId}.test`;
  const { id: domainId } = (await team.call('POST', '/domains', { name: domain })).body;
  await team.call('PUT', `/domains/${domainId}/verify`);
  await expect.poll(async () => (await team.call('GET', `/domains/${domainId}`)).body.status).toBe('SUCCESS');
  const { id: segmentId } = (await resend.segments.create({ name: 'All' })).data!;
  const { data } = await resend.broadcasts.create({
    segmentId,
    from: `a@${domain}`,
    subject: 'In {{{contact.city}}}',
    html: '<p>{{{contact.age}}}, {{{contact.city|there}}}</p>',
  });
  const campaign = (await team.call('GET', `/campaigns/${data!.id}`)).body;
  expect(campaign.subject).toBe('In {{city,fallback=here}}');
  expect(campaign.html).toContain('{{age,fallback=30}}, {{city,fallback=there}}');

  await properties.update({ id: 'city', fallbackValue: null });
  expect((await properties.get('city')).data).toMatchObject({ fallbackValue: null });
});

function postImport(body: FormData): Promise<Response> {
  const headers = { authorization: `Bearer ${team.key}` };
  return fetch(`${server.url}/resend/contacts/imports`, { method: 'POST', headers, body });
}

test('imports of contacts refuse what they do not have here, and store nothing', async () => {
  const csv = new Blob(['email\na@example.com'], { type: 'text/csv' });
  const news = (await resend.segments.create({ name: 'News' })).data!;
  for (const wrong of [
    { onConflict: 'skip' },
    { segments: [{ id: news.id }] },
    { topics: [{ id: 'top_1', subscription: 'opt_in' }] },
    { columnMap: { email: 'email', firstName: 'email' } },
    { columnMap: { properties: { age: { column: 'Age', type: 'number' } } } },
  ] as const)
    expect(
      (await resend.contacts.imports.create({ file: csv, ...(wrong as object) })).error,
      JSON.stringify(wrong),
    ).toMatchObject(INVALID);
  const form = new FormData();
  form.set('column_map', '{"email":');
  expect((await postImport(form)).status).toBe(422);
  form.set('file', csv, 'a.csv');
  expect((await postImport(form)).status).toBe(422);
  expect((await resend.contacts.imports.list()).data!.data).toEqual([]);
});
