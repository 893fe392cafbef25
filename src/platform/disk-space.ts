/**
 * Decides whether there is space for writes that can grow. PostgreSQL stops when its disk is full, so the last
 * MIN_FREE_DISK_MB are kept for it, for deletions and for small writes such as sign-ins.
 * - The disk of DATA_DIR, and that of the embedded database if it is on another one, are measured.
 * - A database on another machine cannot be measured. When it reports that its disk is full, the disk counts as full for
 *   30 s; then a write finds out again.
 *
 * Each change of the state is logged once. Errors that come from it need no further log line.
 */
import { statfs } from 'node:fs/promises';
import { AppError } from './errors.ts';
import type { Log } from './log.ts';

export interface DiskSpace {
  /** Throws UNAVAILABLE while the disk is full. Every door calls it before a write that can grow. */
  require(): Promise<void>;
  /** Returns since when the disk is full; null if it is not. */
  fullSince(): Promise<Date | null>;
  /** Returns the free bytes of the fullest of our disks. */
  freeBytes(): Promise<number>;
  /** Called when PostgreSQL has reported that its disk is full. */
  reportFull(): void;
  close(): void;
}

const FRESH_MS = 1_000;
/** Notices a change while there are no writes, so that it is logged. */
const LOOK_EVERY_MS = 10_000;
const DATABASE_FULL_MS = 30_000;
const MIB = 1024 * 1024;

export interface DiskOptions {
  /** Folders that do not exist count as empty disks. */
  folders: readonly string[];
  /** 0 turns the measurement off. */
  minFreeMb: number;
  log: Log;
}

export function watchDiskSpace({ folders, minFreeMb, log }: DiskOptions): DiskSpace {
  let reading: Promise<number> | undefined;
  let freshUntilMs = 0;
  let databaseFullUntilMs = 0;
  let since: Date | null = null;

  async function freeBytes(): Promise<number> {
    if (!reading || performance.now() > freshUntilMs) {
      reading = Promise.all(folders.map(readFreeBytes)).then((all) => Math.min(...all));
      freshUntilMs = performance.now() + FRESH_MS;
    }
    return reading;
  }

  /** Returns why the disk is full; null if it is not. */
  async function findReason(): Promise<string | null> {
    const freeMb = minFreeMb === 0 ? Infinity : Math.floor((await freeBytes()) / MIB);
    let reason: string | null = null;
    if (freeMb < minFreeMb)
      reason = `The disk is full: ${freeMb} MiB are free, and MIN_FREE_DISK_MB is ${minFreeMb}.`;
    else if (performance.now() < databaseFullUntilMs) reason = 'The disk of the database is full.';
    if (reason !== null && since === null) {
      since = new Date();
      log.error({ reason }, 'disk: full, so that nothing is stored');
    } else if (reason === null && since !== null) {
      log.warn({ since }, 'disk: has space again');
      since = null;
    }
    return reason;
  }

  const timer = setInterval(() => void findReason(), LOOK_EVERY_MS).unref();
  return {
    async require() {
      const reason = await findReason();
      if (reason === null) return;
      throw new AppError('UNAVAILABLE', `${reason} Try again later.`, {
        retryAfterSeconds: 60,
        isReported: true,
      });
    },
    async fullSince() {
      await findReason();
      return since;
    },
    freeBytes,
    reportFull() {
      databaseFullUntilMs = performance.now() + DATABASE_FULL_MS;
      void findReason();
    },
    close: () => clearInterval(timer),
  };
}

/** If the free space cannot be read, for example because the folder does not exist, the disk counts as empty. */
async function readFreeBytes(folder: string): Promise<number> {
  return statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => Infinity,
  );
}
