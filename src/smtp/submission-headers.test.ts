/** What the submission door does with fields that name a sender or claim the result of a check. */
import { sql } from 'kysely';
import nodemailer from 'nodemailer';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startSmtpSink, type SmtpSink } from '../testing/smtp-sink.ts';
import { startTestServer, type TestServer, type TestTeam } from '../testing/test-server.ts';

let sink: SmtpSink;
let server: TestServer;
let team: TestTeam;
let boundKey: string;

beforeAll(async () => {
  sink = await startSmtpSink();
  server = await startTestServer({
    doors: ['http', 'smtp', 'worker'],
    env: { MAIL_TRANSPORT: 'relay', RELAY_URL: `smtp://127.0.0.1:${sink.port}` },
  });
  team = await server.createTeam();
  const domainId = await addOwnDomain(team, 'shop.test');
  await addOwnDomain(team, 'second.test');
  await addOwnDomain(await server.createTeam(), 'bank.test');
  const { body } = await team.call('POST', '/api-keys', { name: 'Bound', permission: 'sending', domainId });
  boundKey = body.key;
});
afterAll(async () => {
  await server.close();
  await sink.close();
});
beforeEach(() => sink.reset());

async function addOwnDomain(owner: TestTeam, name: string): Promise<number> {
  const { body } = await owner.call('POST', '/domains', { name });
  await sql`update domains set held = true, status = 'SUCCESS' where id = ${body.id}`.execute(server.db);
  return body.id;
}

/** The message as the next server gets it. */
async function submit(fields: string, key = team.key): Promise<string> {
  const transport = nodemailer.createTransport({
    host: '127.0.0.1',
    port: server.submissionPort,
    ignoreTLS: true,
    auth: { user: 'anyone', pass: key },
  });
  await transport.sendMail({
    envelope: { from: 'hello@shop.test', to: 'ada@example.org' },
    raw: `${fields}From: hello@shop.test\r\nTo: ada@example.org\r\nSubject: Order\r\n\r\nOn its way\r\n`,
  });
  await expect.poll(() => sink.messages.length).toBe(1);
  return sink.messages[0]!.data.toString();
}

test.each([
  'Sender: ceo@bank.test',
  'sender : The bank <ceo@bank.test>',
  'Resent-From: ceo@bank.test',
  'Resent-Sender: ceo@bank.test',
  'Sender: hello@shop.test\r\nSender: ceo@bank.test',
  'Sender: hello@shop.test, ceo@bank.test',
  'Sender: "hello@shop.test," <ceo@bank.test>',
  'Sender: ceo@bank.test (hello@shop.test)',
  'Sender: nobody',
  'Sender:',
])('a message with "%s" is refused', async (field) => {
  await expect(submit(`${field}\r\n`)).rejects.toMatchObject({
    response: expect.stringMatching(/^550 5\.7\.1 .*(must use a domain|must have one address)/),
  });
  expect(sink.messages).toEqual([]);
});

test('senders of a domain that the team holds go through, with a key that may use it', async () => {
  const fields = 'Sender: Bot <bot@second.test>\r\nResent-From: bot@second.test\r\n';
  expect(await submit(fields)).toContain(fields);
  await expect(submit(fields, boundKey)).rejects.toMatchObject({
    response: expect.stringMatching(/^550 5\.7\.1 .*bound to another domain/),
  });
});

test('claims that only the recipient can make are removed; what a relaying server writes is kept', async () => {
  const kept =
    'Received: from app by host.shop.test; Mon, 16 Nov 2026 10:00:00 +0000\r\n' +
    'DKIM-Signature: v=1; a=rsa-sha256; d=example.net; s=x; h=from; bh=AA==; b=AA==\r\n' +
    'Delivered-To: list@shop.test\r\n' +
    'Resent-To: ada@example.org\r\n';
  const message = await submit(
    'Authentication-Results: mx.example.org; dmarc=pass\r\n header.from=bank.test\r\n' +
      'AUTHENTICATION-RESULTS : mx.example.org; spf=pass\r\n' +
      'Received-SPF: pass\r\nReturn-Path: <ceo@bank.test>\r\nErrors-To: ceo@bank.test\r\n' +
      kept,
  );
  expect(message).toContain(kept);
  expect(message).not.toMatch(/authentication-results|received-spf|return-path|errors-to|bank\.test/i);
});
