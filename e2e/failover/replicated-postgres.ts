/**
 * A primary and a standby with streaming replication, with the binaries of the embedded PostgreSQL. These lack
 * pg_basebackup, so the standby is created by a low-level base backup.
 */
import { chmod, chown, cp, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { packagedBinaries } from '../../src/platform/embedded-postgres/binaries.ts';
import { clusterDirAt, type ClusterDir } from '../../src/platform/embedded-postgres/cluster-dir.ts';
import { createCluster, readPassword, superuser } from '../../src/platform/embedded-postgres/cluster.ts';
import { launch } from '../../src/platform/embedded-postgres/launch.ts';
import { readPostmaster, stopPostmaster } from '../../src/platform/embedded-postgres/postmaster.ts';
import { chooseClusterDir, type Runner } from '../../src/platform/embedded-postgres/runner.ts';
import { settingArguments } from '../../src/platform/embedded-postgres/settings.ts';
import { freePorts } from '../../src/testing/servers/free-ports.ts';

export interface ReplicatedPostgres {
  /** The URL names both servers. */
  url: string;
  /** Ends the primary and all its processes with SIGKILL, as when the machine dies. */
  killPrimary(): Promise<void>;
  /** Makes the standby the primary. Resolves when it accepts writes. */
  promote(): Promise<void>;
  /** Stops all replication to the standby. */
  stopReplication(): Promise<void>;
  /** The URL of the standby alone. */
  standbyUrl: string;
  /** Makes the standby receive the WAL of the primary without applying it. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  stopStandby(): Promise<void>;
  startStandby(): Promise<void>;
  /** Runs a statement on the current primary. */
  query<Row>(text: string): Promise<Row[]>;
  close(): Promise<void>;
}

interface Server {
  home: ClusterDir & Runner;
  port: number;
  url: string;
}

const DATABASE = 'posthorn';
const STANDBY = 'standby';

export async function startReplicatedPostgres(
  mode: 'synchronous' | 'asynchronous',
): Promise<ReplicatedPostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), 'posthorn-primary-'));
  const standbyDir = await mkdtemp(join(tmpdir(), 'posthorn-standby-'));
  const [port, standbyPort] = await freePorts(2);
  const machine = {
    nativeDir: packagedBinaries(),
    namespaces: process.platform === 'linux',
    outsideDir: join(tmpdir(), 'posthorn-clusters'),
  };
  const home = await chooseClusterDir(machine, dataDir, true);
  await createCluster(home, false);
  const password = await readPassword(home);
  const urlOf = (at: number, database = DATABASE) =>
    `postgresql://${superuser}:${password}@127.0.0.1:${at}/${database}`;
  const primary: Server = { home, port: port!, url: urlOf(port!) };
  await start(primary);
  await run(urlOf(port!, 'postgres'), `create database ${DATABASE} template template0`);

  const standbyHome = {
    ...clusterDirAt(standbyDir, standbyDir),
    nativeDir: home.nativeDir,
    runAs: home.runAs,
  };
  const standby: Server = { home: standbyHome, port: standbyPort!, url: urlOf(standbyPort!) };
  await copyCluster(primary, standby, password);
  await start(standby);
  if (mode === 'synchronous') {
    await run(
      primary.url,
      `alter system set synchronous_standby_names = '${STANDBY}'`,
      'select pg_reload_conf()',
    );
    await until(async () => {
      const rows = await run(primary.url, 'select sync_state from pg_stat_replication');
      return rows[0]?.sync_state === 'sync';
    }, 'the synchronous standby');
  }

  let current = primary;
  return {
    url: `postgresql://${superuser}:${password}@127.0.0.1:${port},127.0.0.1:${standbyPort}/${DATABASE}?target_session_attrs=read-write`,
    async killPrimary() {
      const rows = await run(primary.url, 'select pid from pg_stat_activity');
      const { pid } = (await readPostmaster(home.clusterDir))!;
      for (const one of [pid, ...rows.map((row) => Number(row.pid))]) kill(one);
    },
    async promote() {
      await run(standby.url, 'select pg_promote()');
      current = standby;
    },
    async stopReplication() {
      await run(standby.url, `alter system set primary_conninfo = ''`, 'select pg_reload_conf()');
      await until(
        async () => (await run(primary.url, 'select from pg_stat_replication')).length === 0,
        'the end of replication',
      );
    },
    standbyUrl: standby.url,
    pauseReplay: async () => void (await run(standby.url, 'select pg_wal_replay_pause()')),
    resumeReplay: async () => void (await run(standby.url, 'select pg_wal_replay_resume()')),
    stopStandby: () => stopPostmaster(standby.home.clusterDir, standby.home.nativeDir),
    startStandby: () => start(standby),
    query: async <Row>(text: string) => (await run(current.url, text)) as Row[],
    async close() {
      for (const server of [primary, standby])
        await stopPostmaster(server.home.clusterDir, server.home.nativeDir);
      for (const folder of [dataDir, standbyDir]) await rm(folder, { recursive: true, force: true });
      if (home.baseDir !== dataDir) await rm(home.baseDir, { recursive: true, force: true });
    },
  };
}

/** Flushes to disk, like a server that must not lose confirmed data. */
async function start({ home, port, url }: Server): Promise<void> {
  const settings = settingArguments(
    { host: '127.0.0.1', port },
    { durable: true, extraSettings: { unix_socket_directories: '', shared_buffers: '128MB' } },
  );
  const launched = await launch(home, settings);
  await until(
    async () => {
      if (launched.ended) throw new Error(`PostgreSQL ended: ${await launched.logged()}`);
      const { isReady } = (await readPostmaster(home.clusterDir)) ?? { isReady: false };
      return (
        isReady ||
        run(url.replace(/[^/]*$/, 'postgres'), 'select 1').then(
          () => true,
          () => false,
        )
      );
    },
    `PostgreSQL: ${await launched.logged()}`,
  );
}

async function copyCluster(from: Server, to: Server, password: string): Promise<void> {
  const client = new pg.Client({ connectionString: from.url });
  await client.connect();
  await client.query(`select pg_backup_start('standby', true)`);
  const target = to.home.clusterDir;
  const skipped = ['postmaster.pid', 'postmaster.opts'];
  await cp(from.home.clusterDir, target, {
    recursive: true,
    preserveTimestamps: true,
    filter: (file) => !skipped.some((name) => file.endsWith(name)),
  });
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
  await client.end();
  const primaryInfo = `host=127.0.0.1 port=${from.port} user=${superuser} password=${password} application_name=${STANDBY}`;
  await writeFile(join(target, 'backup_label'), rows[0]!.labelfile);
  await writeFile(join(target, 'standby.signal'), '');
  await writeFile(join(target, 'postgresql.auto.conf'), `primary_conninfo = '${primaryInfo}'\n`);
  await copyOwner(from.home, to.home);
}

/** The standby belongs to the user that runs the primary. */
async function copyOwner(from: ClusterDir, to: ClusterDir & Runner): Promise<void> {
  const { uid, gid } = await stat(from.clusterDir);
  await chmod(to.clusterDir, 0o700);
  await chmod(to.dataDir, 0o711);
  if (to.runAs.how !== 'user') return;
  for (const name of ['.', ...(await readdir(to.clusterDir, { recursive: true }))])
    await chown(join(to.clusterDir, name), uid, gid);
}

async function run(url: string, ...texts: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 30_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const text of texts) rows = (await client.query(text)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}

export async function until(
  isThere: () => Promise<boolean>,
  what: string,
  timeoutMs = 60_000,
): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; !(await isThere());) {
    if (Date.now() > deadline) throw new Error(`Waited too long for ${what}.`);
    await sleep(25);
  }
}
