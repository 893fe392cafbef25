import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawMail, startMailWorld, type MailWorld } from '../../testing/mail-world.ts';
import { openDialogue } from '../../testing/smtp-dialogue.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

async function begin(address: string) {
  const dialogue = await openDialogue(world.server.smtpPort);
  await dialogue.say('EHLO mx.example.org');
  await dialogue.say('MAIL FROM:<charles@example.org>');
  expect(await dialogue.say(`RCPT TO:<${address}>`)).toMatch(/^250/);
  expect(await dialogue.say('DATA')).toMatch(/^354/);
  return dialogue;
}

async function textsOf(mailboxId: string): Promise<(string | null)[]> {
  const threads = await world.threads(mailboxId);
  const messages = await Promise.all(threads.map(async ({ id }) => (await world.thread(id)).messages));
  return messages.flat().map(({ text }) => text);
}

// Single and doubled dots, at the start and at the end, and text that only looks like the end marker.
const STUFFED = 'a\r\n..\r\n..b\r\n...\r\n\r\n..\r\n..\r\n.. .\r\nc.\r\n..';
const READ = 'a\n.\n.b\n..\n\n.\n.\n. .\nc.\n.';

test.each([1, 2, 3, 4, 5, 7, 64])(
  'a message that arrives in pieces of %i bytes is the message that was sent',
  async (size) => {
    const box = await world.freshMailbox();
    const dialogue = await begin(box.address);
    const bytes = Buffer.from(`${rawMail({ text: STUFFED }).replaceAll(/\r?\n/g, '\r\n')}\r\n.\r\nNOOP\r\n`);
    for (let at = 0; at < bytes.length; at += size) {
      dialogue.write(bytes.subarray(at, at + size));
      await nextTurn();
    }
    expect(await dialogue.hear()).toMatch(/^250 .*Stored/);
    expect(await dialogue.hear()).toMatch(/^250/);
    dialogue.drop();
    expect((await textsOf(box.id)).map((text) => text?.trim())).toEqual([READ]);
  },
);

test('12 MB of lines with dots do not block other requests', async () => {
  const box = await world.freshMailbox();
  const dialogue = await begin(box.address);
  dialogue.write(`${rawMail().replaceAll(/\r?\n/g, '\r\n')}\r\n${'..\r\n'.repeat(3_000_000)}.\r\n`);
  const stored = dialogue.hear();
  let isStored = false;
  void stored.finally(() => (isStored = true));
  let longestMs = 0;
  while (!isStored) {
    const askedAt = performance.now();
    expect((await fetch(`${world.server.url}/healthz`)).status).toBe(200);
    longestMs = Math.max(longestMs, performance.now() - askedAt);
  }
  expect(await stored).toMatch(/^250/);
  expect(longestMs).toBeLessThan(5_000);
  dialogue.drop();
});
