import { sql } from 'kysely';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openEmbeddedPostgres } from '../../../platform/embedded-postgres.ts';
import { rejectPoison } from '../../../testing/reject-poison.ts';
import {
  CLOSE,
  NORMAL,
  SILENCE,
  type SinkBehaviour,
} from '../../../testing/smtp-sink/smtp-sink-behaviour.ts';
import { startSmtpSink, type SmtpSink } from '../../../testing/smtp-sink.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let sink: SmtpSink;
let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  sink = await startSmtpSink();
  server = await startServer();
  team = await openTeam(server);
});
afterAll(async () => {
  await server.close();
  await sink.close();
});
beforeEach(() => sink.reset());

function startServer(databaseUrl?: string): Promise<TestServer> {
  return startTestServer({
    doors: ['http', 'worker'],
    env: { MAIL_TRANSPORT: 'relay', RELAY_URL: `smtp://127.0.0.1:${sink.port}` },
    ...(databaseUrl ? { databaseUrl } : {}),
  });
}

async function openTeam(on: TestServer): Promise<TestTeam> {
  const opened = await on.createTeam();
  const { body } = await opened.call('POST', '/domains', { name: 'shop.test' });
  await sql`update domains set held = true, status = 'SUCCESS' where id = ${body.id}`.execute(on.db);
  return opened;
}

async function send(owner: TestTeam, to: string | string[]): Promise<string> {
  const email = { from: 'a@shop.test', to, subject: 'x', text: 'word '.repeat(400) };
  const { status, body } = await owner.call('POST', '/emails', email);
  expect(status).toBe(200);
  return body.emailId;
}

async function read(emailId: string) {
  return (await team.call('GET', `/emails/${emailId}`)).body;
}

/** Makes retries due now. */
async function tryAgain(): Promise<void> {
  await sql`update deliveries set due_at = now() where leased_by is null`.execute(server.db);
}

const FAULTS: [string, Partial<SinkBehaviour>][] = [
  ['refuses to talk', { replies: { CONNECT: ['554 5.3.2 Not here', CLOSE] } }],
  ['is busy', { replies: { CONNECT: ['421 4.3.2 Busy', CLOSE] } }],
  ['closes in mid-DATA', { midBody: { afterBytes: 500, answer: CLOSE } }],
  ['closes instead of an answer to EHLO', { replies: { EHLO: CLOSE } }],
  ['answers garbage', { replies: { MAIL: 'HTTP/1.1 200 OK' } }],
  ['defers after DATA', { replies: { DOT: '451 4.3.0 Try later' } }],
];

describe.each([
  ['a relay', []],
  ['a relay with CHUNKING', ['CHUNKING']],
])('%s that', (relay, more) => {
  test.each(FAULTS)(
    '%s delays the message and records the reason; the message is sent exactly once',
    async (what, fault) => {
      sink.cut();
      sink.behave({ ...fault, extensions: [...NORMAL.extensions, ...more] });
      const to = `${relay} ${what}@example.org`.replaceAll(' ', '-').toLowerCase();
      const id = await send(team, to);
      await expect.poll(async () => (await read(id)).status, { interval: 20 }).toBe('DELIVERY_DELAYED');
      const { emailEvents } = await read(id);
      expect(emailEvents.at(-1)).toMatchObject({
        status: 'DELIVERY_DELAYED',
        recipient: to,
        data: { reason: expect.any(String) },
      });
      sink.behave({ replies: {}, midBody: null });
      const isDelivered = async () => {
        await tryAgain();
        return (await read(id)).status;
      };
      await expect.poll(isDelivered, { interval: 200 }).toBe('DELIVERED');
      expect(sink.messages.filter(({ recipients }) => recipients.includes(to))).toHaveLength(1);
    },
  );
});

describe('a relay that', () => {
  test('announces CHUNKING without knowing BDAT gets the message with DATA', async () => {
    sink.cut();
    sink.behave({ extensions: [...NORMAL.extensions, 'CHUNKING'], replies: { DOT: '502 5.5.1 What?' } });
    const id = await send(team, 'no-bdat@example.org');
    await expect.poll(async () => (await read(id)).status, { interval: 20 }).toBe('DELIVERY_DELAYED');
    sink.behave({ replies: {} });
    const isDelivered = async () => {
      await tryAgain();
      return (await read(id)).status;
    };
    await expect.poll(isDelivered, { interval: 200 }).toBe('DELIVERED');
    expect(sink.commands.filter((line) => /^(BDAT|DATA)/.test(line)).at(-1)).toBe('DATA');
    expect(sink.messages.filter(({ recipients }) => recipients[0] === 'no-bdat@example.org')).toHaveLength(1);
  });

  test('never answers delays a message until the connection is cut; then it is sent once', async () => {
    sink.behave({ replies: { DATA: SILENCE } });
    const id = await send(team, 'silence@example.org');
    await expect.poll(() => sink.commands.some((line) => line.startsWith('RCPT'))).toBe(true);
    expect((await read(id)).status).toBe('QUEUED');
    sink.behave({ replies: {} });
    sink.cut();
    await expect.poll(async () => (await read(id)).status, { interval: 20 }).toBe('DELIVERY_DELAYED');
    const isDelivered = async () => {
      await tryAgain();
      return (await read(id)).status;
    };
    await expect.poll(isDelivered, { interval: 200 }).toBe('DELIVERED');
    expect(sink.messages).toHaveLength(1);
  });

  test('accepts few connections gets everything over those, without deferrals', async () => {
    sink.behave({ mostConnections: 3, dripMs: 1 });
    const ids = await Promise.all(Array.from({ length: 40 }, (_, no) => send(team, `few${no}@example.org`)));
    await sink.waitForMessages(ids.length, 30_000);
    for (const id of ids) {
      await expect.poll(async () => (await read(id)).status).toBe('DELIVERED');
      const statuses = (await read(id)).emailEvents.map(({ status }: { status: string }) => status);
      expect(statuses).not.toContain('DELIVERY_DELAYED');
    }
    expect(new Set(sink.messages.map(({ recipients }) => recipients[0])).size).toBe(ids.length);
    expect(sink.messages).toHaveLength(ids.length);
  }, 60_000);

  test('answers byte by byte gets everything once', async () => {
    sink.behave({ dripMs: 2 });
    const ids = await Promise.all(Array.from({ length: 30 }, (_, at) => send(team, `drip${at}@example.org`)));
    for (const id of ids) {
      await expect
        .poll(async () => (await read(id)).status, { timeout: 30_000, interval: 20 })
        .toBe('DELIVERED');
    }
    expect(sink.messages).toHaveLength(30);
  });
});

test('a reply that the database rejects delays no other outcome, and is recorded without its text', async () => {
  const takeAgain = await rejectPoison(server.db);
  sink.behave({ dripMs: 1, rcptReplies: { 'word5@example.org': '550 5.1.1 poison' } });
  const ids = await Promise.all(Array.from({ length: 10 }, (_, no) => send(team, `word${no}@example.org`)));
  for (const [no, id] of ids.entries())
    await expect
      .poll(async () => (await read(id)).status, { interval: 20 })
      .toBe(no === 5 ? 'BOUNCED' : 'DELIVERED');
  await takeAgain();
  const { emailEvents } = await read(ids[5]!);
  expect(emailEvents.at(-1).data).toEqual({
    host: '127.0.0.1',
    reason: 'The reply of the receiving server could not be recorded.',
    class: 'other',
    bounceType: 'hard',
  });
  const { body } = await team.call('GET', '/suppressions?email=word5@example.org');
  expect(body.items).toHaveLength(1);
  expect((await read(ids[6]!)).emailEvents.at(-1).data.transcript).toContain('> RCPT TO:<word6@example.org>');
});

test('outcomes of one email that are written concurrently give it the right status', async () => {
  const before = await countToday();
  const emails = 60;
  const to = Array.from({ length: 7 }, (_, no) => `reader${no}@example.org`);
  sink.behave({ rcptReplies: { 'reader6@example.org': '451 4.2.1 Later' } });
  const ids = await Promise.all(
    Array.from({ length: emails }, (_, no) => send(team, no % 2 ? to : to.slice(0, 6))),
  );
  for (const [no, id] of ids.entries())
    await expect
      .poll(async () => (await read(id)).status, { interval: 20 })
      .toBe(no % 2 ? 'DELIVERY_DELAYED' : 'DELIVERED');
  const after = await countToday();
  expect([after.sent - before.sent, after.delivered - before.delivered]).toEqual([emails * 6.5, emails * 6]);
});

async function countToday(): Promise<{ sent: number; delivered: number }> {
  return (await team.call('GET', '/analytics/email-time-series?days=7')).body.result.at(-1);
}

test('a delivery whose recorded outcome was lost in a failover is sent again by the worker that still has its lease', async () => {
  const letters = () => sink.messages.filter(({ recipients }) => recipients[0] === 'lost@example.org').length;
  sink.behave({ dripMs: 20 });
  const id = await send(team, 'lost@example.org');
  const readLeased = async () => {
    const { rows } = await sql<{ row: object }>`
      select to_jsonb(d) as row from deliveries d where recipient = 'lost@example.org' and leased_by is not null
    `.execute(server.db);
    return rows[0]?.row ?? null;
  };
  let leased: object | null = null;
  await expect
    .poll(async () => (leased ??= await readLeased()), { timeout: 30_000, interval: 5 })
    .not.toBeNull();
  sink.behave({ dripMs: 0 });
  await expect.poll(async () => (await read(id)).status, { timeout: 30_000 }).toBe('DELIVERED');
  expect(letters()).toBe(1);
  // This is the state after a standby was promoted that does not have the outcome.
  await sql`
    insert into deliveries select * from jsonb_populate_record(null::deliveries, ${JSON.stringify(leased)}::jsonb)
  `.execute(server.db);
  await expect.poll(letters, { timeout: 60_000 }).toBe(2);
}, 120_000);

test('after a database outage during sending the worker continues, and nobody gets a message twice', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-outage-'));
  let postgres = await openEmbeddedPostgres(dataDir, { durable: false });
  const other = await startServer(postgres.url);
  const owner = await openTeam(other);
  sink.behave({ dripMs: 3 });
  const people = Array.from({ length: 60 }, (_, at) => `outage${at}@example.org`);
  for (const to of people) await send(owner, to);
  await sink.waitForMessages(5, 15_000);
  await postgres.leave();
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  sink.behave({ dripMs: 0 });
  postgres = await openEmbeddedPostgres(dataDir, { durable: false });
  const unfinished = async () => {
    const { body } = await owner.call('GET', '/emails?limit=100');
    return body.items?.filter((email: { status: string }) => email.status !== 'DELIVERED').length;
  };
  await expect.poll(unfinished, { timeout: 90_000 }).toBe(0);
  // Retries of earlier tests may arrive here too.
  const got = sink.messages.map(({ recipients }) => recipients[0]!).filter((to) => to.startsWith('outage'));
  expect(got.toSorted()).toEqual(people.toSorted());
  await other.close();
  await postgres.leave();
  rmSync(dataDir, { recursive: true, force: true });
}, 120_000);
