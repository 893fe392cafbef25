import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDkimSigner, dkimRecordValue } from '../mail/auth/dkim.ts';
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

/** Signs with a key that the DNS of the test has, so that DMARC passes for the domain. */
async function signFor(domain: string, message: string): Promise<string> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  world.dns.zone[`ph1._domainkey.${domain}`] = { TXT: [dkimRecordValue(createPublicKey(privateKey))] };
  world.dns.zone[`_dmarc.${domain}`] = { TXT: ['v=DMARC1; p=quarantine'] };
  const raw = Buffer.from(message.replaceAll('\n', '\r\n'));
  const field = await createDkimSigner({ domain, selector: 'ph1', privateKey }).sign(raw);
  return `${field.toString()}${raw.toString()}`;
}

/** The folders of all messages of a mailbox. */
async function foldersOf(address: string): Promise<string[]> {
  const found = await sql<{ folder: string }>`
    select folder from messages where mailbox_id = (select id from mailboxes where address = ${address}) order by folder
  `.execute(world.server.db);
  return found.rows.map(({ folder }) => folder);
}

test('the genuine message is delivered although a copy that fails DMARC came before', async () => {
  const box = await world.freshMailbox();
  const plain = rawMail({ from: 'Bank <info@genuine.example>' });
  const genuine = await signFor('genuine.example', plain);
  expect((await world.write(box.address, plain)).data).toMatch(/^250/);
  expect(await foldersOf(box.address)).toEqual(['spam']);
  for (let times = 0; times < 2; times += 1)
    expect((await world.write(box.address, genuine)).data).toMatch(/^250/);
  expect(await foldersOf(box.address)).toEqual(['inbox', 'spam']);
  // A failing copy is a repeat of the genuine message.
  await world.write(box.address, plain);
  expect(await foldersOf(box.address)).toEqual(['inbox', 'spam']);
});

test('a message is delivered although a less trusted copy is in the inbox', async () => {
  const box = await world.freshMailbox();
  const plain = rawMail({ from: 'Ada <ada@later.example>' });
  await world.write(box.address, plain);
  const genuine = await signFor('later.example', plain);
  await world.write(box.address, genuine);
  await world.write(box.address, genuine);
  expect(await foldersOf(box.address)).toEqual(['inbox', 'inbox']);
});

test.each(['trash', 'spam'])('a message is delivered again if its copy is in %s', async (folder) => {
  const box = await world.freshMailbox();
  const same = rawMail();
  await world.write(box.address, same);
  const [thread] = await world.threads(box.id);
  expect((await world.team.call('PATCH', `/threads/${thread!.id}`, { folder })).status).toBe(200);
  for (let times = 0; times < 2; times += 1) await world.write(box.address, same);
  expect(await foldersOf(box.address)).toEqual(['inbox', folder]);
});

test('a message in spam that is delivered again to spam is stored once', async () => {
  const box = await world.freshMailbox();
  const failing = rawMail({ from: 'a@one.example, b@two.example' });
  for (let times = 0; times < 2; times += 1) await world.write(box.address, failing);
  expect(await foldersOf(box.address)).toEqual(['spam']);
});
