/** Tests how submission handles header fields that name a sender or claim the result of a check. */
import { sql } from 'kysely';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import nodemailer from 'nodemailer';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parseNow } from '../mail/mime/parse/parse-message.ts';
import { addVerifiedDomain, startRelayWorld, type RelayWorld } from '../testing/fixtures/relay-world.ts';
import type { TestServer, TestTeam } from '../testing/test-server.ts';

let world: RelayWorld;
let sink: RelayWorld['sink'];
let server: TestServer;
let team: TestTeam;
let boundKey: string;

beforeAll(async () => {
  world = await startRelayWorld({ doors: ['http', 'smtp', 'worker'] });
  ({ sink, server } = world);
  team = await server.createTeam();
  const { id: domainId } = await addVerifiedDomain(server, team, 'shop.test');
  await addVerifiedDomain(server, team, 'second.test');
  await addVerifiedDomain(server, await server.createTeam(), 'bank.test');
  const { body } = await team.call('POST', '/api-keys', { name: 'Bound', permission: 'sending', domainId });
  boundKey = body.key;
});
afterAll(() => world.close());
beforeEach(() => sink.reset());

/** Returns the message as the next server receives it. */
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
    response: expect.stringMatching(
      /^550 5\.7\.1 .*(must use a verified domain|must have exactly one address)/,
    ),
  });
  expect(sink.messages).toEqual([]);
});

test('senders of the team’s own domains are accepted with a key that may use the domain', async () => {
  const fields = 'Sender: Bot <bot@second.test>\r\nResent-From: bot@second.test\r\n';
  expect(await submit(fields)).toContain(fields);
  await expect(submit(fields, boundKey)).rejects.toMatchObject({
    response: expect.stringMatching(/^550 5\.7\.1 .*limited to another domain/),
  });
});

test('fields that only the recipient’s server may add are removed, and trace fields of relays are kept', async () => {
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

/** Submits the message as it is and returns it as the next server receives it. */
async function submitRaw(raw: string): Promise<Buffer> {
  const transport = nodemailer.createTransport({
    host: '127.0.0.1',
    port: server.submissionPort,
    ignoreTLS: true,
    auth: { user: 'anyone', pass: team.key },
  });
  await transport.sendMail({ envelope: { from: 'hello@shop.test', to: 'ada@example.org' }, raw });
  await expect.poll(() => sink.messages.length).toBe(1);
  return sink.messages[0]!.data;
}

async function expectValidSignature(data: Buffer): Promise<void> {
  const { rows } = await sql<{ public_key: string }>`
    select public_key from domains where name = 'shop.test'
  `.execute(server.db);
  const key = `v=DKIM1; k=rsa; p=${rows[0]!.public_key.replaceAll(/-----[^-]+-----|\s/g, '')}`;
  const checked = await dkimVerify(data, { resolver: async () => [[key]] });
  expect(checked.results[0]?.status.result).toBe('pass');
}

test('long lines and header text outside ASCII are encoded, and the signature is valid', async () => {
  const long = 'word '.repeat(500).trim();
  const sent = await submitRaw(
    `From: Jörg <hello@shop.test>\r\nTo: ada@example.org\r\nSubject: Grüße\r\n\r\n${long}\r\n`,
  );
  const data = sent.toString('latin1');
  expect(Math.max(...data.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(998);
  expect(data).toMatch(/^[\r\n\t -~]*$/);
  expect(data).toContain('Subject: =?UTF-8?B?R3LDvMOfZQ==?=\r\n');
  await expectValidSignature(sent);
});

const ADDRESSED = 'From: hello@shop.test\r\nTo: ada@example.org\r\nSubject: Order\r\n';

test('file names outside ASCII reach a relay that supports neither SMTPUTF8 nor 8BITMIME in ASCII', async () => {
  sink.behave({ extensions: [] });
  const single = await submitRaw(
    `${ADDRESSED}Content-Type: text/plain; name="fü.txt"; charset=utf-8\r\n\r\nHi\r\n`,
  );
  expect(single.toString('latin1')).toMatch(/^[\r\n\t -~]*$/);
  expect(single.toString()).toContain(`text/plain;\r\n name*=UTF-8''f%C3%BC.txt;\r\n charset="utf-8"\r\n`);
  await expectValidSignature(single);

  sink.reset();
  sink.behave({ extensions: [] });
  const several = await submitRaw(
    `${ADDRESSED}Content-Type: multipart/mixed; boundary=b\r\n\r\n` +
      '--b\r\nContent-Type: text/plain\r\n\r\nHi\r\n' +
      '--b\r\nContent-Type: application/pdf; name="rechnung-märz.pdf"\r\nContent-Description: Für März\r\n' +
      'Content-Transfer-Encoding: base64\r\n' +
      'Content-Disposition: attachment; filename="rechnung-märz.pdf"\r\n\r\nSGk=\r\n--b--\r\n',
  );
  expect(several.toString('latin1')).toMatch(/^[\r\n\t -~]*$/);
  await expectValidSignature(several);
  expect(parseNow(several).attachments).toMatchObject([{ filename: 'rechnung-märz.pdf' }]);
});
