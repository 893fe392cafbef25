/**
 * Folders are created under a temporary name and renamed when complete. A killed process leaves nothing that looks
 * complete, and of two processes that create the same folder one wins the rename.
 */
import { randomBytes } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from './error-codes.ts';
import { isProcessAlive } from './processes.ts';

/** Far longer than creating a folder takes. After a reboot the pid in its name may belong to another process. */
const ABANDONED_AFTER_MS = 10 * 60_000;

export function unfinishedPath(finished: string): string {
  return `${finished}.new-${process.pid}-${randomBytes(4).toString('hex')}`;
}

/**
 * Moves a complete folder to its final name. Returns false, and keeps the existing one, if another process was first.
 */
export async function moveIntoPlace(unfinished: string, finished: string): Promise<boolean> {
  try {
    await rename(unfinished, finished);
    return true;
  } catch (error) {
    // The target is not empty: Windows reports EPERM, Linux ENOTEMPTY, others EEXIST.
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST', 'EPERM') && (await isFolder(finished))) return false;
    throw error;
  }
}

/** Deletes unfinished folders of killed processes. */
export async function sweepUnfinished(dir: string): Promise<void> {
  for (const name of await readdir(dir)) {
    const creatorPid = /^postgres.*\.new-(\d+)-[0-9a-f]{8}$/.exec(name)?.[1];
    if (!creatorPid) continue;
    const leftover = path.join(dir, name);
    if (isProcessAlive(Number(creatorPid)) && !(await isAbandoned(leftover))) continue;
    // An orphaned initdb may still be writing there. The next sweep deletes the folder then.
    await rm(leftover, { recursive: true, force: true }).catch(() => {});
  }
}

async function isAbandoned(leftover: string): Promise<boolean> {
  const { birthtimeMs } = await stat(leftover).catch(() => ({ birthtimeMs: Date.now() }));
  return Date.now() - birthtimeMs > ABANDONED_AFTER_MS;
}

async function isFolder(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
