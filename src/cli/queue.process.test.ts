import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runPosthorn } from '../testing/posthorn-process.ts';
import { startTestServer, type TestServer, type TestTeam } from '../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;
let env: Record<string, string>;

beforeAll(async () => {
  // There is no worker, so the deliveries stay in the queue.
  server = await startTestServer();
  env = { DATA_DIR: server.config.dataDir, DATABASE_URL: server.config.databaseUrl! };
  team = await server.createTeam();
  await team.call('POST', '/domains', { name: 'shop.test' });
  await sql`update domains set held = true, status = 'SUCCESS'`.execute(server.db);
});
afterAll(() => server.close());

async function send(...to: string[]): Promise<string> {
  const email = { from: 'a@shop.test', to, subject: 'Hello', text: 'x' };
  return (await team.call('POST', '/emails', email)).body.emailId;
}

async function queue(...args: string[]) {
  return runPosthorn(['queue', ...args], env);
}

test('deliveries are listed, shown, held, released, flushed and dropped beside a running server', async () => {
  const emailId = await send('ada@one.example', 'bob@two.example');
  const byTeam = ['--team', String(team.teamId)];
  const held = await queue('hold', '--domain', 'one.example', ...byTeam);
  expect(held).toEqual({ code: 0, stdout: '1 delivery is held.\n', stderr: '' });

  const [listed, one, json, ofEmail, shown] = await Promise.all([
    queue('list', ...byTeam),
    queue('list', ...byTeam, '--limit', '1'),
    queue('list', '--held', '--json'),
    queue('show', emailId),
    queue('show', `${emailId}-0`),
  ]);
  expect(listed.stdout).toMatch(
    new RegExp(
      `^${emailId}-1  team ${team.teamId}  bob@two.example  0 attempts  next attempt \\S+Z\n` +
        `${emailId}-0  team ${team.teamId}  ada@one.example  0 attempts  held\n\n` +
        `2 deliveries in the queue, 1 held\\.\n$`,
    ),
  );
  expect(one.stdout).toContain('2 deliveries in the queue, 1 held; the newest 1 is shown.');
  expect(JSON.parse(json.stdout)).toMatchObject({
    total: 1,
    held: 1,
    items: [{ recipient: 'ada@one.example', state: 'held' }],
  });
  expect(ofEmail.stdout.match(/^(recipient: .*|Events:)$/gm)).toEqual([
    'recipient: ada@one.example',
    'Events:',
    'recipient: bob@two.example',
    'Events:',
  ]);
  expect(shown.stdout).toMatch(/recipient: ada@one\.example\nstate: held\n[^]*\nEvents:\n\S+Z {2}QUEUED\n$/);

  await sql`update deliveries set due_at = now() + interval '1 hour' where due_at < 'infinity'`.execute(
    server.db,
  );
  const flushed = await queue('flush', '--all');
  expect(flushed.stdout).toBe('1 delivery is tried now.\n');
  expect((await queue('release', `${emailId}-0`)).stdout).toBe('1 delivery is released.\n');

  await sql`
    update deliveries set leased_by = gen_random_uuid() where recipient = 'bob@two.example'`.execute(
    server.db,
  );
  const unsure = await queue('drop', emailId);
  expect(unsure).toMatchObject({ code: 2, stdout: '' });
  expect(unsure.stderr).toContain('2 deliveries would be dropped. Add --yes to drop them.');
  const dropped = await queue('drop', emailId, '--yes');
  expect(dropped.stdout).toBe(
    '1 delivery was dropped.\n1 delivery is being sent right now and was not changed.\n',
  );
  const { status, emailEvents } = (await team.call('GET', `/emails/${emailId}`)).body;
  expect([status, emailEvents.at(-1)]).toMatchObject([
    'FAILED',
    { recipient: 'ada@one.example', data: { reason: 'Dropped from the queue (posthorn queue).' } },
  ]);
});

test.concurrent('changing the queue needs a filter, and wrong ids change nothing', async ({ expect }) => {
  const [drop, flush, wrong, unknown, unknownEmail, none] = await Promise.all([
    queue('drop', '--yes'),
    queue('flush'),
    queue('hold', 'key_1'),
    queue('show', 'eml_01kbd8x4zvf7m8rk2q3w5t6y7h-0'),
    queue('show', 'eml_01kbd8x4zvf7m8rk2q3w5t6y7h'),
    queue('drop', '--all', '--yes'),
  ]);
  expect([drop.code, drop.stderr.split('\n')[0]]).toEqual([
    2,
    'Give delivery IDs, --team, --domain or --campaign. Nothing was changed.',
  ]);
  expect([flush.code, wrong.code, none.code]).toEqual([2, 2, 2]);
  expect(wrong.stderr).toContain('key_1 is not the ID of a delivery or an email.');
  expect(unknown).toEqual({ code: 1, stdout: '', stderr: 'Delivery not found\n' });
  expect(unknownEmail).toMatchObject({ code: 1, stderr: 'This email has no deliveries in the queue.\n' });
});

test('a command in a folder without an instance says so and creates nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-nothing-'));
  const dataDir = join(folder, 'data');
  for (const args of [
    ['queue', 'list'],
    ['key', 'list', '--team', '1'],
  ]) {
    const { code, stderr } = await runPosthorn(args, { DATA_DIR: dataDir });
    expect([code, stderr]).toEqual([1, expect.stringContaining('No instance found')]);
  }
  expect(existsSync(dataDir)).toBe(false);
  rmSync(folder, { recursive: true });
});
