/**
 * Lets tests keep their files in memory. Each test file clones a database of some 400 files and deletes it again, which
 * takes a fifth of the work in memory.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const PREFIX = 'posthorn-tests-';
const NEEDED_BYTES = 4 * 2 ** 30;

/** Makes a folder in memory the temporary folder of this process and its children. It is removed when this one exits. */
export function useMemoryFolder(): void {
  if (process.env.TMPDIR !== undefined || !isUsable()) return;
  removeLeftovers();
  const folder = join(MEMORY, `${PREFIX}${process.pid}`);
  mkdirSync(folder);
  // As /tmp: tests start programs as other users.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}

/** Containers have little space there, and often one cannot run programs from it, as tests of packages do. */
function isUsable(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    const mount = readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === MEMORY);
    return bavail * bsize >= NEEDED_BYTES && mount !== undefined && !mount.includes('noexec');
  } catch {
    return false;
  }
}

/** Removes the folders of runs that were killed. */
function removeLeftovers(): void {
  for (const name of readdirSync(MEMORY).filter((each) => each.startsWith(PREFIX))) {
    if (!isRunning(Number(name.slice(PREFIX.length))))
      rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
