/** Opens what every process of an instance needs: the database and the instance secret. */
import type { Config } from './config.ts';
import { loadInstanceSecret, parseInstanceSecret } from './platform/crypto.ts';
import { openDatabase, refuseOldServer, type Database } from './platform/database.ts';
import { openEmbeddedPostgres } from './platform/embedded-postgres.ts';
import { prepareJobs } from './platform/jobs.ts';
import type { Log } from './platform/log.ts';
import { useObjectStore } from './platform/object-store/object-store-of.ts';
import { openObjectStore, type OpenStore } from './platform/object-store/open-store.ts';
import { migrate } from './platform/migrations.ts';

export interface Instance extends Database {
  databaseUrl: string;
  secret: Buffer;
  /** Null without BLOB_URL. */
  objectStore: OpenStore | null;
}

export async function openInstance(
  config: Config,
  log: Log,
  options: { migrate: boolean; unhurried?: boolean } = { migrate: true },
): Promise<Instance> {
  const embedded = config.databaseUrl ? null : await openEmbeddedPostgres(config.dataDir);
  const databaseUrl = config.databaseUrl ?? embedded!.url;
  const database = openDatabase(databaseUrl, {
    connections: config.databaseConnections,
    unhurried: options.unhurried,
    onError: (error) => log.warn({ reason: error.message }, 'database connection lost'),
  });
  let objectStore: OpenStore | null = null;
  async function close(): Promise<void> {
    await database.close();
    await objectStore?.store.close();
    await embedded?.leave();
  }
  try {
    await refuseOldServer(database.pool);
    if (options.migrate) await migrateAll(database, log);
    const secret = config.instanceSecret
      ? parseInstanceSecret(config.instanceSecret)
      : loadInstanceSecret(config.dataDir);
    objectStore = config.blobUrl && openObjectStore(config.blobUrl, secret, log);
    useObjectStore(database.pool, objectStore?.store ?? null);
    return { ...database, databaseUrl, secret, objectStore, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Migrates our own tables, then those of the job queue. Returns the names of the migrations that ran. */
export async function migrateAll({ pool }: Pick<Database, 'pool'>, log: Log): Promise<string[]> {
  const ran = await migrate(pool);
  await prepareJobs(pool, log);
  return ran;
}
