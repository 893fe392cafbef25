/** PgBouncer with `pool_mode = transaction` in front of a test database. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { startDatabaseProxy } from './database-proxy.ts';
import { freePorts } from './free-ports.ts';

/** PGBOUNCER can name another version by its path. */
const PROGRAM = process.env.PGBOUNCER ?? 'pgbouncer';
const FIRST_WITH_PREPARED = 121;
const NOBODY = 65_534;

/** Returns 121 for version 1.21, and null if PgBouncer is not installed. */
export function pgbouncerVersion(): number | null {
  const { status, stdout } = spawnSync(PROGRAM, ['--version'], { encoding: 'utf8' });
  const found = status === 0 ? /PgBouncer (\d+)\.(\d+)/.exec(stdout) : null;
  return found && Number(found[1]) * 100 + Number(found[2]);
}

export interface PgBouncer {
  url: string;
  close(): Promise<void>;
}

/** There are few connections, so that the sessions have to share them. */
export async function startPgBouncer(
  databaseUrl: string,
  { connections }: { connections: number },
): Promise<PgBouncer> {
  // PgBouncer does not run as root, and another user cannot reach the socket of the test database.
  const uid = process.getuid?.() === 0 ? NOBODY : undefined;
  const { proxy, close: closeProxy } = await startDatabaseProxy(databaseUrl);
  const { host, port, user, password, database } = new pg.Client({ connectionString: proxy.url });
  const [listenPort] = await freePorts(1);
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-pgbouncer-'));
  const config = join(folder, 'pgbouncer.ini');
  const users = join(folder, 'users.txt');
  writeFileSync(users, `"${user}" ""\n`);
  writeFileSync(
    config,
    [
      '[databases]',
      `${database} = host=${host} port=${port} dbname=${database} user=${user} password=${password}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${listenPort}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${users}`,
      'pool_mode = transaction',
      `default_pool_size = ${connections}`,
      'max_client_conn = 500',
      ...(pgbouncerVersion()! >= FIRST_WITH_PREPARED ? ['max_prepared_statements = 500'] : []),
      '',
    ].join('\n'),
  );
  if (uid !== undefined) for (const path of [folder, config, users]) chownSync(path, uid, -1);
  const child = spawn(PROGRAM, ['-q', config], { uid, stdio: 'ignore' });
  const ended = once(child, 'exit');
  while (!(await isListening(listenPort!))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}.`);
    await wait(20);
  }
  return {
    url: `postgresql://${user}@127.0.0.1:${listenPort}/${database}`,
    async close() {
      child.kill('SIGINT');
      await ended;
      closeProxy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
