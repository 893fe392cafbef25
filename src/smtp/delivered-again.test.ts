import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawMail, startMailWorld, type MailWorld } from '../testing/mail-world.ts';
import { openDialogue } from '../testing/smtp-dialogue.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

test('a message that is delivered twice, even concurrently, is accepted and stored once', async () => {
  const box = await world.freshMailbox();
  const same = rawMail();
  const answers = await Promise.all(Array.from({ length: 6 }, () => world.write(box.address, same)));
  answers.push(await world.write(box.address, same));
  for (const { data } of answers) expect(data).toMatch(/^250/);
  expect(await world.messageCount(box.id)).toBe(1);
});

test('a copy with another route or encoding is recognised, and one with other content is not', async () => {
  const box = await world.freshMailbox();
  const id = `<${box.address}>`;
  const same = { id, subject: 'Same', more: 'Date: Mon, 16 Nov 2026 09:00:00 +0000' };
  const again = [
    rawMail(same),
    `Received: from relay.example by mx.example; hop\n${rawMail(same)}`,
    rawMail({ ...same, more: `${same.more}\nContent-Transfer-Encoding: base64`, text: 'SXQgdHVybnMu' }),
  ];
  for (const message of again) expect((await world.write(box.address, message)).data).toMatch(/^250/);
  expect(await world.messageCount(box.id)).toBe(1);
  const others = [
    rawMail({ ...same, text: 'It stands.' }),
    rawMail({ ...same, from: 'Mallory <mallory@example.net>' }),
    rawMail({ ...same, more: 'Date: Mon, 16 Nov 2026 10:00:00 +0000' }),
  ];
  for (const message of others) expect((await world.write(box.address, message)).data).toMatch(/^250/);
  expect(await world.messageCount(box.id)).toBe(4);
});

test('a message for a mailbox that is deleted before the end of the data is refused and not stored', async () => {
  const [first, second] = [await world.freshMailbox(), await world.freshMailbox()];
  const remove = (box: { id: string }) => world.team.call('DELETE', `/mailboxes/${box.id}`);
  async function begin(boxes: { address: string }[]) {
    const dialogue = await openDialogue(world.server.smtpPort);
    await dialogue.say('EHLO mx.example.org');
    await dialogue.say('MAIL FROM:<charles@example.org>');
    for (const { address } of boxes) expect(await dialogue.say(`RCPT TO:<${address}>`)).toMatch(/^250/);
    await dialogue.say('DATA');
    return async () => {
      const reply = await dialogue.say(`${rawMail().replaceAll('\n', '\r\n')}\r\n.`);
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

test('messages without a Message-ID are never treated as copies', async () => {
  const box = await world.freshMailbox();
  const plain = 'From: charles@example.org\nSubject: x\n\nx';
  for (let times = 0; times < 2; times += 1) await world.write(box.address, plain);
  expect(await world.messageCount(box.id)).toBe(2);
});
