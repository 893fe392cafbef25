/**
 * Folders are made under an unfinished name and renamed when they are whole: whoever is killed on the way leaves
 * nothing that looks whole, and of two who make the same folder one wins the rename.
 */
import { randomBytes } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from './error-codes.ts';
import { isProcessAlive } from './processes.ts';

/** Far longer than making any of the folders takes. After a reboot a dead maker's pid may belong to another. */
const abandonedAfterMs = 10 * 60_000;

export function unfinishedPath(finished: string): string {
  return `${finished}.new-${process.pid}-${randomBytes(4).toString('hex')}`;
}

/** Moves a whole folder to its place. False when another process was quicker; what lies there then stays. */
export async function putInPlace(whole: string, finished: string): Promise<boolean> {
  try {
    await rename(whole, finished);
    return true;
  } catch (error) {
    // A folder that is not empty: Windows calls this EPERM, Linux ENOTEMPTY, others EEXIST.
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST', 'EPERM') && (await isFolder(finished))) return false;
    throw error;
  }
}

/** Deletes what killed processes left unfinished in this folder. */
export async function sweepUnfinished(dir: string): Promise<void> {
  for (const name of await readdir(dir)) {
    const maker = /^postgres.*\.new-(\d+)-[0-9a-f]{8}$/.exec(name)?.[1];
    if (!maker) continue;
    const leftover = path.join(dir, name);
    if (isProcessAlive(Number(maker)) && !(await isAbandoned(leftover))) continue;
    // An orphaned initdb may still be writing there; then it goes the next time.
    await rm(leftover, { recursive: true, force: true }).catch(() => {});
  }
}

async function isAbandoned(leftover: string): Promise<boolean> {
  const { birthtimeMs } = await stat(leftover).catch(() => ({ birthtimeMs: Date.now() }));
  return Date.now() - birthtimeMs > abandonedAfterMs;
}

async function isFolder(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
