/** Email apps teach the spam filter as webmail does: by MOVE, and by COPY where the app has no MOVE. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openImapDialogue, type ImapDialogue } from '../../../testing/clients/imap-dialogue.ts';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';

let world: MailWorld;
let box: { id: string; address: string };
let imap: ImapDialogue;

beforeAll(async () => {
  world = await startMailWorld({ doors: ['http', 'smtp', 'imap', 'worker'] });
  box = await world.freshMailbox();
  const { body } = await world.team.call('POST', `/mailboxes/${box.id}/app-passwords`, { name: 'Test' });
  imap = await openImapDialogue(world.server.imapPort);
  expect(await imap.say(`LOGIN ${box.address} ${body.password}`)).toMatch(/^OK/m);
});
afterAll(async () => {
  imap.drop();
  await world.close();
});

async function learned(): Promise<{ spam: number; ham: number }> {
  const { rows } = await sql<{ spam: number; ham: number }>`
    select spam, ham from spam_learning where team_id = ${world.team.teamId}`.execute(world.server.db);
  return rows[0] ?? { spam: 0, ham: 0 };
}

async function nameOfSpam(): Promise<string> {
  const listed = await imap.say('LIST "" "*" RETURN (SPECIAL-USE)');
  return /\\Junk[^)]*\) "[^"]*" "?([^"\r\n]+)"?/.exec(listed)![1]!;
}

test('a move into spam and back is learned, and taken back', async () => {
  await world.receive(box, { subject: 'Offer', text: 'winner casino jackpot bonus rolex pills' });
  const junk = await nameOfSpam();
  await imap.say('SELECT INBOX');
  expect(await imap.say(`MOVE 1 "${junk}"`)).toMatch(/^OK/m);
  await expect.poll(learned).toMatchObject({ spam: 1 });
  await imap.say(`SELECT "${junk}"`);
  expect(await imap.say('MOVE 1 INBOX')).toMatch(/^OK/m);
  await expect.poll(learned).toEqual({ spam: 0, ham: 1 });
});

test('an app without MOVE copies into spam and back, which is learned once', async () => {
  await world.receive(box, { subject: 'Another offer', text: 'lottery inheritance million urgent miracle' });
  const before = await learned();
  const junk = await nameOfSpam();
  await imap.say('SELECT INBOX');
  const found = /\* SEARCH (\d+)/.exec(await imap.say('SEARCH SUBJECT "Another offer"'))![1]!;
  expect(await imap.say(`COPY ${found} "${junk}"`)).toMatch(/^OK/m);
  await imap.say(`STORE ${found} +FLAGS (\\Deleted)`);
  await imap.say('EXPUNGE');
  await expect.poll(async () => (await learned()).spam).toBe(before.spam + 1);
  await imap.say(`SELECT "${junk}"`);
  expect(await imap.say('COPY 1 INBOX')).toMatch(/^OK/m);
  await imap.say('STORE 1 +FLAGS (\\Deleted)');
  await imap.say('EXPUNGE');
  await expect.poll(async () => (await learned()).spam).toBe(before.spam);
  // The copy still says what the filter said on arrival.
  const { rows } = await sql<{ spam: unknown }>`
    select spam from messages where team_id = ${world.team.teamId} and subject = 'Another offer'
  `.execute(world.server.db);
  expect(rows).toEqual([{ spam: expect.objectContaining({ score: expect.any(Number) }) }]);
});
