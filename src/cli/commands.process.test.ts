import { sql } from 'kysely';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSchemaFiles } from '../platform/database/migrations.ts';
import { runPosthorn, startPosthorn } from '../testing/posthorn-process.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { createCall, startTestServer, type TestServer } from '../testing/test-server.ts';
import { keyCommand } from './key.ts';
import { migrateCommand } from './migrate.ts';

let server: TestServer;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startTestServer();
  env = { DATA_DIR: server.config.dataDir, DATABASE_URL: server.config.databaseUrl! };
});

afterAll(() => server.close());

test.concurrent('a team can be created while the server runs, and its key works immediately', async () => {
  const { code, stdout, stderr } = await runPosthorn(['team', 'create', '--name', ' Harbour  Books '], env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [, id, name, key] = /^Team (\d+): (.*)\nFull-access key \(not shown again\):\n(\S+)\n$/.exec(stdout)!;
  const { status, body } = await createCall(server.url, key)('GET', '/team');
  expect({ status, body }).toMatchObject({ status: 200, body: { id: Number(id), name } });
});

test.concurrent('keys can be created, listed and revoked', async () => {
  const { teamId } = await server.createTeam();
  const team = String(teamId);
  const create = ['key', 'create', '--team', team, '--permission', 'sending', '--name', 'Shop'];
  const made = await runPosthorn(create, env);
  expect(made.code).toBe(0);
  const [, id, key] =
    /^Created key (key_\w+) for team \d+ \(sending\)\. It is not shown again:\n(\S+)\n$/.exec(made.stdout)!;
  const call = createCall(server.url, key);
  expect((await call('GET', '/team')).status).toBe(403);

  const listed = await runPosthorn(['key', 'list', '--team', team], env);
  expect(listed.stdout).toMatch(new RegExp(`^${id}  ${key!.slice(0, 11)}…  sending  .*  Shop$`, 'm'));
  expect(listed.stdout).not.toContain(key);
  const revoked = await runPosthorn(['key', 'revoke', '--team', team, id!], env);
  expect(revoked).toEqual({ code: 0, stdout: `Revoked key ${id}.\n`, stderr: '' });
  expect((await call('GET', '/team')).status).toBe(401);
});

test.concurrent('setup and reset links create the owner of a team and set a new password', async () => {
  const { teamId } = await server.createTeam();
  const printed = await runPosthorn(['team', 'link', '--team', String(teamId)], env);
  const token = /\n(\S+)\/setup\?token=(\S+)\n$/.exec(printed.stdout)![2];
  const person = { name: 'Ada', email: 'ada@cli.example', password: 'correct horse battery' };
  const made = await server.call('POST', '/auth/setup', { token, ...person });
  expect(made.body).toMatchObject({ team: { id: teamId }, role: 'owner' });

  await sql`update users set totp_enabled = true, totp_secret = '' where email = ${person.email}`.execute(
    server.db,
  );
  const [again, nobody, reset, stopped] = await Promise.all([
    runPosthorn(['team', 'link', '--team', String(teamId)], env),
    runPosthorn(['user', 'reset-password', '--email', 'nobody@cli.example'], env),
    runPosthorn(['user', 'reset-password', '--email', 'Ada@CLI.example'], env),
    runPosthorn(['user', 'stop-two-factor', '--email', person.email], env),
  ]);
  expect(again).toMatchObject({ code: 1, stdout: '' });
  expect(again.stderr).toContain('already has an owner');
  expect(nobody).toEqual({ code: 1, stdout: '', stderr: 'User not found\n' });
  const resetToken = /\n(\S+)\/reset\?token=(\S+)\n$/.exec(reset.stdout)![2];
  const password = 'a wholly new password';
  expect((await server.call('POST', '/auth/reset', { token: resetToken, password })).status).toBe(200);
  const signIn = { email: person.email, password };
  const told = `Two-factor authentication is off for ${person.email}, and their passkeys are deleted.\n`;
  expect(stopped.stdout).toBe(told);
  expect((await server.call('POST', '/auth/sign-in', signIn)).body.needsCode).toBe(false);
  const { rows } = await sql<{ action: string }>`
    select action from audit_entries where team_id = ${teamId} and actor_kind = 'operator'
  `.execute(server.db);
  expect(rows.map(({ action }) => action).toSorted()).toEqual([
    'password.reset-link-created',
    'team.setup-link-created',
    'two-factor.disabled',
  ]);
});

test.concurrent('the error for a port in use says what to do', async () => {
  const { code, stderr } = await runPosthorn(['serve', '--doors', 'http'], {
    ...env,
    PORT: new URL(server.url).port,
  });
  const { host, port } = new URL(server.url);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      `http: cannot listen on ${host} (PORT): the port is in use\n` +
      'Stop the program that uses the port, or set PORT to another port.\n',
  });
  const imap = await runPosthorn(['serve', '--doors', 'imap'], { ...env, IMAPS_PORT: port });
  expect(imap).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^imap: cannot listen on 127\.0\.0\.1:\d+ \(IMAPS_PORT\): the port is in use\n.*set IMAPS_PORT/m,
    ),
  });
});

test.concurrent('every command takes its settings from the file in --env-file', async ({ expect }) => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-env-'));
  const file = join(folder, 'other.env');
  const lines = Object.entries(env).map(([name, value]) => `${name}='${value}'`);
  writeFileSync(file, `${lines.join('\n')}\n`);
  const list = ['key', 'list', '--team', '1'];
  try {
    const [separate, joined, before, missing, unnamed] = await Promise.all([
      runPosthorn([...list, '--env-file', file], {}),
      runPosthorn([...list, `--env-file=${file}`], {}),
      runPosthorn(['--env-file', file, ...list], {}),
      runPosthorn([...list, '--env-file', join(folder, 'none.env')], env),
      runPosthorn([...list, '--env-file'], env),
    ]);
    expect(separate).toMatchObject({ code: 0, stderr: '' });
    expect([joined, before]).toEqual([separate, separate]);
    // Node.js 20 reads the option itself, wherever it is, and ends with its own code if there is no such file.
    expect([2, 9]).toContain(missing.code);
    expect(missing.stderr).toContain('none.env');
    expect(unnamed).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--env-file needs the name of a file.'),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.concurrent(
  'unknown commands, subcommands and options are named, with a list of what exists',
  async ({ expect }) => {
    const [command, option, subcommand, subOption] = await Promise.all([
      runPosthorn(['teams'], env),
      runPosthorn(['--verbose'], env),
      runPosthorn(['queue', 'purge'], env),
      runPosthorn(['key', 'list', '--teem', '1'], env),
    ]);
    expect([command.code, option.code, subcommand.code, subOption.code]).toEqual([2, 2, 2, 2]);
    expect(command.stderr).toMatch(/^Unknown command "teams"\.\n[^]*posthorn team create[^]*posthorn doctor/);
    expect(option.stderr).toMatch(/^Unknown option "--verbose"\.\n/);
    expect(subcommand.stderr).toMatch(
      /^Unknown subcommand "purge"\. Use one of list, show, flush, hold, release, drop\.\n/,
    );
    expect(subOption.stderr).toMatch(/^Unknown option '--teem'\. The options are --team\.\n/);
  },
);

test.concurrent('missing and wrong arguments are explained, and nothing is created', async () => {
  const [missing, noTeam, unknown] = await Promise.all([
    runPosthorn(['key', 'create', '--team', '1'], env),
    runPosthorn(['key', 'create', '--team', '999999', '--permission', 'full'], env),
    runPosthorn(['dance'], env),
  ]);
  expect(missing).toMatchObject({ code: 2, stdout: '' });
  expect(missing.stderr).toMatch(/^--permission is missing\.\n\nUsage:\n {2}posthorn key create --team ID/);
  expect(noTeam).toEqual({ code: 1, stdout: '', stderr: 'Team not found\n' });
  expect(unknown.code).toBe(2);
  for (const command of [
    'serve',
    'team create',
    'key create',
    'team link',
    'user reset-password',
    'migrate',
    'backup',
    'restore',
    'doctor',
  ]) {
    expect(unknown.stderr).toContain(`  posthorn ${command}`);
  }
});

test.concurrent('an import that the vendor rejects ends with one line and exit code 1', async () => {
  const { teamId } = await server.createTeam();
  const args = ['--team', String(teamId), '--key', 'wrong', '--url', `${server.url}/resend`];
  expect(await runPosthorn(['import', 'resend', ...args], env)).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^Resend refused the key \(403.*\)\. Use a key that can read the whole account\.\n$/,
    ),
  });
});

test.concurrent('--help after a command prints its usage and does nothing else', async ({ expect }) => {
  expect(await runPosthorn(['team', 'create', '--name', 'X', '--help'], env)).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^Usage:\n {2}posthorn team create --name NAME\n/),
    stderr: '',
  });
  expect((await runPosthorn(['serve', '-h'], env)).code).toBe(0);
});

test('commands reject arguments that they would ignore', async () => {
  const { config } = server;
  await expect(migrateCommand(['--dry-run'], config)).rejects.toThrow(`Unknown option '--dry-run'`);
  const two = ['revoke', '--team', '1', 'key_one', 'key_two'];
  await expect(keyCommand(two, config)).rejects.toThrow('Give only one key ID. No key was revoked.');
});

test.concurrent('an empty database is migrated', async () => {
  const database = await createTestDatabase('empty');
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-migrate-'));
  const migrated = await runPosthorn(['migrate'], { DATA_DIR: dataDir, DATABASE_URL: database.url });
  const { migrations, functions } = readSchemaFiles();
  const names = [...migrations, functions].map(({ name }) => name);
  expect(migrated).toEqual({ code: 0, stdout: `Applied ${names.join(', ')}.\n`, stderr: '' });
  await database.drop();
  rmSync(dataDir, { recursive: true });
});

test.concurrent('serve prints that it is running and exits with 0 on SIGTERM', async () => {
  const database = await createTestDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-serve-'));
  const posthorn = startPosthorn(['serve', '--doors', 'worker'], {
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
  });
  await posthorn.says('Posthorn is running (worker)');
  posthorn.child.kill('SIGTERM');
  expect((await posthorn.ended).code).toBe(0);
  await database.drop();
  rmSync(dataDir, { recursive: true });
});

test.concurrent('team storage limits one team, and default lifts the limit', async () => {
  const { teamId } = await server.createTeam();
  const storage = (...more: string[]) =>
    runPosthorn(['team', 'storage', '--team', String(teamId), ...more], env);
  expect((await storage('--mb', '5')).stdout).toMatch(/^Team \d+ uses 0\.0 MiB of 5\.0 MiB\.\n$/);
  expect((await storage()).stdout).toContain('of 5.0 MiB');
  expect((await storage('--mb', 'default')).stdout).toContain('without a limit');
  expect(await storage('--mb', 'many')).toMatchObject({ code: 2 });
});
