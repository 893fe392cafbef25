/**
 * Checks whether the disk of DATA_DIR, which holds the embedded database, is nearly full. PostgreSQL stops when the
 * disk is full.
 */
import { statfs } from 'node:fs/promises';
import { AppError } from './errors.ts';

export interface DiskSpace {
  /** Throws UNAVAILABLE when less than the minimum is free. */
  require(): Promise<void>;
}

const FRESH_MS = 1_000;
const MIB = 1024 * 1024;

/** `minFreeMb` of 0 turns the check off. */
export function watchDiskSpace(folder: string, minFreeMb: number): DiskSpace {
  let freeMb: Promise<number> | undefined;
  let freshUntilMs = 0;
  return {
    async require() {
      if (minFreeMb === 0) return;
      if (!freeMb || performance.now() > freshUntilMs) {
        freeMb = readFreeMb(folder);
        freshUntilMs = performance.now() + FRESH_MS;
      }
      if ((await freeMb) >= minFreeMb) return;
      throw new AppError(
        'UNAVAILABLE',
        `The disk is full: ${await freeMb} MiB are free, and MIN_FREE_DISK_MB is ${minFreeMb}.`,
        { retryAfterSeconds: 60 },
      );
    },
  };
}

/** If the free space cannot be read, for example because the folder does not exist, the disk counts as empty. */
async function readFreeMb(folder: string): Promise<number> {
  return statfs(folder).then(
    ({ bavail, bsize }) => Math.floor((bavail * bsize) / MIB),
    () => Infinity,
  );
}
