import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDialogue } from '../../../testing/smtp-dialogue.ts';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';

const FILE = randomBytes(400_000).toString('base64');
const MAX_BYTES = 4 * FILE.length;
const COUNT = 50;

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

async function openBox() {
  const box = await world.freshMailbox();
  const [local, domain] = box.address.split('@');
  return { box, addresses: Array.from({ length: COUNT }, (_one, at) => `${local}+${at}@${domain}`) };
}

async function storedBytes(): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 as bytes
    from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`.execute(
    world.server.db,
  );
  return rows[0]!.bytes;
}

async function countMessages(mailboxId: string): Promise<number> {
  const { body } = await world.team.call('GET', `/mailboxes/${mailboxId}/threads`);
  return body.items.length;
}

test('a large email to many addresses of one mailbox is stored once', async () => {
  const { box, addresses } = await openBox();
  await sql`update domains set held = true, status = 'SUCCESS'`.execute(world.server.db);
  const before = await storedBytes();
  const { status } = await world.team.call('POST', '/emails', {
    from: 'ada@harbour.test',
    to: addresses,
    subject: 'Large',
    text: 'See the file.',
    attachments: [{ filename: 'large.bin', content: FILE }],
  });
  expect(status).toBe(200);
  const waiting = async () =>
    (await sql<{ n: number }>`select count(*)::integer as n from deliveries`.execute(world.server.db))
      .rows[0]!.n;
  await expect.poll(waiting, { timeout: 100_000 }).toBe(0);
  expect(await countMessages(box.id)).toBe(1);
  expect((await storedBytes()) - before).toBeLessThan(MAX_BYTES);
}, 200_000);

test('a large message that arrives for many addresses of one mailbox is stored once', async () => {
  const { box, addresses } = await openBox();
  const before = await storedBytes();
  const dialogue = await openDialogue(world.server.smtpPort);
  await dialogue.say('EHLO mx.example.org');
  await dialogue.say('MAIL FROM:<charles@example.org>');
  for (const address of addresses) expect(await dialogue.say(`RCPT TO:<${address}>`)).toMatch(/^250/);
  await dialogue.say('DATA');
  const file = `Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\r\n`;
  dialogue.write(`From: charles@example.org\r\nSubject: Large\r\n${file}`);
  dialogue.write(`${FILE.match(/.{1,76}/g)!.join('\r\n')}\r\n.\r\n`);
  expect(await dialogue.hear()).toMatch(/^250/);
  dialogue.drop();
  expect(await countMessages(box.id)).toBe(1);
  expect((await storedBytes()) - before).toBeLessThan(MAX_BYTES);
}, 200_000);
