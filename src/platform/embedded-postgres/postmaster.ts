/** What is known about a running server, from the file postmaster.pid that it keeps in its cluster; stopping it. */
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
  /** The folder of its socket, or its address. */
  host: string;
  port: number;
  isReady: boolean;
}

const brokenAfterMs = 5000;
const fastStopMs = 8000;
const immediateStopMs = 3000;

/** What the file says, true or not: after a kill -9 it stays. */
export async function readPostmaster(clusterDir: string): Promise<Postmaster | undefined> {
  let lines: string[];
  try {
    lines = (await readFile(path.join(clusterDir, 'postmaster.pid'), 'utf8')).split('\n');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  // Written line by line during the start: pid, folder, time, port, socket folder, address, memory key, status.
  const [pid, , , port, socketDir, , , status] = lines.map((line) => line.trim());
  if (!pid || !(Number(pid) > 0)) return undefined;
  return {
    pid: Number(pid),
    host: socketDir || '127.0.0.1',
    port: Number(port),
    isReady: status === 'ready',
  };
}

/** A power cut can leave the file empty or full of zeros: PostgreSQL then waits for someone to remove it. */
export async function removeBrokenPidFile(clusterDir: string): Promise<void> {
  if (await readPostmaster(clusterDir)) return;
  const file = path.join(clusterDir, 'postmaster.pid');
  const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Date.now() }));
  // A server that starts this moment writes its pid within milliseconds.
  if (Date.now() - mtimeMs > brokenAfterMs) await rm(file, { force: true });
}

/** True when this pid is the server of this cluster, and not a program that came by the same number later. */
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
  // Empty for a zombie: dead, with a parent that does not care.
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const [program = '', ...args] = commandLine.split('\0');
  // Its children call themselves "postgres: …".
  if (path.basename(program) !== 'postgres') return false;
  try {
    // It works in its cluster, whatever the folder is called by now.
    const [there, here] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(clusterDir)]);
    return there.ino === here.ino && there.dev === here.dev;
  } catch {
    // A container may forbid even root to look there.
    return args.includes(clusterDir);
  }
}

/** Ends all connections, writes everything out, and waits until the server is gone. */
export async function stopPostmaster(clusterDir: string, nativeDir: string): Promise<void> {
  const postmaster = await readPostmaster(clusterDir);
  // Not to be seen from here when it runs in another container: then its own people stop it.
  if (!postmaster || !(await isPostmasterOf(clusterDir, postmaster.pid))) return;
  const { pid } = postmaster;
  await signal('fast', clusterDir, nativeDir, pid);
  if (await isGone(clusterDir, pid, fastStopMs)) return;
  // Loses nothing that was committed: the next start recovers it from the log.
  await signal('immediate', clusterDir, nativeDir, pid);
  await isGone(clusterDir, pid, immediateStopMs);
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
    // There are no signals there, and pg_ctl knows PostgreSQL's own.
    const args = ['stop', '-D', clusterDir, '-m', mode, '-W', '-s'];
    await runToEnd(commandFor({ how: 'directly' }, programPath(nativeDir, 'pg_ctl'), args), 5000);
  } catch {
    // Gone already; if it is not, the wait shows it.
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
