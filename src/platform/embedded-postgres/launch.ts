/** Starts the server in a session of its own, so that Ctrl-C does not reach it. */
import { spawn } from 'node:child_process';
import { open, rename, stat } from 'node:fs/promises';
import { programPath } from './binaries.ts';
import type { ClusterDir } from './cluster-dir.ts';
import { commandFor } from './processes.ts';
import type { Runner } from './runner.ts';

/** One start of the server. It may end because another process started the server first, which is not a failure. */
export interface Launch {
  /** Returns the last part of the log since this start. */
  logged(): Promise<string>;
  /** How the process ended; undefined while it runs. */
  ended: string | undefined;
}

const LARGEST_LOG_BYTES = 10 * 1024 * 1024;
const LONGEST_TAIL_BYTES = 4096;

export async function launch(
  home: ClusterDir & Runner,
  settings: string[],
  stalePid?: number,
): Promise<Launch> {
  const { size } = await stat(home.logFile).catch(() => ({ size: 0 }));
  if (size > LARGEST_LOG_BYTES) await rename(home.logFile, `${home.logFile}.old`).catch(() => {});
  const log = await open(home.logFile, 'a', 0o600);
  try {
    const from = (await log.stat()).size;
    // The next start may run as that user without root, and the user must be able to open the log.
    if (home.runAs.how === 'user') await log.chown(home.runAs.uid, home.runAs.gid);
    const launched: Launch = { ended: undefined, logged: () => readFrom(home.logFile, from) };
    // PostgreSQL does not start if the pid in a stale postmaster.pid now belongs to another process. It ignores the
    // pid of its grandparent, so passing the stale pid as the grandparent's lets PostgreSQL replace the file.
    const env = stalePid === undefined ? undefined : { PG_GRANDPARENT_PID: String(stalePid) };
    const program = programPath(home.nativeDir, 'postgres');
    const { file, args, options } = commandFor(
      home.runAs,
      program,
      ['-D', home.clusterDir, ...settings],
      env,
    );
    const child = spawn(file, args, { ...options, detached: true, stdio: ['ignore', log.fd, log.fd] });
    child.once('error', (error) => (launched.ended = error.message));
    child.once(
      'exit',
      (code, signal) => (launched.ended ??= signal ? `signal ${signal}` : `exit code ${code}`),
    );
    child.unref();
    return launched;
  } finally {
    await log.close();
  }
}

async function readFrom(file: string, from: number): Promise<string> {
  const log = await open(file, 'r');
  try {
    const { size } = await log.stat();
    // The file is shorter than before if it was rotated in the meantime.
    const start = Math.max(size >= from ? from : 0, size - LONGEST_TAIL_BYTES);
    const { buffer, bytesRead } = await log.read(Buffer.alloc(LONGEST_TAIL_BYTES), 0, size - start, start);
    return buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await log.close();
  }
}
