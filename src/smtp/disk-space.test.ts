/** While the disk is nearly full, mail stays with its sender, and the health check says why. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawMail, startMailWorld, writeTo, type MailWorld } from '../testing/mail-world.ts';
import { openDialogue } from '../testing/smtp-dialogue.ts';

let world: MailWorld;
beforeAll(async () => {
  world = await startMailWorld({ env: { MIN_FREE_DISK_MB: '1000000000' } });
});
afterAll(() => world.close());

test('the health check names the disk, and both SMTP ports defer mail', async () => {
  const { server, team } = world;
  const health = await fetch(`${server.url}/healthz`);
  expect(health.status).toBe(503);
  expect(health.headers.get('retry-after')).toBe('60');
  expect(((await health.json()) as { error: { message: string } }).error.message).toMatch(
    /^The disk is full: \d+ MiB are free/,
  );
  await expect(writeTo(server.smtpPort, 'ada@harbour.test', rawMail())).rejects.toThrow('452 4.3.1');
  const dialogue = await openDialogue(server.submissionPort);
  await dialogue.say('EHLO x.example');
  await dialogue.say(`AUTH PLAIN ${Buffer.from(`\0x\0${team.key}`).toString('base64')}`);
  expect(await dialogue.say('MAIL FROM:<a@harbour.test>')).toMatch(/^452 4\.3\.1/);
  dialogue.drop();
});
