/** `posthorn backup`: everything of this moment into one file, while the server runs. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { openInstance } from '../instance.ts';
import { dump } from '../platform/backup/dump.ts';
import { emptyContents } from '../platform/backup/format.ts';
import { refuseExisting, writeBackupFile } from '../platform/backup/write-file.ts';
import { instanceSecretFile } from '../platform/crypto.ts';
import { createLog } from '../platform/log.ts';
import { showContents, showSize } from './show.ts';
import { readOptions, UsageError } from './usage.ts';

export async function backupCommand(args: string[], config: Config): Promise<void> {
  const { positionals } = readOptions(args, [], true);
  if (positionals.length > 1) throw new UsageError('Only one file can be written.');
  const file = resolve(positionals[0] ?? `posthorn-${nameOfMoment(new Date())}.backup`);
  refuseExisting(file);
  refuseWithoutSecret(config);
  const instance = await openInstance({ ...config, databaseConnections: 1 }, createLog('error'), {
    migrate: false,
    unhurried: true,
  });
  try {
    const client = await instance.pool.connect();
    const contents = emptyContents();
    const source = { secret: instance.secret, posthornVersion: posthornVersion() };
    const bytes = await writeBackupFile(file, dump(client, source, contents)).finally(() =>
      client.release(true),
    );
    console.log(`Wrote ${file} (${showSize(bytes)}): ${showContents(contents)}.`);
    console.log('It holds the instance secret and everything in the database: keep it as safe as those.');
  } finally {
    await instance.close();
  }
}

/** Opening the instance would make a new secret here, which opens nothing of what the backup holds. */
function refuseWithoutSecret(config: Config): void {
  const file = instanceSecretFile(config.dataDir);
  if (config.instanceSecret || existsSync(file)) return;
  throw new Error(
    `There is no instance to back up here: ${file} is missing, or this user may not see it. Run it as the user and with the DATA_DIR of the server, or set INSTANCE_SECRET.`,
  );
}

/** 2026-11-15T093000Z: in the order of time, and a name that every file system takes. */
function nameOfMoment(date: Date): string {
  return date.toISOString().replace(/\.\d+/, '').replaceAll(':', '');
}

function posthornVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
