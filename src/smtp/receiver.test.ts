import { afterAll, beforeAll, expect, test } from 'vitest';
import { letter, startMailWorld, type MailWorld } from '../testing/mail-world.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

test('a message that takes long to read holds up nobody who asks for something else', async () => {
  const box = await world.freshMailbox();
  await world.receive(box);
  const images = '<img src="https://example.org/a.png" alt="x" width=1>\n'.repeat(45_000);
  const costly = letter({ subject: 'Gallery', more: 'Content-Type: text/html', text: images });
  const startedAt = performance.now();
  let reply: string | null | undefined;
  const written = world.write(box.address, costly).then(({ data }) => (reply = data));
  let longest = 0;
  while (reply === undefined) {
    const askedAt = performance.now();
    await world.team.call('GET', '/mailboxes');
    longest = Math.max(longest, performance.now() - askedAt);
  }
  await written;
  expect(reply).toMatch(/^250/);
  expect(longest / (performance.now() - startedAt)).toBeLessThan(0.3);
  expect(await world.threads(box.id, '?q=Gallery')).toHaveLength(1);
});
