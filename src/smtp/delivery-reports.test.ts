import { sql } from 'kysely';
import nodemailer from 'nodemailer';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readReport } from '../mail/bounces/parse-report.ts';
import { dsn, sendReport } from '../testing/clients/reports.ts';
import { addVerifiedDomain, startRelayWorld, type RelayWorld } from '../testing/fixtures/relay-world.ts';
import { openDialogue, type Dialogue } from '../testing/smtp-dialogue.ts';
import type { TestTeam } from '../testing/test-server.ts';

let world: RelayWorld;
let team: TestTeam;
let count = 0;

beforeAll(async () => {
  world = await startRelayWorld({
    doors: ['http', 'smtp', 'worker'],
    env: { MAIL_HOST: 'mx.posthorn.example' },
  });
  team = await world.server.createTeam();
  await addVerifiedDomain(world.server, team, 'shop.test');
});
afterAll(() => world.close());
beforeEach(() => world.sink.reset());

const DSN = ['PIPELINING', '8BITMIME', 'SMTPUTF8', 'ENHANCEDSTATUSCODES', 'DSN'];

async function login(): Promise<Dialogue> {
  const dialogue = await openDialogue(world.server.submissionPort);
  await dialogue.say('EHLO me.test');
  const token = Buffer.from(`\0anyone\0${team.key}`).toString('base64');
  expect(await dialogue.say(`AUTH PLAIN ${token}`)).toMatch(/^235/);
  return dialogue;
}

interface Asked {
  mail?: string;
  rcpt?: string;
  sender?: string;
  to?: string;
}

/** Submits a message and returns the reply, its recipient and the ID of the email. */
async function submit({ mail = '', rcpt = '', sender = 'ada@shop.test', to }: Asked) {
  const recipient = to ?? `user${(count += 1)}@example.org`;
  const dialogue = await login();
  expect(await dialogue.say(`MAIL FROM:<${sender}>${mail}`)).toMatch(/^250/);
  expect(await dialogue.say(`RCPT TO:<${recipient}>${rcpt}`)).toMatch(/^250/);
  expect(await dialogue.say('DATA')).toMatch(/^354/);
  const text = `From: ada@shop.test\r\nTo: ${recipient}\r\nSubject: Offer ${recipient}\r\n\r\nThe secret body\r\n.`;
  const answer = await dialogue.say(text);
  dialogue.drop();
  return { answer, to: recipient, id: /eml_\w+/.exec(answer)?.[0] ?? '' };
}

function commandsFor(to: string): { mail: string; rcpt: string } {
  const { commands } = world.sink;
  const at = commands.findIndex((line) => line.startsWith(`RCPT TO:<${to}>`));
  return { mail: commands[at - 1] ?? '', rcpt: commands[at] ?? '' };
}

function reportsAbout(to: string) {
  return world.sink.messages.filter(
    ({ recipients, data }) => recipients.includes('ada@shop.test') && data.includes(to),
  );
}

/** Waits for the report about a recipient. */
async function reportAbout(to: string) {
  await expect.poll(() => reportsAbout(to).length, { timeout: 30_000 }).toBe(1);
  const { mailFrom, data, recipients } = reportsAbout(to)[0]!;
  return { mailFrom, recipients, data: data.toString(), mail: await PostalMime.parse(data) };
}

async function becomes(id: string, status: string): Promise<void> {
  const get = async () => (await team.call('GET', `/emails/${id}`)).body.status;
  await expect.poll(get, { timeout: 30_000 }).toBe(status);
}

async function countReportJobs(): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::integer as n from jobs j
    where j.name in ('send-delivery-report', 'report-suppressed-recipients')`.execute(world.server.db);
  return rows[0]!.n;
}

/** No job about this email is waiting, so a report that would be sent has been sent. */
async function settles(id: string, status: string): Promise<void> {
  await becomes(id, status);
  await expect.poll(countReportJobs, { timeout: 30_000 }).toBe(0);
}

test('the submission port offers DSN, and rejects bad values', async () => {
  const dialogue = await openDialogue(world.server.submissionPort);
  expect(await dialogue.say('EHLO me.test')).toMatch(/^250[ -]DSN$/m);
  dialogue.drop();
  const open = await login();
  for (const bad of ['RET=SOME', 'RET', 'ENVID=', 'ENVID=a+0', `ENVID=${'x'.repeat(101)}`])
    expect(await open.say(`MAIL FROM:<ada@shop.test> ${bad}`), bad).toMatch(/^501/);
  expect(await open.say('MAIL FROM:<ada@shop.test> RET=hdrs ENVID=QQ+2B314')).toMatch(/^250/);
  for (const bad of [
    'NOTIFY=NEVER,SUCCESS',
    'NOTIFY=SOMETIMES',
    'NOTIFY',
    'ORCPT=ada@x.test',
    'ORCPT=rfc822;a+b',
  ])
    expect(await open.say(`RCPT TO:<bob@example.org> ${bad}`), bad).toMatch(/^501/);
  expect(
    await open.say('RCPT TO:<bob@example.org> NOTIFY=success,delay ORCPT=rfc822;bob+40example.org'),
  ).toMatch(/^250/);
  open.drop();
});

test('the inbound port offers no DSN, so NOTIFY gets 555', async () => {
  const dialogue = await openDialogue(world.server.smtpPort);
  expect(await dialogue.say('EHLO me.test')).not.toMatch(/DSN/);
  expect(await dialogue.say('MAIL FROM:<ada@example.org> RET=FULL')).toMatch(/^555/);
  dialogue.drop();
});

test('a server that offers DSN gets the request, and the report is its own', async () => {
  world.sink.behave({ extensions: DSN });
  const mail = ' RET=HDRS ENVID=QQ314';
  const rcpt = ' NOTIFY=SUCCESS,FAILURE ORCPT=rfc822;bob+2Bx@example.org';
  const { to, id } = await submit({ mail, rcpt });
  await settles(id, 'DELIVERED');
  expect(commandsFor(to).mail).toMatch(/ RET=HDRS ENVID=QQ314$/);
  expect(commandsFor(to).rcpt).toBe(`RCPT TO:<${to}>${rcpt}`);
  expect(reportsAbout(to)).toEqual([]);

  // Its report arrives at our return path, and goes on to the sender.
  const message = world.sink.messages.find(({ recipients }) => recipients.includes(to))!;
  await sendReport(world.server.smtpPort, message.mailFrom, dsn(to, 'delivered', '2.0.0'));
  const report = await reportAbout(to);
  expect(report.mailFrom).toBe('');
  expect(readReport(Buffer.from(report.data))).toMatchObject({
    kind: 'bounce',
    recipients: [{ action: 'delivered', status: '2.0.0' }],
  });
});

test('a server without DSN gets none of it, and the sender hears that the message was relayed', async () => {
  const { to, id } = await submit({ mail: ' ENVID=QQ+2B314', rcpt: ' NOTIFY=SUCCESS' });
  await becomes(id, 'DELIVERED');
  expect(commandsFor(to).rcpt).toBe(`RCPT TO:<${to}>`);
  const { mailFrom, recipients, data, mail } = await reportAbout(to);
  expect(mailFrom).toBe('');
  expect(recipients).toEqual(['ada@shop.test']);
  expect(mail.from?.address).toBe('postmaster@shop.test');
  expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-replied');
  expect(data).toMatch(/Content-Type: multipart\/report;\s+report-type=delivery-status/);
  expect(data).toContain('Reporting-MTA: dns; mx.posthorn.example');
  expect(data).toContain('Original-Envelope-Id: QQ+314');
  expect(data).toContain(`Final-Recipient: rfc822; ${to}`);
  expect(data).toContain('Action: relayed\r\nStatus: 2.0.0');
  expect(data).toContain(`Subject: Offer ${to}`);
  expect(data).not.toContain('The secret body');
});

/** Bounces the message, and accepts the report about it. */
async function bounce(asked: Asked) {
  const sent = await submit(asked);
  await expect.poll(() => world.sink.refused.length, { timeout: 30_000 }).toBeGreaterThan(0);
  world.sink.behave({ replies: {} });
  return sent;
}

describe('a recipient that bounces', () => {
  beforeEach(() => {
    world.sink.behave({ replies: { DOT: '554 5.7.1 Not wanted here' } });
  });

  test.each([
    ['FULL', true],
    ['HDRS', false],
  ])('is reported to the sender with RET=%s', async (ret, isWhole) => {
    const { to, id } = await bounce({
      mail: ` RET=${ret}`,
      rcpt: ' NOTIFY=FAILURE,DELAY ORCPT=rfc822;old@example.net',
    });
    await becomes(id, 'BOUNCED');
    const { data } = await reportAbout(to);
    expect(data).toContain('Action: failed\r\nStatus: 5.7.1');
    expect(data).toContain('Diagnostic-Code: smtp; 554 5.7.1 Not wanted here');
    expect(data).toContain('Original-Recipient: rfc822;old@example.net');
    expect(data.includes('The secret body')).toBe(isWhole);
    expect(data).toContain(`Content-Type: ${isWhole ? 'message/rfc822' : 'text/rfc822-headers'}`);
  });

  test.each([
    ['NOTIFY=NEVER', { rcpt: ' NOTIFY=NEVER' }],
    ['NOTIFY=SUCCESS', { rcpt: ' NOTIFY=SUCCESS' }],
    ['no NOTIFY', { mail: ' RET=FULL' }],
    ['the null sender', { rcpt: ' NOTIFY=FAILURE', sender: '' }],
  ])('is not reported with %s', async (_name, asked) => {
    const { to, id } = await bounce(asked);
    await settles(id, 'BOUNCED');
    expect(reportsAbout(to)).toEqual([]);
  });
});

test('a delay is reported once, and only after several attempts', async () => {
  const to = 'slow@example.org';
  world.sink.behave({ rcptReplies: { [to]: '451 4.2.1 Greylisted' } });
  const { id } = await submit({ to, rcpt: ' NOTIFY=DELAY' });
  for (let attempts = 1; attempts <= 5; attempts += 1) {
    const tried = () => world.sink.commands.filter((line) => line.startsWith(`RCPT TO:<${to}>`)).length;
    await expect.poll(tried, { timeout: 30_000 }).toBe(attempts);
    const isPutOff = async () => {
      const { rows } = await sql<{ n: number }>`
        select count(*)::integer as n from deliveries where recipient = ${to} and attempts = ${attempts}`.execute(
        world.server.db,
      );
      return rows[0]!.n;
    };
    await expect.poll(isPutOff, { timeout: 30_000 }).toBe(1);
    await settles(id, 'DELIVERY_DELAYED');
    if (attempts < 4) expect(reportsAbout(to)).toEqual([]);
    else expect((await reportAbout(to)).data).toContain('Action: delayed\r\nStatus: 4.2.1');
    await sql`update deliveries set due_at = now() where recipient = ${to}`.execute(world.server.db);
  }
});

test('a suppressed recipient is reported as failed', async () => {
  const to = 'left@example.org';
  await team.call('POST', '/suppressions', { email: to });
  const { id } = await submit({ to, rcpt: ' NOTIFY=FAILURE' });
  await becomes(id, 'SUPPRESSED');
  expect((await reportAbout(to)).data).toContain('Action: failed\r\nStatus: 5.1.1');
});

test('reports go only to addresses of the team', async () => {
  const { answer } = await submit({ rcpt: ' NOTIFY=SUCCESS', sender: 'victim@elsewhere.test' });
  expect(answer).toMatch(/^550 5\.\d\.\d MAIL FROM must use a verified domain/);
  const { answer: never } = await submit({ rcpt: ' NOTIFY=NEVER', sender: 'anyone@elsewhere.test' });
  expect(never).toMatch(/^250/);
});

test("nodemailer's dsn option works", async () => {
  const mailer = nodemailer.createTransport({
    host: '127.0.0.1',
    port: world.server.submissionPort,
    ignoreTLS: true,
    auth: { user: 'anyone', pass: team.key },
  });
  await mailer.sendMail({
    from: 'ada@shop.test',
    to: 'dsn-option@example.org',
    subject: 'x',
    text: 'x',
    dsn: { id: 'order 7', return: 'headers', notify: ['success', 'failure'], recipient: 'ada@shop.test' },
  });
  const { data } = await reportAbout('dsn-option@example.org');
  expect(data).toContain('Original-Envelope-Id: order 7');
});
