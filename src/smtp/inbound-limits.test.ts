import { afterAll, beforeAll, expect, test } from 'vitest';
import { OUTWARD_ADDRESS } from '../testing/outward-address.ts';
import { openDialogue } from '../testing/smtp-dialogue.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({
    doors: ['http', 'smtp'],
    env: { SMTP_HOST: '0.0.0.0', SMTP_MESSAGES_PER_IP: '4' },
  });
});
afterAll(() => server.close());

async function guess(host: string): Promise<string[]> {
  const dialogue = await openDialogue(server.smtpPort, 60_000, host);
  await dialogue.say('EHLO far.example');
  await dialogue.say('MAIL FROM:<eve@far.example>');
  const replies: string[] = [];
  for (let at = 0; at < 5; at += 1)
    replies.push((await dialogue.say(`RCPT TO:<guess${at}@shop.test>`)).slice(0, 9));
  dialogue.drop();
  return replies;
}

test.skipIf(!OUTWARD_ADDRESS)('probing for addresses counts against the message limit', async () => {
  const unknown = '550 5.1.1';
  const later = '450 4.7.1';
  expect(await guess(OUTWARD_ADDRESS!)).toEqual([unknown, unknown, unknown, later, later]);
  expect(await guess('127.0.0.1')).toEqual(Array(5).fill(unknown));
});
