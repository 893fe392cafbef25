/** `posthorn backup`: writes a snapshot of all data to one file while the server runs. */
import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { openInstance, type Instance } from '../instance.ts';
import { dump } from '../platform/backup/dump.ts';
import { emptyContents, type Contents } from '../platform/backup/format.ts';
import { refuseExisting, writeBackupFile } from '../platform/backup/write-file.ts';
import { AppError } from '../platform/errors.ts';
import { createLog } from '../platform/log.ts';
import { showContents, showSize } from './show.ts';
import { posthornVersion } from '../posthorn-version.ts';
import { readOptions, UsageError } from './usage.ts';
import { refuseWithoutSecret } from './with-instance.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export async function backupCommand(args: string[], config: Config): Promise<void> {
  const { positionals } = readOptions(args, [], { positionals: true });
  if (positionals.length > 1) throw new UsageError('Give only one file name.');
  const file = resolve(positionals[0] ?? `posthorn-${fileTime(new Date())}.backup`);
  refuseExisting(file);
  refuseWithoutSecret(config);
  const instance = await openInstance({ ...config, databaseConnections: 1 }, createLog('error'), {
    migrate: false,
    unhurried: true,
  });
  try {
    const contents = emptyContents();
    const bytes = await writeBackup(file, instance, contents);
    await noteBackup(instance, bytes);
    console.log(`Wrote ${file} (${showSize(bytes)}): ${showContents(contents)}.`);
    console.log('The file contains the instance secret and all data. Keep it in a safe place.');
    if (config.blobUrl)
      console.log('It does not contain the objects in the store of BLOB_URL. Back them up separately.');
  } finally {
    await instance.close();
  }
}

/** For monitoring. A backup of an older schema, or with a user who may only read, is a backup all the same. */
async function noteBackup({ pool }: Instance, bytes: number): Promise<void> {
  await pool
    .query(
      `insert into last_backup (at, bytes) values (now(), $1)
       on conflict (id) do update set at = excluded.at, bytes = excluded.bytes`,
      [bytes],
    )
    .catch(() => {});
}

/** A command that is interrupted leaves no unfinished file behind, which would hold all data. */
async function writeBackup(file: string, { pool, secret }: Instance, contents: Contents): Promise<number> {
  const client = await pool.connect();
  const stopping = new AbortController();
  const stop = () => {
    stopping.abort();
    // Ends a query that the backup waits for.
    client.end().catch(() => {});
  };
  for (const signal of SIGNALS) process.once(signal, stop);
  try {
    const frames = dump(client, { secret, posthornVersion: posthornVersion() }, contents);
    return await writeBackupFile(file, frames, stopping.signal);
  } catch (error) {
    throw stopping.signal.aborted ? new AppError('UNAVAILABLE', 'Interrupted. No file was written.') : error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
    client.release(true);
  }
}

/** Returns a time such as 2026-11-15T093000Z, which sorts by time and is valid in every file system. */
function fileTime(date: Date): string {
  return date.toISOString().replace(/\.\d+/, '').replaceAll(':', '');
}
