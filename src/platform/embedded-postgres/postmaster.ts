/** Reads the state of a running server from postmaster.pid in its cluster, and stops the server. */
import { execFile } from 'node:child_process';
import { readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { programPath } from './binaries.ts';
import { isMissing } from './error-codes.ts';
import { commandFor, isProcessAlive, runToEnd } from './processes.ts';

export interface Postmaster {
  pid: number;
  /** The folder of its socket, or its IP address. */
  host: string;
  port: number;
  isReady: boolean;
  isStopping: boolean;
}

const BROKEN_AFTER_MS = 5000;
const FAST_STOP_MS = 8000;
const IMMEDIATE_STOP_MS = 3000;

/** Returns the content of the file. It may be stale, because the file stays after a kill -9. */
export async function readPostmaster(clusterDir: string): Promise<Postmaster | undefined> {
  let lines: string[];
  try {
    lines = (await readFile(path.join(clusterDir, 'postmaster.pid'), 'utf8')).split('\n');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  // PostgreSQL writes these lines one by one during its start.
  // The lines: pid, data folder, start time, port, socket folder, address, shared memory key, status.
  const [pid, , , port, socketDir, , , status] = lines.map((line) => line.trim());
  if (!pid || !(Number(pid) > 0)) return undefined;
  return {
    pid: Number(pid),
    host: socketDir || '127.0.0.1',
    port: Number(port),
    isReady: status === 'ready',
    isStopping: status === 'stopping',
  };
}

/** A power cut can leave the file empty or full of zeros, and PostgreSQL does not start until it is removed. */
export async function removeBrokenPidFile(clusterDir: string): Promise<void> {
  if (await readPostmaster(clusterDir)) return;
  const file = path.join(clusterDir, 'postmaster.pid');
  const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Date.now() }));
  // A starting server writes its pid within milliseconds, so a recent file is left alone.
  if (Date.now() - mtimeMs > BROKEN_AFTER_MS) await rm(file, { force: true });
}

/** True if the process with this pid is the server of this cluster, and not another process that reuses the pid. */
export async function isPostmasterOf(clusterDir: string, pid: number): Promise<boolean> {
  if (!isProcessAlive(pid)) return false;
  if (process.platform === 'linux') return isPostmasterInProc(clusterDir, pid);
  if (process.platform === 'win32') {
    const tasks = await outputOf('tasklist', ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH']);
    return tasks.includes('postgres.exe');
  }
  const command = await outputOf('ps', ['-o', 'command=', '-p', String(pid)]);
  return command.includes('postgres') && command.includes(clusterDir);
}

async function outputOf(file: string, args: string[]): Promise<string> {
  return promisify(execFile)(file, args).then(
    ({ stdout }) => stdout,
    () => '',
  );
}

async function isPostmasterInProc(clusterDir: string, pid: number): Promise<boolean> {
  // The command line of a zombie is empty.
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const [program = '', ...args] = commandLine.split('\0');
  // Child processes of the server are called "postgres: …".
  if (path.basename(program) !== 'postgres') return false;
  try {
    // The server's working directory is its cluster, even if the folder was renamed.
    const [there, here] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(clusterDir)]);
    return there.ino === here.ino && there.dev === here.dev;
  } catch {
    // A container may forbid reading /proc even to root.
    return args.includes(clusterDir);
  }
}

/** Shuts the server down: it ends all connections and writes a checkpoint. Waits until the process has exited. */
export async function stopPostmaster(clusterDir: string, nativeDir: string): Promise<void> {
  const postmaster = await readPostmaster(clusterDir);
  // A server in another container is invisible here; the processes of that container stop it.
  if (!postmaster || !(await isPostmasterOf(clusterDir, postmaster.pid))) return;
  const { pid } = postmaster;
  await signal('fast', clusterDir, nativeDir, pid);
  if (await isGone(clusterDir, pid, FAST_STOP_MS)) return;
  // An immediate stop loses no committed data: the next start recovers it from the WAL.
  await signal('immediate', clusterDir, nativeDir, pid);
  await isGone(clusterDir, pid, IMMEDIATE_STOP_MS);
}

async function signal(
  mode: 'fast' | 'immediate',
  clusterDir: string,
  nativeDir: string,
  pid: number,
): Promise<void> {
  try {
    if (process.platform !== 'win32') {
      process.kill(pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
      return;
    }
    // Windows has no signals, and pg_ctl uses PostgreSQL's own emulation.
    const args = ['stop', '-D', clusterDir, '-m', mode, '-W', '-s'];
    await runToEnd(commandFor({ how: 'directly' }, programPath(nativeDir, 'pg_ctl'), args), 5000);
  } catch {
    // The server has already exited; if not, the wait below notices.
  }
}

async function isGone(clusterDir: string, pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    if (!(await isPostmasterOf(clusterDir, pid))) return true;
    await sleep(10);
  }
  return false;
}
