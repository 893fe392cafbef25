import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, inject, test, vi } from 'vitest';
import { queryOnce } from '../testing/query-once.ts';
import { packagedBinaries } from './embedded-postgres/binaries.ts';
import { joinOrStart } from './embedded-postgres/join-or-start.ts';
import { findClusterDir } from './embedded-postgres/cluster-dir.ts';
import { isPostmasterOf, readPostmaster } from './embedded-postgres/postmaster.ts';
import type { Machine } from './embedded-postgres/runner.ts';
import type { ServerOptions } from './embedded-postgres/settings.ts';
import { openEmbeddedPostgres, isEmbeddedPostgresRunning } from './embedded-postgres.ts';
import type { EmbeddedPostgres } from './embedded-postgres.ts';

const run = promisify(execFile);
const quick = { durable: false, extraSettings: { shared_buffers: '16MB' } };
const isRoot = process.getuid?.() === 0;
const nobody = 65534;
const folders: string[] = [];
const entered: EmbeddedPostgres[] = [];
const children: ChildProcess[] = [];
/** A data folder with a finished cluster. Copying it is much faster than creating one. */
let finished: string;

beforeAll(async () => {
  finished = await temporaryFolder();
  await (await enterHere(finished)).leave();
  folders.length = 0;
});

afterEach(async () => {
  await Promise.all(entered.splice(0).map((here) => here.leave()));
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0).toReversed()) await remove(folder);
});

afterAll(() => remove(finished));

test('the first start creates the database, and the second start keeps its data', async () => {
  const dataDir = path.join(await temporaryFolder(), 'not', 'there', 'yet');
  expect(await isEmbeddedPostgresRunning(dataDir)).toBe(false);
  const first = await enterHere(dataDir, {});
  folders.push(dataDir);
  await queryOnce(first.url, 'create table seen as select 42 as answer');
  const settings = await queryOnce(
    first.url,
    `select datlocale as locale, current_setting('fsync') as fsync, current_setting('data_checksums') as checksums,
            current_setting('listen_addresses') as addresses
     from pg_database where datname = current_database()`,
  );
  expect(settings).toEqual([{ locale: 'C.UTF-8', fsync: 'on', checksums: 'on', addresses: '' }]);
  expect(await modeOf(path.join(dataDir, 'postgres'))).toBe(0o700);
  expect(await modeOf(path.join(dataDir, 'postgres', 'posthorn.password'))).toBe(0o600);
  expect((await modeOf(dataDir)) & 0o007).toBe(0);
  expect(await isEmbeddedPostgresRunning(dataDir)).toBe(true);
  await first.leave();
  await first.leave();
  expect(await isEmbeddedPostgresRunning(dataDir)).toBe(false);

  const second = await enterHere(dataDir, { extraSettings: { max_connections: '33' } });
  expect(second.url).toBe(first.url);
  expect(
    await queryOnce(second.url, `select answer, current_setting('max_connections') as max from seen`),
  ).toEqual([{ answer: 42, max: '33' }]);
});

test('processes that start together share one cluster and one server, and leave no unfinished folders', async () => {
  const dataDir = await temporaryFolder();
  const dead = spawn('true');
  await new Promise((resolve) => dead.once('exit', resolve));
  await mkdir(path.join(dataDir, `postgres.new-${dead.pid}-0123abcd`, 'cluster'), { recursive: true });
  const members = await Promise.all([spawnMember(dataDir), spawnMember(dataDir)]);
  expect(new Set(members.map((member) => member.url)).size).toBe(1);
  expect((await readdir(dataDir)).toSorted()).toEqual(['postgres', 'postgres-run', 'postgres.log']);
  await Promise.all(members.map((member) => member.leave()));
  expect(await isEmbeddedPostgresRunning(dataDir)).toBe(false);
});

test('the server keeps running until the last process leaves', async () => {
  const dataDir = await folderWithCluster();
  const child = await spawnMember(dataDir);
  const pid = await postmasterPid(dataDir);
  const ours = await enterHere(dataDir);
  await child.leave();
  expect(await queryOnce(ours.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(await postmasterPid(dataDir)).toBe(pid);
  await ours.leave();
  expect(await isAlive(pid)).toBe(false);
});

test('the next process takes over the server of a killed process and stops it when it leaves', async () => {
  const dataDir = await folderWithCluster();
  const child = await spawnMember(dataDir);
  const pid = await postmasterPid(dataDir);
  await child.kill();
  const ours = await enterHere(dataDir);
  expect(await postmasterPid(dataDir)).toBe(pid);
  // On a busy machine the server may need some time to notice that the other process is gone.
  const members = "select from pg_locks where locktype = 'advisory' and mode = 'ShareLock'";
  await until(async () => (await queryOnce(ours.url, members)).length === 1);
  await ours.leave();
  expect(await isAlive(pid)).toBe(false);
});

test('after everything was killed, the server starts again with all committed data', async () => {
  const dataDir = await folderWithCluster();
  const child = await spawnMember(dataDir);
  await queryOnce(child.url, 'set synchronous_commit = on; create table seen as select 42 as answer');
  const pid = await postmasterPid(dataDir);
  await child.kill();
  process.kill(pid, 'SIGKILL');
  const ours = await enterHere(dataDir);
  expect(await postmasterPid(dataDir)).not.toBe(pid);
  expect(await queryOnce(ours.url, 'select answer from seen')).toEqual([{ answer: 42 }]);
});

test('the server starts although the pids in stale pid files belong to other programs now', async () => {
  const dataDir = await folderWithCluster();
  const child = await spawnMember(dataDir);
  const pid = await postmasterPid(dataDir);
  await child.kill();
  process.kill(pid, 'SIGKILL');
  await until(async () => !(await isAlive(pid)));
  for (const file of ['postgres/postmaster.pid', 'postgres-run/.s.PGSQL.5432.lock']) {
    const stranger = spawn('sleep', ['60'], { stdio: 'ignore' });
    children.push(stranger);
    const lines = (await readFile(path.join(dataDir, file), 'utf8')).split('\n');
    await writeFile(path.join(dataDir, file), [stranger.pid, ...lines.slice(1)].join('\n'));
  }
  expect(await isEmbeddedPostgresRunning(dataDir)).toBe(false);
  const ours = await enterHere(dataDir);
  expect(await queryOnce(ours.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('the server starts although a power cut left its pid file empty', async () => {
  const dataDir = await folderWithCluster();
  const pidFile = path.join(dataDir, 'postgres', 'postmaster.pid');
  await writeFile(pidFile, '');
  await utimes(pidFile, 1, 1);
  const ours = await enterHere(dataDir);
  expect(await queryOnce(ours.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('an interrupt of the process group does not reach the server', async () => {
  const dataDir = await folderWithCluster();
  const child = await spawnMember(dataDir, { detached: true });
  const pid = await postmasterPid(dataDir);
  await child.kill('SIGINT', 'group');
  await enterHere(dataDir);
  expect(await postmasterPid(dataDir)).toBe(pid);
});

test('a process that joins while the server stops waits and starts it again', async () => {
  const dataDir = await folderWithCluster();
  let current = await enterHere(dataDir);
  for (const delayMs of [0, 2, 5, 10, 20]) {
    const before = current;
    const [next] = await Promise.all([sleep(delayMs).then(() => enterHere(dataDir)), before.leave()]);
    expect(await queryOnce(next.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    current = next;
  }
  await current.leave();
  expect(await isEmbeddedPostgresRunning(dataDir)).toBe(false);
});

test('a lost presence connection is reopened, and a killed server is started again', async () => {
  const dataDir = await folderWithCluster();
  const ours = await enterHere(dataDir);
  const present = `select pid from pg_stat_activity where application_name = 'posthorn-presence'`;
  const [before] = await queryOnce(ours.url, present);
  await queryOnce(ours.url, `select pg_terminate_backend(pid) from (${present})`);
  await until(async () => {
    const [after] = await queryOnce(ours.url, present);
    return after !== undefined && after.pid !== before?.pid;
  });
  const pid = await postmasterPid(dataDir);
  process.kill(pid, 'SIGKILL');
  await until(async () => (await queryOnce(ours.url, present).catch(() => [])).length === 1);
  expect(await postmasterPid(dataDir)).not.toBe(pid);
  await ours.leave();
  expect(await isEmbeddedPostgresRunning(dataDir)).toBe(false);
});

test('a server that somebody asks to stop, and that waits for its connections, is started again', async () => {
  const dataDir = await folderWithCluster();
  const { url } = await enterHere(dataDir);
  const pid = await postmasterPid(dataDir);
  process.kill(pid, 'SIGTERM');
  await expect(queryOnce(url, 'select 1')).rejects.toThrow('shutting down');
  await until(async () => (await queryOnce(url, 'select 1 as one').catch(() => [])).length === 1);
  expect(await postmasterPid(dataDir)).not.toBe(pid);
});

test('the presence connection alone does not keep a process alive, but leaving a killed server does', async () => {
  const dataDir = await folderWithCluster();
  await spawnMember(dataDir, { idle: true }).then(({ exited }) => exited);
  const member = await spawnMember(dataDir);
  process.kill(await postmasterPid(dataDir), 'SIGKILL');
  await until(async () => (await queryOnce(member.url, 'select 1').catch(() => [])).length === 0);
  await member.leave();
});

test('the error of a failed start contains the end of the log', async () => {
  const dataDir = await folderWithCluster();
  const broken = enterHere(dataDir, { extraSettings: { shared_buffers: 'plenty' } });
  await expect(broken).rejects.toThrow(/did not start.*invalid value.*"shared_buffers".*DATABASE_URL/s);
});

test('a data folder with a very long path has its socket in another private folder', async () => {
  const dataDir = await folderWithCluster('long'.repeat(40));
  const ours = await enterHere(dataDir);
  const socketDir = new URL(ours.url).searchParams.get('host') ?? '';
  folders.push(socketDir);
  expect(await queryOnce(ours.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(await modeOf(socketDir)).toBe(0o700);
});

test('missing library links and execute bits of the package are repaired in place', async () => {
  const nativeDir = await brokenPackage();
  const dataDir = await folderWithCluster();
  const ours = await enterHere(dataDir, quick, { ...machineHere(), nativeDir });
  expect(await queryOnce(ours.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test.skipIf(!isRoot)('root: a private folder keeps its owner and its mode', async () => {
  expect(await modeOf(finished)).toBe(0o700);
  for (const name of await readdir(finished)) expect((await stat(path.join(finished, name))).uid).toBe(0);
});

test.skipIf(!isRoot)('root: in a folder open to others an unprivileged user always runs it', async () => {
  const dataDir = await temporaryFolder();
  await chmod(dataDir, 0o755);
  await (await enterHere(dataDir)).leave();
  const { uid } = await stat(path.join(dataDir, 'postgres'));
  expect(uid).not.toBe(0);
  expect(await modeOf(path.join(dataDir, 'postgres'))).toBe(0o700);
  await enterHere(dataDir);
  expect((await stat(`/proc/${await postmasterPid(dataDir)}`)).uid).toBe(uid);
});

test.skipIf(!isRoot)('root without namespaces: a private cluster changes its owner in place', async () => {
  const dataDir = await folderWithCluster();
  await enterHere(dataDir, quick, { ...machineHere(), namespaces: false });
  expect((await stat(path.join(dataDir, 'postgres'))).uid).not.toBe(0);
  expect(await modeOf(dataDir)).toBe(0o710);
});

test.skipIf(!isRoot)('root without namespaces, in a private folder: the cluster is outside', async () => {
  const closed = await temporaryFolder();
  const outsideDir = await temporaryFolder();
  await chmod(outsideDir, 0o755);
  const dataDir = path.join(closed, 'data');
  folders.push(dataDir);
  const machine = { ...machineHere(), namespaces: false, outsideDir };
  const first = await enterHere(dataDir, quick, machine);
  await queryOnce(first.url, 'create table seen as select 42 as answer');
  expect(await isEmbeddedPostgresRunning(dataDir)).toBe(true);
  await first.leave();
  const second = await enterHere(dataDir, quick, { ...machine, namespaces: true });
  expect(await queryOnce(second.url, 'select answer from seen')).toEqual([{ answer: 42 }]);
  await second.leave();
  expect((await readdir(dataDir)).toSorted()).toEqual(['postgres.location', 'postgres.log']);

  await run('rm', ['-r', outsideDir]);
  await expect(enterHere(dataDir, quick, machine)).rejects.toThrow(/does not exist/);
});

test('an ordinary user copies a broken package that is not writable', async ({ skip }) => {
  const asNobody = { uid: nobody, gid: nobody };
  const { status } = spawnSync('head', ['-c1', import.meta.filename, process.execPath], asNobody);
  skip(status !== 0, 'needs root, and a checkout and a Node.js that every user may read');
  const nativeDir = await brokenPackage();
  const dataDir = await temporaryFolder();
  await chown(dataDir, nobody, nobody);
  const child = await spawnMember(dataDir, { ...asNobody, nativeDir });
  expect((await stat(`/proc/${await postmasterPid(dataDir)}`)).uid).toBe(nobody);
  expect(await queryOnce(child.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await child.leave();
  expect(await isEmbeddedPostgresRunning(dataDir)).toBe(false);
});

/** Always leaves at the end of the test, because a process that stays would start the server again. */
async function enterHere(dataDir: string, options: ServerOptions = quick, machine?: Machine) {
  const here = await (machine
    ? joinOrStart(machine, dataDir, options)
    : openEmbeddedPostgres(dataDir, options));
  entered.push(here);
  return here;
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'posthorn-embedded-'));
  folders.push(folder);
  return folder;
}

async function folderWithCluster(name = 'data'): Promise<string> {
  const dataDir = path.join(await temporaryFolder(), name);
  if (isRoot) await chmod(path.dirname(dataDir), 0o755);
  await run('cp', ['-a', finished, dataDir]);
  folders.push(dataDir);
  return dataDir;
}

/** Returns a package as npm installs it without install scripts and file modes. */
async function brokenPackage(): Promise<string> {
  const folder = await temporaryFolder();
  await chmod(folder, 0o755);
  const packaged = path.dirname(packagedBinaries());
  await run('cp', ['-a', path.join(packaged, 'package.json'), path.join(packaged, 'native'), folder]);
  const links = JSON.parse(await readFile(path.join(folder, 'native/pg-symlinks.json'), 'utf8'));
  for (const { target } of links) await run('rm', [path.join(folder, target)]);
  for (const program of ['initdb', 'pg_ctl', 'postgres'])
    await chmod(path.join(folder, 'native/bin', program), 0o644);
  return path.join(folder, 'native');
}

function machineHere(): Machine {
  return { nativeDir: packagedBinaries(), namespaces: true, outsideDir: '/nowhere' };
}

/** Starts another process that joins the server and leaves when its standard input ends. */
async function spawnMember(
  dataDir: string,
  how: { detached?: boolean; idle?: boolean; uid?: number; gid?: number; nativeDir?: string } = {},
) {
  const { nativeDir, idle = false, ...options } = how;
  const bundle = path.join(inject('threadsFolder'), 'join-or-start.js');
  const program = `
    const { joinOrStart } = await import(${JSON.stringify(bundle)});
    const machine = ${JSON.stringify({ ...machineHere(), ...(nativeDir ? { nativeDir } : {}) })};
    const { url, leave } = await joinOrStart(machine, ${JSON.stringify(dataDir)}, ${JSON.stringify(quick)});
    console.log(url);
    const end = async () => process.exitCode = void (await leave());
    if (!${idle}) process.exitCode = 1, process.stdin.once('end', end).resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...options,
  });
  children.push(child);
  let complaints = '';
  child.stderr.on('data', (chunk) => (complaints += chunk));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve);
    child.once('exit', () => setTimeout(() => reject(new Error(complaints)), 100));
  });
  return {
    url,
    exited,
    async leave() {
      child.stdin.end();
      await exited;
      expect([child.exitCode, complaints]).toEqual([0, '']);
    },
    async kill(signal: NodeJS.Signals = 'SIGKILL', whom?: 'group') {
      process.kill(whom === 'group' ? -child.pid! : child.pid!, signal);
      await exited;
    },
  };
}

async function postmasterPid(dataDir: string): Promise<number> {
  const home = await findClusterDir(dataDir);
  const postmaster = home && (await readPostmaster(home.clusterDir));
  if (!postmaster) throw new Error(`no server in ${dataDir}`);
  return postmaster.pid;
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  await vi.waitUntil(isTrue, { timeout: 60_000, interval: 20 });
}

/** False for a zombie, which waits for init to reap it. */
async function isAlive(pid: number): Promise<boolean> {
  const { stdout } = await run('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => ({ stdout: 'Z' }));
  return !stdout.startsWith('Z');
}

async function modeOf(file: string): Promise<number> {
  return (await stat(file)).mode & 0o777;
}

async function remove(folder: string): Promise<void> {
  const home = await findClusterDir(folder).catch(() => undefined);
  const postmaster = home && (await readPostmaster(home.clusterDir));
  if (home && postmaster && (await isPostmasterOf(home.clusterDir, postmaster.pid))) {
    process.kill(postmaster.pid, 'SIGQUIT');
    await until(async () => !(await isAlive(postmaster.pid)));
  }
  // Fifty times faster than node's rm() on the thousand files of a cluster.
  await run('rm', ['-rf', folder]);
}
