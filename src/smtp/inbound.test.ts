import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { complaint, dsn, sendReport } from '../testing/clients/reports.ts';
import { openDialogue } from '../testing/smtp-dialogue.ts';
import { startSmtpSink, type SmtpSink } from '../testing/smtp-sink.ts';
import { startTestServer, type TestServer, type TestTeam } from '../testing/test-server.ts';

let sink: SmtpSink;
let server: TestServer;
let team: TestTeam;
let count = 0;

beforeAll(async () => {
  sink = await startSmtpSink();
  server = await startTestServer({
    doors: ['http', 'smtp', 'worker'],
    env: { MAIL_TRANSPORT: 'relay', RELAY_URL: `smtp://127.0.0.1:${sink.port}` },
  });
  team = await server.createTeam();
  const { body } = await team.call('POST', '/domains', { name: 'shop.test' });
  await sql`update domains set held = true, status = 'SUCCESS' where id = ${body.id}`.execute(server.db);
});
afterAll(async () => {
  await server.close();
  await sink.close();
});
beforeEach(() => sink.reset());

interface Sent {
  id: string;
  to: string;
  returnPath: string;
  messageId: string;
}

async function submit(): Promise<{ id: string; to: string }> {
  const to = `user${(count += 1)}@example.org`;
  const email = { from: 'hello@shop.test', to, subject: 'x', text: 'x' };
  const { body } = await team.call('POST', '/emails', email);
  return { id: body.emailId, to };
}

/** Sends an email that the next server accepts. Returns it with its return path. */
async function deliver(): Promise<Sent> {
  const { id, to } = await submit();
  await becomes(id, 'DELIVERED');
  const message = sink.messages.find(({ recipients }) => recipients[0] === to)!;
  return { id, to, returnPath: message.mailFrom, messageId: `<${id}@shop.test>` };
}

/** Returns the return path of an email that the sink has not accepted yet. */
function returnPathOf(to: string): string | undefined {
  const at = sink.commands.findIndex((line) => line.startsWith(`RCPT TO:<${to}>`));
  return /<([^>]*)>/.exec(sink.commands[at - 1] ?? '')?.[1];
}

async function get(emailId: string) {
  return (await team.call('GET', `/emails/${emailId}`)).body;
}

async function becomes(emailId: string, status: string): Promise<void> {
  await expect.poll(async () => (await get(emailId)).status, { interval: 20 }).toBe(status);
}

async function eventsOf(emailId: string): Promise<string[]> {
  return (await get(emailId)).emailEvents.map((event: { status: string }) => event.status);
}

async function suppressionOf(email: string): Promise<string | undefined> {
  const { body } = await team.call('GET', `/suppressions?email=${encodeURIComponent(email)}`);
  return body.items[0]?.reason;
}

function report(to: string, message: string) {
  return sendReport(server.smtpPort, to, message);
}

describe('recipients', () => {
  test('without mailboxes, only signed return paths are known', async () => {
    const { returnPath } = await deliver();
    const [local = ''] = returnPath.split('@');
    const forged = `${local.slice(0, -1)}${local.endsWith('0') ? '1' : '0'}`;
    for (const address of [
      'hello@shop.test',
      'bounce@bounce.shop.test',
      `${forged}@bounce.shop.test`,
      `${local}@bounce.other.test`,
      `${local}@shop.test`,
    ]) {
      expect((await report(address, '')).rcpt).toMatch(/^550 5\.1\.1 /);
    }
    // Some servers change the case of addresses.
    expect((await report(returnPath.toUpperCase(), 'x')).rcpt).toMatch(/^250/);
  });

  test('the port offers STARTTLS and no authentication', async () => {
    const dialogue = await openDialogue(server.smtpPort);
    const offer = await dialogue.say('EHLO mx.example.org');
    expect(offer).toContain('STARTTLS');
    expect(offer).not.toContain('AUTH');
    expect(await dialogue.say('AUTH PLAIN AAAA')).toMatch(/^500/);
    dialogue.drop();
  });
});

describe('a delivery report', () => {
  test('about an unknown address bounces the email and suppresses the address once', async () => {
    const { id, to, returnPath, messageId } = await deliver();
    const failed = dsn(to, 'failed', '5.1.1', messageId);
    expect((await report(returnPath, failed)).data).toMatch(/^250/);
    expect((await report(returnPath, failed)).data).toMatch(/^250/);
    expect((await report(returnPath, dsn(to, 'delayed', '4.4.1'))).data).toMatch(/^250/);
    const { status, emailEvents } = await get(id);
    expect(status).toBe('BOUNCED');
    const bounces = emailEvents.filter((event: { status: string }) => event.status === 'BOUNCED');
    expect(bounces).toMatchObject([{ recipient: to, data: { enhanced: '5.1.1' } }]);
    expect(emailEvents).toHaveLength(4);
    expect(await suppressionOf(to)).toBe('HARD_BOUNCE');
  });

  test('about a policy rejection bounces without suppressing', async () => {
    const { id, to, returnPath } = await deliver();
    await report(returnPath, dsn(to, 'failed', '5.7.1'));
    expect((await get(id)).status).toBe('BOUNCED');
    expect(await suppressionOf(to)).toBeUndefined();
  });

  test('about a delay is recorded once and changes no status', async () => {
    const { id, to, returnPath } = await deliver();
    await report(returnPath, dsn(to, 'delayed', '4.4.1'));
    await report(returnPath, dsn(to, 'delayed', '4.4.1'));
    expect((await get(id)).status).toBe('DELIVERED');
    expect(await eventsOf(id)).toEqual(['QUEUED', 'SENT', 'DELIVERED', 'DELIVERY_DELAYED']);
  });

  test('about a delay is recorded at most 5 times if its text differs', async () => {
    const { id, to, returnPath } = await deliver();
    const other = await deliver();
    for (let round = 0; round < 8; round += 1) {
      const late = (messageId?: string) => dsn(to, 'delayed', `4.4.${round}`, messageId);
      expect((await report(returnPath, late())).data).toMatch(/^250/);
      // Sent to the return path of one email about another email.
      expect((await report(returnPath, late(other.messageId))).data).toMatch(/^250/);
    }
    for (const emailId of [id, other.id]) {
      const late = (await eventsOf(emailId)).filter((status) => status === 'DELIVERY_DELAYED');
      expect(late).toHaveLength(5);
    }
    // Reports that change the email are still processed.
    await report(returnPath, dsn(to, 'failed', '5.1.1'));
    expect((await get(id)).status).toBe('BOUNCED');
  });

  test('that names another address suppresses only the recipient of that email', async () => {
    const victim = await deliver();
    const { to, returnPath } = await deliver();
    await report(returnPath, dsn(victim.to, 'failed', '5.1.1'));
    expect((await get(victim.id)).status).toBe('DELIVERED');
    expect([await suppressionOf(victim.to), await suppressionOf(to)]).toEqual([undefined, 'HARD_BOUNCE']);
  });

  test('whose Message-ID belongs to another email is recorded there and changes nothing', async () => {
    const victim = await deliver();
    const { id, to, returnPath } = await deliver();
    for (let times = 0; times < 2; times += 1)
      await report(returnPath, dsn(victim.to, 'failed', '5.1.1', victim.messageId));
    expect([(await get(victim.id)).status, (await get(id)).status]).toEqual(['DELIVERED', 'DELIVERED']);
    expect([await suppressionOf(victim.to), await suppressionOf(to)]).toEqual([undefined, undefined]);
    expect(await eventsOf(victim.id)).toEqual(['QUEUED', 'SENT', 'DELIVERED', 'BOUNCED']);
  });

  test('ends the remaining attempts', async () => {
    sink.behave({ rcptReplies: { [`user${count + 1}@example.org`]: '450 4.2.1 Try later' } });
    const { id, to } = await submit();
    await becomes(id, 'DELIVERY_DELAYED');
    await report(returnPathOf(to)!, dsn(to, 'failed', '5.1.1'));
    expect((await get(id)).status).toBe('BOUNCED');
    const left = await sql`select 1 from deliveries where recipient = ${to}`.execute(server.db);
    expect(left.rows).toEqual([]);
  });

  test('that arrives before the SMTP reply is not overwritten by that reply', async () => {
    sink.behave({ dripMs: 20 });
    const { id, to } = await submit();
    await expect.poll(() => returnPathOf(to)).toBeTruthy();
    await report(returnPathOf(to)!, dsn(to, 'failed', '5.1.1'));
    expect(await eventsOf(id)).toEqual(['QUEUED', 'SENT', 'BOUNCED']);
    const next = await submit();
    await becomes(next.id, 'DELIVERED');
    expect(await eventsOf(id)).toEqual(['QUEUED', 'SENT', 'BOUNCED']);
    expect((await get(id)).status).toBe('BOUNCED');
    const left = await sql`select 1 from deliveries where recipient = ${to}`.execute(server.db);
    expect(left.rows).toEqual([]);
  });
});

test('a complaint is recorded and suppresses the recipient', async () => {
  const { id, to, returnPath } = await deliver();
  for (let times = 0; times < 2; times += 1) await report(returnPath, complaint(to));
  expect((await get(id)).status).toBe('COMPLAINED');
  expect(await eventsOf(id)).toEqual(['QUEUED', 'SENT', 'DELIVERED', 'COMPLAINED']);
  expect(await suppressionOf(to)).toBe('COMPLAINT');
});

test.each([
  ['nothing', ''],
  ['words', 'Sorry, 550 5.1.1 user unknown'],
  ['an out-of-office note', 'Auto-Submitted: auto-replied\nSubject: away\n\nBack on Monday'],
  [
    'a broken report',
    'Content-Type: multipart/report; boundary="b"\n\n--b\nContent-Type: message/delivery-status\n\n\0\n',
  ],
  ['megabytes', `Subject: x\n\n${'x'.repeat(70)}\n`.repeat(40_000)],
])('%s is accepted and changes nothing', async (_what, message) => {
  const { id, to, returnPath } = await deliver();
  expect((await report(returnPath, message)).data).toMatch(/^250/);
  expect((await get(id)).status).toBe('DELIVERED');
  expect(await eventsOf(id)).toHaveLength(3);
  expect(await suppressionOf(to)).toBeUndefined();
});
