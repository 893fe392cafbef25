/** Starts the server in a session of its own, so that a Ctrl-C meant for us does not reach it. */
import { spawn } from 'node:child_process';
import { open, rename, stat } from 'node:fs/promises';
import { programPath } from './binaries.ts';
import type { Home } from './home.ts';
import { commandFor } from './processes.ts';
import type { Runner } from './runner.ts';

/** One start of the server. It may lose against one of another process, which is no failure. */
export interface Launch {
  /** What the server wrote into the log since then. */
  logged(): Promise<string>;
  /** How the process ended; undefined while it runs. */
  ended: string | undefined;
}

const largestLogBytes = 10 * 1024 * 1024;
const longestTailBytes = 4096;

export async function launch(home: Home & Runner, settings: string[], stalePid?: number): Promise<Launch> {
  const { size } = await stat(home.logFile).catch(() => ({ size: 0 }));
  if (size > largestLogBytes) await rename(home.logFile, `${home.logFile}.old`).catch(() => {});
  const log = await open(home.logFile, 'a', 0o600);
  try {
    const from = (await log.stat()).size;
    // That user may come without root the next time, and must be able to open it.
    if (home.runAs.how === 'user') await log.chown(home.runAs.uid, home.runAs.gid);
    const launched: Launch = { ended: undefined, logged: () => readFrom(home.logFile, from) };
    // A stale postmaster.pid whose number belongs to another program by now would stop PostgreSQL. It overlooks
    // the pid that it is told to be its grandparent's; so the file stays PostgreSQL's own to judge and replace.
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
    // Shorter than before when someone rotated it meanwhile.
    const start = Math.max(size >= from ? from : 0, size - longestTailBytes);
    const { buffer, bytesRead } = await log.read(Buffer.alloc(longestTailBytes), 0, size - start, start);
    return buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await log.close();
  }
}
