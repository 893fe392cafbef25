/** Submitted messages that are expensive to process. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDomain } from '../testing/factories.ts';
import { openDialogue } from '../testing/smtp-dialogue.ts';
import { startTestServer, type TestServer, type TestTeam } from '../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'smtp'] });
  team = await server.createTeam();
  await addDomain(server.db, team.teamId, 'shop.test');
});
afterAll(() => server.close());

test('a megabyte of CRs without LF is processed quickly', async () => {
  const dialogue = await openDialogue(server.submissionPort);
  await dialogue.say('EHLO client.test');
  await dialogue.say(`AUTH PLAIN ${Buffer.from(`\0x\0${team.key}`).toString('base64')}`);
  await dialogue.say('MAIL FROM:<a@shop.test>');
  await dialogue.say('RCPT TO:<ada@example.org>');
  expect(await dialogue.say('DATA')).toMatch(/^354/);
  dialogue.write('From: a@shop.test\r\nTo: ada@example.org\r\nSubject: x\r\n\r\n');
  dialogue.write('\r'.repeat(1_000_000));
  expect(await dialogue.say('x\r\n.')).toMatch(/^250/);
  dialogue.drop();
});
