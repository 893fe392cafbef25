import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { packagedBinaries } from './embedded-postgres/binaries.ts';
import { enter } from './embedded-postgres/enter.ts';
import { findHome } from './embedded-postgres/home.ts';
import { isPostmasterOf, readPostmaster } from './embedded-postgres/postmaster.ts';
import type { Machine } from './embedded-postgres/runner.ts';
import type { ServerOptions } from './embedded-postgres/settings.ts';
import { enterEmbeddedPostgres, isEmbeddedPostgresRunning } from './embedded-postgres.ts';
import type { EmbeddedPostgres } from './embedded-postgres.ts';

const run = promisify(execFile);
const quick = { durable: false, extraSettings: { shared_buffers: '16MB' } };
const isRoot = process.getuid?.() === 0;
const nobody = 65534;
const folders: string[] = [];
const entered: EmbeddedPostgres[] = [];
const children: ChildProcess[] = [];
/** A data folder with a finished cluster: copying it is much quicker than making one. */
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

test('the first start makes the database and the second finds what was written', async () => {
  const dataDir = path.join(await temporaryFolder(), 'not', 'there', 'yet');
  expect(await isEmbeddedPostgresRunning(dataDir)).toBe(false);
  const first = await enterHere(dataDir, {});
  folders.push(dataDir);
  await query(first.url, 'create table seen as select 42 as answer');
  const settings = await query(
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
    await query(second.url, `select answer, current_setting('max_connections') as max from seen`),
  ).toEqual([{ answer: 42, max: '33' }]);
});

test('two that start together end with one cluster, one server, and nothing unfinished of anyone', async () => {
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

test('the first of two to leave lets the server run, the last one stops it', async () => {
  const dataDir = await folderWithCluster();
  const child = await spawnMember(dataDir);
  const pid = await postmasterPid(dataDir);
  const ours = await enterHere(dataDir);
  await child.leave();
  expect(await query(ours.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(await postmasterPid(dataDir)).toBe(pid);
  await ours.leave();
  expect(await isAlive(pid)).toBe(false);
});

test('a server whose owner was killed is taken over, and goes with the next one who leaves', async () => {
  const dataDir = await folderWithCluster();
  const child = await spawnMember(dataDir);
  const pid = await postmasterPid(dataDir);
  await child.kill();
  const ours = await enterHere(dataDir);
  expect(await postmasterPid(dataDir)).toBe(pid);
  // On a busy machine the server takes its time to notice that the other one is gone.
  const members = "select from pg_locks where locktype = 'advisory' and mode = 'ShareLock'";
  await until(async () => (await query(ours.url, members)).length === 1);
  await ours.leave();
  expect(await isAlive(pid)).toBe(false);
});

test('after a kill of everything the server starts again with all that was committed', async () => {
  const dataDir = await folderWithCluster();
  const child = await spawnMember(dataDir);
  await query(child.url, 'set synchronous_commit = on; create table seen as select 42 as answer');
  const pid = await postmasterPid(dataDir);
  await child.kill();
  process.kill(pid, 'SIGKILL');
  const ours = await enterHere(dataDir);
  expect(await postmasterPid(dataDir)).not.toBe(pid);
  expect(await query(ours.url, 'select answer from seen')).toEqual([{ answer: 42 }]);
});

test('pid files of a killed server whose numbers are other programs by now do not stop the start', async () => {
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
  expect(await query(ours.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a pid file that a power cut left empty does not stop the start', async () => {
  const dataDir = await folderWithCluster();
  const pidFile = path.join(dataDir, 'postgres', 'postmaster.pid');
  await writeFile(pidFile, '');
  await utimes(pidFile, 1, 1);
  const ours = await enterHere(dataDir);
  expect(await query(ours.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('an interrupt of the process group does not reach the server', async () => {
  const dataDir = await folderWithCluster();
  const child = await spawnMember(dataDir, { detached: true });
  const pid = await postmasterPid(dataDir);
  await child.kill('SIGINT', 'group');
  await enterHere(dataDir);
  expect(await postmasterPid(dataDir)).toBe(pid);
});

test('one who comes while the server stops waits and starts it anew', async () => {
  const dataDir = await folderWithCluster();
  let current = await enterHere(dataDir);
  for (const delayMs of [0, 2, 5, 10, 20]) {
    const before = current;
    const [next] = await Promise.all([sleep(delayMs).then(() => enterHere(dataDir)), before.leave()]);
    expect(await query(next.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    current = next;
  }
  await current.leave();
  expect(await isEmbeddedPostgresRunning(dataDir)).toBe(false);
});

test('a lost presence comes back by itself, and with it a server that was killed', async () => {
  const dataDir = await folderWithCluster();
  const ours = await enterHere(dataDir);
  const present = `select pid from pg_stat_activity where application_name = 'posthorn-presence'`;
  const [before] = await query(ours.url, present);
  await query(ours.url, `select pg_terminate_backend(pid) from (${present})`);
  await until(async () => {
    const [after] = await query(ours.url, present);
    return after !== undefined && after.pid !== before?.pid;
  });
  const pid = await postmasterPid(dataDir);
  process.kill(pid, 'SIGKILL');
  await until(async () => (await query(ours.url, present).catch(() => [])).length === 1);
  expect(await postmasterPid(dataDir)).not.toBe(pid);
  await ours.leave();
  expect(await isEmbeddedPostgresRunning(dataDir)).toBe(false);
});

test('the presence alone does not keep a process alive', async () => {
  const dataDir = await folderWithCluster();
  const child = await spawnMember(dataDir, { idle: true });
  await child.exited;
});

test('a start that fails says why, with the end of the log', async () => {
  const dataDir = await folderWithCluster();
  const broken = enterHere(dataDir, { extraSettings: { shared_buffers: 'plenty' } });
  await expect(broken).rejects.toThrow(/did not start.*invalid value.*"shared_buffers".*DATABASE_URL/s);
});

test('a data folder with a very long path keeps its socket elsewhere, for us alone', async () => {
  const dataDir = await folderWithCluster('long'.repeat(40));
  const ours = await enterHere(dataDir);
  const socketDir = new URL(ours.url).searchParams.get('host') ?? '';
  folders.push(socketDir);
  expect(await query(ours.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(await modeOf(socketDir)).toBe(0o700);
});

test('missing library links and x bits of the package are repaired in place', async () => {
  const nativeDir = await brokenPackage();
  const dataDir = await folderWithCluster();
  const ours = await enterHere(dataDir, quick, { ...machineHere(), nativeDir });
  expect(await query(ours.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test.skipIf(!isRoot)('root: a private folder keeps its owner and its mode', async () => {
  expect(await modeOf(finished)).toBe(0o700);
  for (const name of await readdir(finished)) expect((await stat(path.join(finished, name))).uid).toBe(0);
});

test.skipIf(!isRoot)('root: in a folder open to others an unprivileged user runs it, for good', async () => {
  const dataDir = await temporaryFolder();
  await chmod(dataDir, 0o755);
  await (await enterHere(dataDir)).leave();
  const { uid } = await stat(path.join(dataDir, 'postgres'));
  expect(uid).not.toBe(0);
  expect(await modeOf(path.join(dataDir, 'postgres'))).toBe(0o700);
  await enterHere(dataDir);
  expect((await stat(`/proc/${await postmasterPid(dataDir)}`)).uid).toBe(uid);
});

test.skipIf(!isRoot)('root without namespaces: a private cluster changes hands where it lies', async () => {
  const dataDir = await folderWithCluster();
  await enterHere(dataDir, quick, { ...machineHere(), namespaces: false });
  expect((await stat(path.join(dataDir, 'postgres'))).uid).not.toBe(0);
  expect(await modeOf(dataDir)).toBe(0o710);
});

test.skipIf(!isRoot)('root without namespaces, in a closed place: the cluster lives outside', async () => {
  const closed = await temporaryFolder();
  const outsideDir = await temporaryFolder();
  await chmod(outsideDir, 0o755);
  const dataDir = path.join(closed, 'data');
  folders.push(dataDir);
  const machine = { ...machineHere(), namespaces: false, outsideDir };
  const first = await enterHere(dataDir, quick, machine);
  await query(first.url, 'create table seen as select 42 as answer');
  expect(await isEmbeddedPostgresRunning(dataDir)).toBe(true);
  await first.leave();
  const second = await enterHere(dataDir, quick, { ...machine, namespaces: true });
  expect(await query(second.url, 'select answer from seen')).toEqual([{ answer: 42 }]);
  await second.leave();
  expect((await readdir(dataDir)).toSorted()).toEqual(['postgres.location', 'postgres.log']);

  await run('rm', ['-r', outsideDir]);
  await expect(enterHere(dataDir, quick, machine)).rejects.toThrow(/is not there/);
});

test('an ordinary user copies a broken package that it may not repair', async ({ skip }) => {
  const asNobody = { uid: nobody, gid: nobody };
  const { status } = spawnSync('head', ['-c1', import.meta.filename, process.execPath], asNobody);
  skip(status !== 0, 'needs root, and a checkout and a Node.js that every user may read');
  const nativeDir = await brokenPackage();
  const dataDir = await temporaryFolder();
  await chown(dataDir, nobody, nobody);
  const child = await spawnMember(dataDir, { ...asNobody, nativeDir });
  expect((await stat(`/proc/${await postmasterPid(dataDir)}`)).uid).toBe(nobody);
  expect(await query(child.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await child.leave();
  expect(await isEmbeddedPostgresRunning(dataDir)).toBe(false);
});

/** Left at the end of the test, whatever happens: one who stays would bring the server back. */
async function enterHere(dataDir: string, options: ServerOptions = quick, machine?: Machine) {
  const here = await (machine ? enter(machine, dataDir, options) : enterEmbeddedPostgres(dataDir, options));
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

/** As npm leaves it when install scripts are off, and modes are lost. */
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

/** Another process that enters, and leaves when its standard input ends. */
async function spawnMember(
  dataDir: string,
  how: { detached?: boolean; idle?: boolean; uid?: number; gid?: number; nativeDir?: string } = {},
) {
  const { nativeDir, idle = false, ...options } = how;
  const here = JSON.stringify(import.meta.dirname);
  const program = `
    const { enter } = await import(${here} + '/embedded-postgres/enter.ts');
    const machine = ${JSON.stringify({ ...machineHere(), ...(nativeDir ? { nativeDir } : {}) })};
    const { url, leave } = await enter(machine, ${JSON.stringify(dataDir)}, ${JSON.stringify(quick)});
    console.log(url);
    if (!${idle}) process.stdin.once('end', leave).resume();`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
    cwd: path.resolve(import.meta.dirname, '../..'),
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
      expect(complaints).toBe('');
    },
    async kill(signal: NodeJS.Signals = 'SIGKILL', whom?: 'group') {
      process.kill(whom === 'group' ? -child.pid! : child.pid!, signal);
      await exited;
    },
  };
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function postmasterPid(dataDir: string): Promise<number> {
  const home = await findHome(dataDir);
  const postmaster = home && (await readPostmaster(home.clusterDir));
  if (!postmaster) throw new Error(`no server in ${dataDir}`);
  return postmaster.pid;
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 8000;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error('waited in vain');
    await sleep(20);
  }
}

/** Not so a zombie: the orphans of killed processes wait for init to take note of their end. */
async function isAlive(pid: number): Promise<boolean> {
  const { stdout } = await run('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => ({ stdout: 'Z' }));
  return !stdout.startsWith('Z');
}

async function modeOf(file: string): Promise<number> {
  return (await stat(file)).mode & 0o777;
}

async function remove(folder: string): Promise<void> {
  const home = await findHome(folder).catch(() => undefined);
  const postmaster = home && (await readPostmaster(home.clusterDir));
  if (home && postmaster && (await isPostmasterOf(home.clusterDir, postmaster.pid))) {
    process.kill(postmaster.pid, 'SIGQUIT');
    await until(async () => !(await isAlive(postmaster.pid)));
  }
  // Fifty times quicker than rm() of node on the thousand files of a cluster.
  await run('rm', ['-rf', folder]);
}
