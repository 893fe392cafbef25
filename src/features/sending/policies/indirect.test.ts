/** Ways around a send policy: reading where nothing is noted, and mail that others send because of the key. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeAgent } from '../../../testing/agents.ts';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';

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
