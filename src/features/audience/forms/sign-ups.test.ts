import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  addVerifiedDomain,
  startRelayWorld,
  type RelayWorld,
} from '../../../testing/fixtures/relay-world.ts';
import type { TestServer, TestTeam } from '../../../testing/test-server.ts';

let world: RelayWorld;
let sink: RelayWorld['sink'];
let server: TestServer;
let team: TestTeam;
/** A book without double opt-in, and one with it. */
let open: string;
let asking: string;
let people = 0;
let networks = 0;

beforeAll(async () => {
  world = await startRelayWorld();
  ({ sink, server } = world);
  team = await server.createTeam();
  await addVerifiedDomain(server, team, 'shop.test');
  open = await addBook({});
  asking = await addBook({ doubleOptInEnabled: true });
});
afterAll(() => world.close());

async function addBook(more: object): Promise<string> {
  const input = { name: 'Harbour', variables: ['city'], ...more };
  return (await team.call('POST', '/contactBooks', input)).body.id;
}

async function addForm(contactBookId: string, more: object = {}): Promise<string> {
  const { status, body } = await team.call('POST', '/forms', { name: 'Home', contactBookId, ...more });
  expect(status).toBe(200);
  return body.id;
}

async function addTopic(defaultSubscription = 'opt_in'): Promise<string> {
  return (await team.call('POST', '/topics', { name: 'Jobs', defaultSubscription })).body.id;
}

function newEmail(): string {
  return `person${++people}@example.org`;
}

/** Each call comes from another client network, unless `headers` names one. */
function submit(formId: string, values: Record<string, string>, headers: Record<string, string> = {}) {
  return fetch(`${server.url}/f/${formId}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'x-forwarded-for': `192.0.2.${++networks % 250}`, ...headers },
    body: new URLSearchParams(values),
  });
}

async function signUp(formId: string, email: string, more: Record<string, string> = {}): Promise<string> {
  const answer = await submit(formId, { email, ...more });
  expect(answer.status).toBe(200);
  return answer.text();
}

async function find(book: string, email: string) {
  const path = `/contactBooks/${book}/contacts?email=${encodeURIComponent(email)}`;
  return (await team.call('GET', path)).body.items[0];
}

async function countsOf(formId: string) {
  return (await team.call('GET', `/forms/${formId}`)).body.counts;
}

async function topicsOf(book: string, contactId: string): Promise<Record<string, boolean>> {
  const { body } = await team.call('GET', `/contactBooks/${book}/contacts/${contactId}/topics`);
  return Object.fromEntries(
    body.items.map((topic: { id: string; subscribed: boolean }) => [topic.id, topic.subscribed]),
  );
}

function mailsTo(email: string) {
  return sink.messages.filter(({ recipients }) => recipients.includes(email));
}

/** Waits for the email, opens its link and presses the button. */
async function confirm(email: string): Promise<void> {
  await expect.poll(() => mailsTo(email).length).toBeGreaterThan(0);
  const { html } = await PostalMime.parse(mailsTo(email).at(-1)!.data);
  const path = /https?:\/\/[^/]+(\/c\/[\w-]+)/.exec(html ?? '')![1];
  const page = await fetch(`${server.url}${path}`);
  expect(await page.text()).toContain('Yes, subscribe me');
  await fetch(`${server.url}${path}`, { method: 'POST' });
}

/** Waits until all confirmation jobs have finished. */
async function waitForJobs(): Promise<void> {
  await expect
    .poll(
      async () =>
        (
          await sql`select 1 from jobs where leased_by is not null
      or name = 'confirm-sign-ups'`.execute(server.db)
        ).rows.length,
    )
    .toBe(0);
}

test('a sign-up adds a contact with its values, its topics, its consent and its event', async () => {
  const topic = await addTopic();
  const form = await addForm(open, { fields: ['firstName', 'lastName', 'city'], topicIds: [topic] });
  const email = newEmail();
  const page = await signUp(form, ` ${email} `, { firstName: ' Ada ', city: 'Ghent', street: 'not asked' });
  expect(page).toContain('You have signed up');
  const contact = await find(open, email);
  expect(contact).toMatchObject({
    email,
    firstName: 'Ada',
    lastName: null,
    properties: { city: 'Ghent' },
    subscribed: true,
    consent: { source: 'form', formId: form, by: form, at: expect.any(String) },
  });
  expect(await topicsOf(open, contact.id)).toMatchObject({ [topic]: true });
  expect(await countsOf(form)).toEqual({ views: 0, signups: 1, confirmed: 1 });
  const { rows } = await sql`
    select 1 from events where team_id = ${team.teamId} and type = 'contact.created' limit 1`.execute(
    server.db,
  );
  expect(rows).toHaveLength(1);
});

test('with double opt-in a sign-up is pending until the link is confirmed', async () => {
  const topic = await addTopic();
  const form = await addForm(asking, { topicIds: [topic] });
  const email = newEmail();
  expect(await signUp(form, email)).toContain('check your inbox');
  expect(await find(asking, email)).toMatchObject({ subscribed: false, unsubscribeReason: null });
  await signUp(form, email);
  expect(await countsOf(form)).toMatchObject({ signups: 1, confirmed: 0 });
  await confirm(email);
  const contact = await find(asking, email);
  expect(contact).toMatchObject({
    subscribed: true,
    consent: { source: 'form', formId: form, by: 'recipient' },
  });
  expect(await topicsOf(asking, contact.id)).toMatchObject({ [topic]: true });
  expect(await countsOf(form)).toMatchObject({ signups: 1, confirmed: 1 });
  expect(mailsTo(email)).toHaveLength(1);
});

test.each(['without', 'with'])(
  '%s double opt-in, a person who unsubscribed comes back only by confirming',
  async (kind) => {
    const book = kind === 'with' ? asking : open;
    const form = await addForm(book);
    const email = newEmail();
    const { body } = await team.call('POST', `/contactBooks/${book}/contacts`, { email, subscribed: false });
    await signUp(form, email);
    const contact = `/contactBooks/${book}/contacts/${body.contactId}`;
    expect((await team.call('GET', contact)).body).toMatchObject({
      subscribed: false,
      unsubscribeReason: 'UNSUBSCRIBED',
    });
    await confirm(email);
    expect((await team.call('GET', contact)).body).toMatchObject({
      subscribed: true,
      unsubscribeReason: null,
    });
    expect(await countsOf(form)).toEqual({ views: 0, signups: 1, confirmed: 1 });
    // The link of the first sign-up does not undo a later decision.
    await team.call('PATCH', contact, { subscribed: false });
    const { html } = await PostalMime.parse(mailsTo(email)[0]!.data);
    const path = /https?:\/\/[^/]+(\/c\/[\w-]+)/.exec(html ?? '')![1];
    await fetch(`${server.url}${path}`, { method: 'POST' });
    expect((await team.call('GET', contact)).body).toMatchObject({ subscribed: false });
  },
);

test('the answer is the same for new, known, unsubscribed and suppressed addresses', async () => {
  for (const book of [open, asking]) {
    const form = await addForm(book);
    const [fresh, known, left, suppressed] = [newEmail(), newEmail(), newEmail(), newEmail()];
    const contacts = `/contactBooks/${book}/contacts`;
    const { body } = await team.call('POST', contacts, { email: known });
    await team.call('PATCH', `${contacts}/${body.contactId}`, { subscribed: true });
    await team.call('POST', contacts, { email: left, subscribed: false });
    await team.call('POST', '/suppressions', { email: suppressed });
    const answers = [];
    for (const email of [fresh, known, left, suppressed]) {
      const answer = await submit(form, { email });
      const headers = [...answer.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
      answers.push({ status: answer.status, headers, text: await answer.text() });
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    await waitForJobs();
    expect(mailsTo(suppressed)).toEqual([]);
  }
});

test('a stranger cannot change the values of a known contact, or bring back a topic that it left', async () => {
  const topic = await addTopic('opt_out');
  const form = await addForm(open, { fields: ['firstName', 'lastName', 'city'], topicIds: [topic] });
  const email = newEmail();
  const contacts = `/contactBooks/${open}/contacts`;
  const { body } = await team.call('POST', contacts, {
    email,
    firstName: 'Ada',
    properties: { city: 'Ghent' },
  });
  await team.call('PATCH', `${contacts}/${body.contactId}/topics`, {
    topics: [{ id: topic, subscribed: false }],
  });
  await signUp(form, email, { firstName: 'Fool', lastName: 'Lovelace', city: 'Nowhere' });
  expect(await find(open, email)).toMatchObject({
    firstName: 'Ada',
    lastName: 'Lovelace',
    properties: { city: 'Ghent' },
    subscribed: true,
    consent: null,
  });
  expect(await topicsOf(open, body.contactId)).toMatchObject({ [topic]: false });
  await confirm(email);
  expect(await topicsOf(open, body.contactId)).toMatchObject({ [topic]: true });
});

test('with double opt-in a subscriber joins a further topic by confirming', async () => {
  const topic = await addTopic();
  const form = await addForm(asking, { topicIds: [topic] });
  const email = newEmail();
  const contacts = `/contactBooks/${asking}/contacts`;
  const { body } = await team.call('POST', contacts, { email });
  await expect.poll(() => mailsTo(email).length).toBe(1);
  await team.call('PATCH', `${contacts}/${body.contactId}`, { subscribed: true });
  await sql`update contacts set confirmation_sent_at = null where email = ${email}`.execute(server.db);
  await signUp(form, email);
  expect(await topicsOf(asking, body.contactId)).toMatchObject({ [topic]: false });
  await expect.poll(() => mailsTo(email).length).toBe(2);
  await confirm(email);
  expect(await topicsOf(asking, body.contactId)).toMatchObject({ [topic]: true });
});

test('a form without topics changes nothing for a subscriber', async () => {
  const form = await addForm(open);
  const email = newEmail();
  await team.call('POST', `/contactBooks/${open}/contacts`, { email });
  await signUp(form, email);
  await waitForJobs();
  expect(mailsTo(email)).toEqual([]);
  expect(await countsOf(form)).toMatchObject({ signups: 0, confirmed: 0 });
});
