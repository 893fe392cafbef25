import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from 'kysely';
import { openImapDialogue } from '../../../testing/clients/imap-dialogue.ts';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';
import { countStorage } from './count-storage.ts';

const LIMIT_MB = 3;
let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld({
    doors: ['http', 'smtp', 'imap', 'worker'],
    env: { TEAM_STORAGE_MB: String(LIMIT_MB) },
  });
});
afterAll(() => world.close());

/** Words that occur once each, so that the search stores about as much as the message has. */
function manyWords(prefix: string): string {
  return Array.from({ length: 12_000 }, (_, at) => `${prefix}${at.toString(36)}`)
    .join(' ')
    .replaceAll(/.{70}/g, '$&\r\n');
}

test('a copy of a message counts with the words of its search, so that COPY cannot exceed the storage of the team', async () => {
  const { team } = world;
  const box = await world.freshMailbox();
  const { password } = (await team.call('POST', `/mailboxes/${box.id}/app-passwords`, { name: 'x' })).body;
  await world.receive(box, { text: manyWords('harbour') });
  const imap = await openImapDialogue(world.server.imapPort);
  await imap.say(`LOGIN ${box.address} ${password}`);
  await imap.say('SELECT INBOX');
  let replies = '';
  for (let copies = 0; copies < 100 && !replies.includes('OVERQUOTA'); copies += 1)
    replies = await imap.say('COPY 1 Archive');
  expect(replies).toMatch(/NO \[OVERQUOTA\]/);
  imap.drop();
  await countStorage(world.server.db, team.teamId, LIMIT_MB);
  const { rows } = await sql<{ mib: number }>`
    select bytes / 1048576.0::float8 as mib from team_storage where team_id = ${team.teamId}
  `.execute(world.server.db);
  expect(rows[0]!.mib).toBeGreaterThan(LIMIT_MB / 2);
  expect(rows[0]!.mib).toBeLessThan(LIMIT_MB * 1.1);
});
