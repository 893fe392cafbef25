/** Ways around a send policy: reading where nothing is noted, and mail that others send because of the key. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeAgent } from '../../../testing/agents.ts';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';
import { createCall } from '../../../testing/test-server.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

const createAgent = (policy: object, key: object = {}) => makeAgent(world, policy, key);

const email = () => ({
  from: 'ada@harbour.test',
  to: 'charles@example.org',
  subject: 'The engine',
  text: 'It turns.',
});

async function sentCount(): Promise<number> {
  return (await world.team.call('GET', '/emails?limit=100')).body.items.length;
}

test('what a key reads with an email app counts, also after the app password was revoked', async () => {
  const box = await world.freshMailbox({ undo_seconds: 0 });
  const { call } = await createAgent({ taint: 'strict' });
  expect((await call('POST', '/emails', email())).body.status).toBeUndefined();
  const { body } = await call('POST', `/mailboxes/${box.id}/app-passwords`, { name: 'Agent' });
  const { body: held } = await call('POST', '/emails', email());
  expect(held).toMatchObject({ status: 'held', policy: { rule: 'taint' } });
  expect((await world.team.call('GET', `/approvals/${held.approvalId}`)).body.taints).toMatchObject([
    { id: body.id, kind: 'app' },
  ]);
  expect((await call('DELETE', `/mailboxes/${box.id}/app-passwords/${body.id}`)).status).toBe(200);
  expect((await call('POST', '/emails', email())).body.status).toBe('held');
});

test('an email that was written in a mailbox counts as read with what it may quote', async () => {
  const box = await world.freshMailbox({ undo_seconds: 0 });
  await world.receive(box, { from: 'grace@example.org' });
  const [thread] = await world.threads(box.id);
  const reply = { to: ['grace@example.org'], thread_id: thread!.id, text: 'As you say.' };
  const { body: sent } = await world.team.call('POST', `/mailboxes/${box.id}/messages`, reply);
  const { body: list } = await world.team.call('GET', '/emails?limit=1');
  expect(sent.id).toBeTruthy();
  const { call } = await createAgent({ taint: 'strict' });
  expect((await call('GET', `/emails/${list.items[0].id}`)).status).toBe(200);
  expect((await call('POST', '/emails', email())).body).toMatchObject({ policy: { rule: 'taint' } });
});

test('a key with a policy causes no mail by adding a contact where contacts are asked to confirm', async () => {
  const book = async (input: object) => (await world.team.call('POST', '/contactBooks', input)).body.id;
  const [plain, asks] = [
    await book({ name: 'Plain' }),
    await book({ name: 'Asks', doubleOptInEnabled: true }),
  ];
  const agent = await createAgent(
    { recipients: { allow: ['example.com'] } },
    { permission: undefined, scopes: ['contacts.write'] },
  );
  const contact = { email: 'spy@example.net' };
  const before = await sentCount();
  expect((await agent.call('POST', `/contactBooks/${plain}/contacts`, contact)).status).toBe(200);
  for (const [method, path, body] of [
    ['POST', 'contacts', contact],
    ['POST', 'contacts/bulk', [contact]],
    ['PUT', 'contacts/new', contact],
  ] as const) {
    const answer = await agent.call(method, `/contactBooks/${asks}/${path}`, body);
    expect(answer.status).toBe(403);
    expect(answer.body.error.message).toMatch(/"Asks" asks new contacts by email to confirm/);
  }
  await sql`
    insert into automations (team_id, id, name, status, contact_book_id, definition)
    select team_id, gen_random_uuid(), 'Welcome', 'ACTIVE', id, '{}'::jsonb from contact_books
    where team_id = ${world.team.teamId} and name = 'Plain'`.execute(world.server.db);
  const late = await agent.call('POST', `/contactBooks/${plain}/contacts`, contact);
  expect(late.body.error.message).toMatch(/^The automation "Welcome" writes to contacts/);
  expect(await sentCount()).toBe(before);

  const open = await createAgent({});
  expect((await open.call('POST', `/contactBooks/${asks}/contacts`, contact)).status).toBe(200);
  await sql`delete from automations where team_id = ${world.team.teamId}`.execute(world.server.db);
});

test('a key with a policy adds nobody to a book whose contacts its policy permits', async () => {
  const { body: book } = await world.team.call('POST', '/contactBooks', { name: 'Customers' });
  const { body: other } = await world.team.call('POST', '/contactBooks', { name: 'Others' });
  const { call } = await createAgent({ recipients: { contactBookIds: [book.id] } });
  const contact = { email: 'spy@example.net' };
  const refused = await call('POST', `/contactBooks/${book.id}/contacts`, contact);
  expect(refused.status).toBe(403);
  expect(refused.body.error.message).toMatch(
    /^The send policy "Policy \d+" permits the contacts of a contact book/,
  );
  expect((await call('POST', `/contactBooks/${other.id}/contacts`, contact)).status).toBe(200);
  expect((await call('POST', '/emails', { ...email(), to: contact.email })).body.status).toBe('blocked');
});

test('a key with a policy, or without the scope to send campaigns, starts none by creating it', async () => {
  const { body: book } = await world.team.call('POST', '/contactBooks', { name: 'Readers' });
  await world.team.call('POST', `/contactBooks/${book.id}/contacts`, { email: 'reader@example.org' });
  const campaign = {
    name: 'Spring',
    from: 'ada@harbour.test',
    subject: 'Spring',
    html: '<p>Hello</p>',
    contactBookId: book.id,
  };
  const broadcast = {
    from: 'ada@harbour.test',
    subject: 'Spring',
    html: '<p>Hello</p>',
    segment_id: book.id,
    send: true,
  };
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  const agent = await createAgent({});
  const { body: scoped } = await world.team.call('POST', '/api-keys', {
    name: 'Writer',
    scopes: ['campaigns.write'],
  });
  for (const key of [agent.key, scoped.key]) {
    const call = createCall(world.server.url, key);
    expect((await call('POST', '/campaigns', campaign)).body.status).toBe('DRAFT');
    for (const start of [{ sendNow: true }, { scheduledAt: inAnHour }])
      expect((await call('POST', '/campaigns', { ...campaign, ...start })).status).toBe(403);
    const answer = await fetch(`${world.server.url}/resend/broadcasts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(broadcast),
    });
    // Resend says 401 for a key that may not do something.
    expect([answer.status, await answer.text()]).toEqual([
      401,
      expect.stringContaining('restricted_api_key'),
    ]);
  }
  const { body: campaigns } = await world.team.call('GET', '/campaigns');
  const states = (campaigns.campaigns ?? campaigns.items).map(({ status }: { status: string }) => status);
  expect(new Set(states)).toEqual(new Set(['DRAFT']));
});

test('a key with a policy changes no campaign that is scheduled, and not who gets it', async () => {
  const { body: book } = await world.team.call('POST', '/contactBooks', { name: 'Readers' });
  await world.team.call('POST', `/contactBooks/${book.id}/contacts`, { email: 'charles@example.org' });
  const draft = {
    name: 'News',
    from: 'ada@harbour.test',
    subject: 'News',
    html: '<p>{{firstName}} <a href="{{unsubscribe_url}}">leave</a></p>',
    contactBookId: book.id,
  };
  const { body: campaign } = await world.team.call('POST', '/campaigns', draft);
  const { call } = await createAgent({ mode: 'draft_only' });
  const change = () => call('PATCH', `/campaigns/${campaign.id}`, { subject: 'Secret' });
  const add = (name: string) =>
    call('POST', `/contactBooks/${book.id}/contacts`, { email: `${name}@example.net`, firstName: 'Secret' });
  expect((await change()).status).toBe(200);
  expect((await add('one')).status).toBe(200);
  const scheduledAt = new Date(Date.now() + 7_200_000).toISOString();
  expect((await world.team.call('POST', `/campaigns/${campaign.id}/schedule`, { scheduledAt })).status).toBe(
    200,
  );
  const refused = await change();
  expect(refused.status).toBe(403);
  expect(refused.body.error.message).toMatch(/^The campaign "News" is scheduled or has begun/);
  expect((await add('two')).body.error.message).toMatch(/^The campaign "News" goes to contacts/);
  await world.team.call('POST', `/campaigns/${campaign.id}/unschedule`);
  expect((await change()).status).toBe(200);
});

test('a key with a policy changes only templates that it has made alone and that nothing uses', async () => {
  const create = async (by: typeof world.team.call, name: string) =>
    (await by('POST', '/templates', { name, subject: 'Hi', html: '<p>Hi</p>' })).body.id;
  const { call, key } = await createAgent({ mode: 'approve_all' });
  const [others, own] = [await create(world.team.call, 'Receipt'), await create(call, 'Idea')];
  const change = async (id: string) =>
    (await call('PATCH', `/templates/${id}`, { html: '<p>Secret</p>' })).status;
  expect([await change(others), await change(own)]).toEqual([403, 200]);
  expect((await call('DELETE', `/templates/${others}`)).status).toBe(403);
  const resend = (id: string) =>
    fetch(`${world.server.url}/resend/templates/${id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ html: '<p>Secret</p>' }),
    });
  // That API answers a key that is not permitted with 401.
  expect([(await resend(others)).status, (await resend(own)).status]).toEqual([401, 200]);
  // A person has worked on it since, and relies on it.
  await world.team.call('PATCH', `/templates/${own}`, { html: '<p>Better</p>' });
  expect(await change(own)).toBe(403);

  const used = await create(call, 'Used');
  await sql`
    with made as (
      insert into automations (team_id, id, name, status, contact_book_id, definition)
      select team_id, gen_random_uuid(), 'Greeting', 'ACTIVE', id, '{}'::jsonb from contact_books
      where team_id = ${world.team.teamId} limit 1 returning team_id, id)
    insert into automation_versions (team_id, automation_id, version, definition, created_by)
    select team_id, id, 1, jsonb_build_object('steps', jsonb_build_array(jsonb_build_object('templateId', ${used}::text))), 'test'
    from made`.execute(world.server.db);
  expect(await change(used)).toBe(403);
  await sql`delete from automations where team_id = ${world.team.teamId}`.execute(world.server.db);
  expect(await change(used)).toBe(200);
});

test('a key with a policy changes no saved reply that a rule answers with', async () => {
  const box = await world.freshMailbox();
  const path = `/mailboxes/${box.id}/saved-replies`;
  const { body: reply } = await world.team.call('POST', path, { name: 'Thanks', html: '<p>Thanks</p>' });
  const { call } = await createAgent({ mode: 'approve_all' });
  const change = () => call('PATCH', `${path}/${reply.id}`, { html: '<p>Secret</p>' });
  expect((await change()).status).toBe(200);
  const { status } = await world.team.call('POST', `/mailboxes/${box.id}/rules`, {
    name: 'Answer',
    conditions: [{ field: 'subject', op: 'contains', value: 'a' }],
    actions: [{ type: 'reply', saved_reply_id: reply.id }],
  });
  expect(status).toBe(200);
  expect((await change()).body.error.message).toMatch(/^The rule "Answer" answers with this saved reply/);
});

test('a key with a policy does not read the secret that starts an automation', async () => {
  const { call } = await createAgent({});
  expect((await call('GET', '/automations/aut_01kbd8x4zvf7m8rk2q3w5t6y7h/webhook-secret')).status).toBe(403);
});
