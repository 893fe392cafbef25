/** Words of messages in message_words, and of older messages in their own rows: both are found the same, by every door. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeId } from '../../../platform/ids.ts';
import { openJmapClient, type JmapClient } from '../../../testing/clients/jmap-client.ts';
import { startImapWorld, type ImapWorld } from '../../../testing/fixtures/imap-world.ts';

let world: ImapWorld;
beforeAll(async () => {
  world = await startImapWorld();
});
afterAll(() => world.close());

const LETTERS = [
  {
    from: 'Ada Lovelace <ada@analytical.test>',
    subject: 'Engines',
    text: 'The naïve loom weaves 東京 leaves.',
  },
  {
    from: 'Grace Hopper <grace@navy.test>',
    subject: "Bugs ' & : | <moth>",
    text: 'A moth in relay 70, for Ada.',
  },
  { from: 'Ada Byron <byron@analytical.test>', subject: '', text: '' },
];

/** Stores the words as versions before message_words did. */
async function makeOld(client: JmapClient): Promise<void> {
  const mailbox = decodeId('mbx', client.mailboxId);
  await sql`
    with old as (
      delete from message_words w using messages m
      where m.team_id = w.team_id and m.id = w.message_id and m.mailbox_id = ${mailbox} returning w.*
    )
    update messages m set search = search_vector(words) from old where m.team_id = old.team_id and m.id = old.message_id
  `.execute(world.server.db);
}

/** Adds words without messages, so that more are found than are counted. */
async function addOthers({ mailboxId }: JmapClient): Promise<void> {
  const mark = decodeId('mbx', mailboxId)!.slice(-8);
  await sql`
    insert into message_words (team_id, message_id, words)
    select ${world.team.teamId}, make_uuid(), ${`${mark}<grace<hopper>box ada moth naïve loom 東 70 bugs relay in`}
    from generate_series(1, 2001)
  `.execute(world.server.db);
}

async function removeOthers(): Promise<void> {
  await sql`
    delete from message_words w where not exists (
      select from messages m where m.team_id = w.team_id and m.id = w.message_id)
  `.execute(world.server.db);
}

async function countWords(client: JmapClient): Promise<{ rows: number; old: number }> {
  const mailbox = decodeId('mbx', client.mailboxId);
  const { rows } = await sql<{ rows: number; old: number }>`
    select count(w.message_id)::integer as rows, count(m.search)::integer as old
    from messages m left join message_words w on w.team_id = m.team_id and w.message_id = m.id
    where m.mailbox_id = ${mailbox}
  `.execute(world.server.db);
  return rows[0]!;
}

async function subjectsOf(client: JmapClient, q: string): Promise<string[]> {
  const items = await world.threads(client.mailboxId, `?q=${encodeURIComponent(q)}`);
  return items.map(({ subject }) => subject).toSorted();
}

async function searchEverywhere(client: JmapClient) {
  const found: Record<string, unknown> = {};
  const texts = [
    'ada',
    'from:ada',
    'to:box',
    'mot',
    'ada moth',
    'ada -moth',
    'loom -ada',
    '-moth',
    'naive',
    'naïve',
    '東',
    '70',
  ];
  for (const q of [...texts, '"moth in relay"', 'subject:bugs', "' & : | <moth>", 'nobody'])
    found[q] = await subjectsOf(client, q);
  const query = async (filter: object) => (await client.call('Email/query', { filter })).ids.length;
  found.jmap = [
    await query({ text: 'ada' }),
    await query({ from: 'ada' }),
    await query({ body: 'moth' }),
    await query({ operator: 'NOT', conditions: [{ text: 'ada' }] }),
    await query({ operator: 'OR', conditions: [{ text: 'loom' }, { from: 'grace' }] }),
  ];
  const people = await world.team.call('GET', `/mailboxes/${client.mailboxId}/people?q=hop`);
  found.people = people.body.items;
  const { body } = await world.team.call('GET', '/people/grace@navy.test');
  found.threads = body.threads.filter(
    ({ mailbox_id }: { mailbox_id: string }) => mailbox_id === client.mailboxId,
  ).length;
  return found;
}

test('words are found in every door, and those of older messages are found the same', async () => {
  const client = await openJmapClient(world);
  // Ada is in many of the newest messages, so the index is not asked for her.
  for (const each of [...LETTERS, ...LETTERS]) await world.receive(client, each);
  expect(await countWords(client)).toEqual({ rows: 6, old: 0 });
  const found = await searchEverywhere(client);
  const [engines, bugs] = ['Engines', "Bugs ' & : | <moth>"];
  expect(found).toMatchObject({
    ada: ['', '', bugs, engines],
    'from:ada': ['', '', engines],
    mot: [bugs],
    'ada moth': [bugs],
    'ada -moth': ['', '', engines],
    'loom -ada': [],
    '-moth': ['', '', engines],
    naïve: [engines],
    東: [engines],
    '70': [bugs],
    '"moth in relay"': [bugs],
    'subject:bugs': [bugs],
    "' & : | <moth>": [bugs],
    nobody: [],
    jmap: [6, 4, 2, 0, 4],
    threads: 1,
  });
  await addOthers(client);
  expect(await searchEverywhere(client)).toEqual(found);
  await removeOthers();
  await makeOld(client);
  expect(await countWords(client)).toEqual({ rows: 0, old: 6 });
  expect(await searchEverywhere(client)).toEqual(found);
  await world.receive(client, { subject: 'New', text: 'Another loom.' });
  expect(await subjectsOf(client, 'loom')).toEqual(['Engines', 'New']);
});

test('copies are found as their originals, and the words go with the message', async () => {
  const client = await openJmapClient(world);
  for (const each of LETTERS.slice(0, 2)) await world.receive(client, each);
  await makeOld(client);
  await world.receive(client, { subject: 'New', text: 'Another loom.' });
  const imap = await world.logIn(client);
  await imap.say('SELECT INBOX');
  expect(await imap.say('COPY 1:* Archive')).toMatch(/OK \[COPYUID/);
  imap.drop();
  const { total } = await client.call('Email/query', { filter: { text: 'loom' }, calculateTotal: true });
  expect(total).toBe(4);
  expect(await countWords(client)).toEqual({ rows: 2, old: 4 });
  const threads = await world.threads(client.mailboxId);
  const ids = threads.map(({ id }) => id);
  await world.team.call('PATCH', `/mailboxes/${client.mailboxId}/threads`, { ids, folder: 'trash' });
  await world.team.call('DELETE', `/mailboxes/${client.mailboxId}/trash`);
  expect(await subjectsOf(client, 'in:anywhere loom')).toEqual([]);
  expect(await countWords(client)).toEqual({ rows: 0, old: 0 });
  const { rows } = await sql`
    select 1 from message_words w where not exists (
      select from messages m where m.team_id = w.team_id and m.id = w.message_id)
  `.execute(world.server.db);
  expect(rows).toEqual([]);
});

test('a draft is found by its latest words, also one from before', async () => {
  const client = await openJmapClient(world);
  const draft = { to: ['grace@navy.test'], subject: 'Plan', text: 'First island' };
  const { body } = await world.team.call('POST', `/mailboxes/${client.mailboxId}/drafts`, draft);
  expect(await subjectsOf(client, 'island to:grace')).toEqual(['Plan']);
  const save = (text: string) =>
    world.team.call('PATCH', `/mailboxes/${client.mailboxId}/drafts/${body.id}`, { text });
  await save('Second lighthouse');
  expect([await subjectsOf(client, 'island'), await subjectsOf(client, 'light')]).toEqual([[], ['Plan']]);
  await makeOld(client);
  await save('Third engine');
  expect([await subjectsOf(client, 'light'), await subjectsOf(client, 'engine')]).toEqual([[], ['Plan']]);
  expect(await countWords(client)).toEqual({ rows: 1, old: 0 });
});
