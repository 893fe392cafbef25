/**
 * A temporary folder for one run of the tests, in memory if there is space. Each test file clones a database of some
 * 400 files and deletes it again, which takes a fifth of the work in memory.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const PREFIX = 'posthorn-tests-';
const NEEDED_BYTES = 4 * 2 ** 30;

/** Makes a new folder the temporary folder of this process and its children, and removes it when this process exits. */
export function useOwnTemporaryFolder(): void {
  const parent = process.env.TMPDIR === undefined && hasSpaceInMemory() ? MEMORY : tmpdir();
  removeLeftovers(parent);
  const folder = join(parent, `${PREFIX}${process.pid}`);
  mkdirSync(folder);
  // As /tmp: tests start programs as other users.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}

/** Containers have little space there, and often one cannot run programs from it, as tests of packages do. */
function hasSpaceInMemory(): boolean {
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
function removeLeftovers(parent: string): void {
  const leftovers = readdirSync(parent)
    .filter((name) => name.startsWith(PREFIX))
    .filter((name) => !isRunning(Number(name.slice(PREFIX.length))));
  for (const name of leftovers) rmSync(join(parent, name), { recursive: true, force: true });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
