/** State that sessions share: \Recent, subscriptions, and folders that change while they are open. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ImapDialogue } from '../testing/clients/imap-dialogue.ts';
import { append, openInbox, startImapWorld, type ImapWorld } from '../testing/fixtures/imap-world.ts';

let world: ImapWorld;
beforeAll(async () => {
  world = await startImapWorld();
});
afterAll(() => world.close());

const find = async (client: ImapDialogue, keys: string) =>
  /\* SEARCH([^\r\n]*)/.exec(await client.say(`SEARCH ${keys}`))![1]!.trim();

describe('\\Recent', () => {
  const LETTER = 'From: a@example.org\r\nSubject: x\r\n\r\nx\r\n';

  test('is given to the first session that is told of a message, and to no other', async () => {
    const box = await world.freshBox();
    const [imap, other] = [await world.logIn(box), await world.logIn(box)];
    for (let no = 0; no < 2; no += 1) await append(imap, LETTER);
    expect(await imap.say('STATUS INBOX (RECENT)')).toContain('(RECENT 2)');
    // EXAMINE counts the message, and it stays recent for others.
    expect(await imap.say('EXAMINE INBOX')).toContain('* 2 RECENT');
    expect(await imap.say('FETCH 1 FLAGS')).toContain('FLAGS (\\Recent)');
    expect(await imap.say('SELECT INBOX')).toContain('* 2 RECENT');
    expect(await imap.say('STATUS INBOX (RECENT)')).toContain('(RECENT 2)');
    expect(await other.say('STATUS INBOX (RECENT)')).toContain('(RECENT 0)');
    expect(await other.say('SELECT INBOX')).toContain('* 0 RECENT');
    await imap.say('STORE 1 +FLAGS.SILENT (\\Seen)');
    expect(await imap.say('FETCH 1:2 FLAGS')).toMatch(/\(\\Recent \\Seen\)[^]*\(\\Recent\)/);
    expect([await find(imap, 'RECENT'), await find(imap, 'NEW'), await find(imap, 'OLD')]).toEqual([
      '1 2',
      '2',
      '',
    ]);
    expect([await find(other, 'RECENT'), await find(other, 'NEW'), await find(other, 'OLD')]).toEqual([
      '',
      '',
      '1 2',
    ]);
    await append(other, LETTER);
    await other.say('NOOP');
    expect(await find(other, 'RECENT')).toBe('3');
    expect(await imap.say('NOOP')).not.toContain('RECENT');
    expect(await find(imap, 'RECENT')).toBe('1 2');
    await imap.say('STORE 1 +FLAGS (\\Deleted)');
    expect(await imap.say('EXPUNGE')).toMatch(/\* 1 EXPUNGE\r\n\* 1 RECENT\r\n/);
    for (const client of [imap, other]) client.drop();
  });

  test('goes to one of the sessions that open a folder at the same time', async () => {
    const box = await world.freshBox();
    const sessions = await Promise.all(Array.from({ length: 8 }, () => world.logIn(box)));
    for (let no = 0; no < 3; no += 1) await append(sessions[0]!, LETTER);
    const opened = await Promise.all(sessions.map((imap) => imap.say('SELECT INBOX')));
    const counts = opened.map((text) => Number(/\* (\d) RECENT/.exec(text)![1]));
    expect(counts.toSorted()).toEqual([0, 0, 0, 0, 0, 0, 0, 3]);
    for (const imap of sessions) imap.drop();
  });

  test('does not exist in IMAP4rev2', async () => {
    const box = await world.freshBox();
    const imap = await world.logIn(box);
    await append(imap, LETTER);
    await imap.say('ENABLE IMAP4rev2');
    expect(await imap.say('SELECT INBOX')).not.toContain('RECENT');
    expect(await imap.say('FETCH 1 FLAGS')).toContain('FLAGS ()');
    await append(imap, LETTER);
    expect(await imap.say('NOOP')).not.toContain('RECENT');
    // It is still recent for others.
    const other = await world.logIn(box);
    expect(await other.say('SELECT INBOX')).toContain('* 2 RECENT');
    for (const client of [imap, other]) client.drop();
  });
});

test('a subscription does not depend on whether the folder exists', async () => {
  const box = await world.freshBox();
  const imap = await world.logIn(box);
  const listSubscribed = async () => {
    const listed = await imap.say('LIST (SUBSCRIBED) "" "Own*"');
    return (listed.match(/\* LIST [^\r]*/g) ?? []).map((line) => line.slice('* LIST '.length));
  };
  await imap.say('CREATE Own/Inner');
  expect(await listSubscribed()).toEqual([]);
  expect(await imap.say('SUBSCRIBE Own/Nowhere')).toMatch(/^NO \[NONEXISTENT\]/);
  await imap.say('SUBSCRIBE Own/Inner');
  await imap.say('DELETE Own/Inner');
  await imap.say('DELETE Own');
  expect(await listSubscribed()).toEqual([String.raw`(\NonExistent \Subscribed) "/" Own/Inner`]);
  expect(await imap.say('LIST "" "Own*"')).toMatch(/^OK/);
  expect(await imap.say('LSUB "" "Own*"')).toContain(String.raw`* LSUB (\Noselect) "/" Own/Inner`);
  expect(await imap.say('LSUB "" "%"')).toContain(String.raw`* LSUB (\Noselect \HasChildren) "/" Own`);
  expect(await imap.say('SUBSCRIBE Own/Inner')).toMatch(/^OK/);
  await imap.say('CREATE Own/Inner');
  expect(await listSubscribed()).toEqual([String.raw`(\HasNoChildren \Subscribed) "/" Own/Inner`]);
  await imap.say('DELETE Own/Inner');
  await imap.say('RENAME Own Own/Inner');
  await imap.say('CREATE Owned');
  await imap.say('RENAME Owned Own/Inner');
  expect(await listSubscribed()).toEqual([String.raw`(\HasNoChildren \Subscribed) "/" Own/Inner`]);
  await imap.say('DELETE Own/Inner');
  expect(await imap.say('UNSUBSCRIBE Own/Inner')).toMatch(/^OK/);
  expect(await listSubscribed()).toEqual([]);
  // Folders that people create or delete in webmail appear and disappear in email apps.
  const { body } = await world.team.call('POST', `/mailboxes/${box.id}/folders`, { name: 'Own/Web' });
  expect(await listSubscribed()).toEqual([String.raw`(\HasNoChildren \Subscribed) "/" Own/Web`]);
  await world.team.call('DELETE', `/mailboxes/${box.id}/folders/${body.id}`);
  expect(await listSubscribed()).toEqual([]);
  imap.drop();
});

test('a message that is moved into its own folder gets a new UID', async () => {
  const box = await world.freshBox();
  const [imap, other] = [await world.logIn(box), await world.logIn(box)];
  for (const subject of ['One', 'Two'])
    await append(imap, `From: a@x.org\r\nSubject: ${subject}\r\n\r\nx\r\n`);
  await openInbox(imap);
  await openInbox(other);
  expect(await imap.say('MOVE 1 INBOX')).toMatch(
    /\* OK \[COPYUID \d+ 1 3\][^\r]*\r\n\* 1 EXPUNGE\r\n\* 2 EXISTS\r\n/,
  );
  expect(await imap.say('UID FETCH 3 (ENVELOPE)')).toContain('"One"');
  expect(await other.say('NOOP')).toMatch(/\* 1 EXPUNGE\r\n\* 2 EXISTS\r\n/);
  expect(await imap.say('STATUS INBOX (MESSAGES UNSEEN UIDNEXT)')).toContain('MESSAGES 2 UNSEEN 2 UIDNEXT 4');
  for (const client of [imap, other]) client.drop();
});

test('a session in IDLE is told of new messages after a failure of the database', async () => {
  const box = await world.freshBox();
  const [imap, other] = [await world.logIn(box), await world.logIn(box)];
  await openInbox(imap);
  imap.write('i IDLE\r\n');
  await imap.hear(/\+ idling\r\n/);
  const { db } = world.server;
  const countErrors = async () => {
    const metrics = await (await fetch(`${world.server.url}/metrics`)).text();
    return Number(/unexpected_errors_total\{[^}]*"imap"[^}]*\} (\d+)/.exec(metrics)?.[1]);
  };
  const before = await countErrors();
  await sql`alter table vanished_messages rename to vanished_elsewhere`.execute(db);
  await append(other, 'From: a@x.org\r\nSubject: x\r\n\r\nx\r\n');
  await expect.poll(countErrors).toBeGreaterThan(before);
  await sql`alter table vanished_elsewhere rename to vanished_messages`.execute(db);
  expect(await imap.hear(/\* 1 EXISTS\r\n/)).not.toContain('i NO');
  imap.write('DONE\r\n');
  await imap.hear(/i OK/);
  for (const client of [imap, other]) client.drop();
});
