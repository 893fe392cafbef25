import { sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startSmtpSink, type SmtpSink } from '../../../testing/smtp-sink.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let sink: SmtpSink;
let server: TestServer;
let team: TestTeam;
let lines: { msg: string; level: number; reason?: string; relay?: string }[];

beforeEach(async () => {
  sink = await startSmtpSink();
  lines = [];
});
afterEach(async () => {
  await server.close();
  await sink.close();
});

async function start(env: Record<string, string>, databaseUrl?: string): Promise<void> {
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const doors = ['http' as const, 'worker' as const];
  server = await startTestServer({
    doors,
    log,
    env: { MAIL_TRANSPORT: 'relay', BASE_URL: 'https://mail.example.com', ...env },
    databaseUrl,
  });
}

async function openTeam(region = 'default'): Promise<TestTeam> {
  const opened = await server.createTeam();
  const { body } = await opened.call('POST', '/domains', { name: `${region}.test` });
  await sql`
    update domains set held = true, status = 'SUCCESS', region = ${region} where id = ${body.id}`.execute(
    server.db,
  );
  return opened;
}

async function send(from = 'a@default.test'): Promise<string> {
  const email = { from, to: 'ada@example.org', subject: 'x', text: 'x' };
  return (await team.call('POST', '/emails', email)).body.emailId;
}

async function statusOf(emailId: string): Promise<string> {
  return (await team.call('GET', `/emails/${emailId}`)).body.status;
}

async function notices(of: TestTeam): Promise<{ kind: string; message: string }[]> {
  return (await of.call('GET', '/notices')).body.items;
}

function relayLines(): string[] {
  return lines.filter(({ msg }) => msg.startsWith('relay:')).map(({ msg, level }) => `${level} ${msg}`);
}

async function retry(): Promise<void> {
  await sql`update deliveries set due_at = now() where leased_by is null`.execute(server.db);
}

const FAILS = '40 relay: does not accept mail; mail is kept and retried';
const WORKS = '30 relay: works again';

test('a relay that refuses the password is logged once and noticed until it accepts mail; nothing bounces', async () => {
  sink.behave({ auth: { user: 'shop', pass: 'sesame' } });
  await start({ RELAY_URL: `smtp://shop:wrong@127.0.0.1:${sink.port}` });
  team = await openTeam();
  const other = await server.createTeam();
  const ids = await Promise.all([send(), send(), send()]);
  for (const id of ids) await expect.poll(() => statusOf(id)).toBe('DELIVERY_DELAYED');
  expect(relayLines()).toEqual([FAILS]);
  const [line] = lines.filter(({ msg }) => msg.startsWith('relay:'));
  expect(line).toMatchObject({
    relay: `smtp://shop@127.0.0.1:${sink.port}`,
    reason: expect.stringContaining('535'),
  });
  expect(JSON.stringify(lines)).not.toContain('wrong');
  for (const one of [team, other])
    await expect
      .poll(() => notices(one))
      .toEqual([
        expect.objectContaining({
          kind: 'relay',
          message: expect.stringContaining(`127.0.0.1:${sink.port} does not accept email: 535`),
        }),
      ]);

  sink.behave({ auth: { user: 'shop', pass: 'wrong' } });
  const isDelivered = async () => {
    await retry();
    return Promise.all(ids.map(statusOf));
  };
  await expect.poll(isDelivered, { interval: 200 }).toEqual(['DELIVERED', 'DELIVERED', 'DELIVERED']);
  expect(relayLines()).toEqual([FAILS, WORKS]);
  await expect.poll(() => notices(team)).toEqual([]);
  expect(sink.messages).toHaveLength(3);
});

test('a relay that wants a login that is not configured is noticed', async () => {
  sink.behave({ replies: { MAIL: '530 5.7.0 Authentication required' } });
  await start({ RELAY_URL: `smtp://127.0.0.1:${sink.port}` });
  team = await openTeam();
  const id = await send();
  await expect.poll(() => statusOf(id)).toBe('DELIVERY_DELAYED');
  await expect.poll(async () => (await notices(team)).map(({ kind }) => kind)).toEqual(['relay']);
});

test('an unreachable relay of a region is noticed by the teams of that region until a restart finds it working', async () => {
  await sink.stopListening();
  const env = { RELAY_URL: 'smtp://127.0.0.1:9', RELAY_URL_EU: `smtp://127.0.0.1:${sink.port}` };
  await start(env);
  const databaseUrl = server.config.databaseUrl!;
  team = await openTeam('eu');
  const other = await openTeam();
  const id = await send('a@eu.test');
  await expect.poll(() => statusOf(id)).toBe('DELIVERY_DELAYED');
  await expect.poll(async () => (await notices(team)).map(({ kind }) => kind)).toEqual(['relay']);
  expect(await notices(other)).toEqual([]);

  await sink.listenAgain();
  const first = server;
  await start(env, databaseUrl);
  const moved = server;
  await expect
    .poll(async () => (await moved.db.selectFrom('relay_failures').select('relay').execute()).length)
    .toBe(0);
  expect(sink.messages).toHaveLength(0);
  await moved.close();
  server = first;
});
