import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { letter, startMailWorld, type MailWorld } from '../testing/mail-world.ts';
import { openDialogue } from '../testing/smtp-dialogue.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

test('the same message delivered again is accepted and stored once, also at the same moment', async () => {
  const box = await world.freshMailbox();
  const same = letter();
  const answers = await Promise.all(Array.from({ length: 6 }, () => world.write(box.address, same)));
  answers.push(await world.write(box.address, same));
  for (const { data } of answers) expect(data).toMatch(/^250/);
  expect(await world.messageCount(box.id)).toBe(1);
});

test('it is the same when it comes another way or was packed again, and not when it says something else', async () => {
  const box = await world.freshMailbox();
  const id = `<${box.address}>`;
  const same = { id, subject: 'Same', more: 'Date: Mon, 16 Nov 2026 09:00:00 +0000' };
  const again = [
    letter(same),
    `Received: from relay.example by mx.example; hop\n${letter(same)}`,
    letter({ ...same, more: `${same.more}\nContent-Transfer-Encoding: base64`, text: 'SXQgdHVybnMu' }),
  ];
  for (const message of again) expect((await world.write(box.address, message)).data).toMatch(/^250/);
  expect(await world.messageCount(box.id)).toBe(1);
  const others = [
    letter({ ...same, text: 'It stands.' }),
    letter({ ...same, from: 'Mallory <mallory@example.net>' }),
    letter({ ...same, more: 'Date: Mon, 16 Nov 2026 10:00:00 +0000' }),
  ];
  for (const message of others) expect((await world.write(box.address, message)).data).toMatch(/^250/);
  expect(await world.messageCount(box.id)).toBe(4);
});

test('a mailbox that is deleted before the dot has nothing stored for it, and the sender hears so', async () => {
  const [first, second] = [await world.freshMailbox(), await world.freshMailbox()];
  const remove = (box: { id: string }) => world.team.call('DELETE', `/mailboxes/${box.id}`);
  async function begin(boxes: { address: string }[]) {
    const dialogue = await openDialogue(world.server.smtpPort);
    await dialogue.say('EHLO mx.example.org');
    await dialogue.say('MAIL FROM:<charles@example.org>');
    for (const { address } of boxes) expect(await dialogue.say(`RCPT TO:<${address}>`)).toMatch(/^250/);
    await dialogue.say('DATA');
    return async () => {
      const reply = await dialogue.say(`${letter().replaceAll('\n', '\r\n')}\r\n.`);
      dialogue.drop();
      return reply;
    };
  }
  const [endBoth, endOne] = [await begin([first, second]), await begin([first])];
  expect((await remove(first)).status).toBe(200);
  expect(await endOne()).toMatch(/^550 5\.1\.1 /);
  expect(await endBoth()).toMatch(/^250/);
  expect(await world.messageCount(second.id)).toBe(1);
  const left = await sql`select 1 from messages where mailbox_id in (
    select mailbox_id from messages except select id from mailboxes)`.execute(world.server.db);
  expect(left.rows).toEqual([]);
});

test('messages without an id are never taken for the same', async () => {
  const box = await world.freshMailbox();
  const plain = 'From: charles@example.org\nSubject: x\n\nx';
  for (let times = 0; times < 2; times += 1) await world.write(box.address, plain);
  expect(await world.messageCount(box.id)).toBe(2);
});
