/** Opens the resources that every process of an instance needs: the database and the instance secret. */
import type { Config } from './config.ts';
import { makeEventPartitions } from './features/events/event-partitions.ts';
import { claimForSecret, openSecret } from './open-secret.ts';
import { openDatabase, refuseOldServer, type Database } from './platform/database/database.ts';
import { watchDiskSpace, type DiskSpace } from './platform/disk-space.ts';
import { openEmbeddedPostgres } from './platform/embedded-postgres.ts';
import { findClusterDir } from './platform/embedded-postgres/cluster-dir.ts';
import type { Log } from './platform/log.ts';
import { useObjectStore } from './platform/object-store/object-store-of.ts';
import type { OpenStore } from './platform/object-store/open-store.ts';
import { migrate } from './platform/database/migrations.ts';

export interface Instance extends Database {
  databaseUrl: string;
  /** The URL of PostgreSQL itself, for connections that need a session. */
  directUrl: string;
  /** True if `databaseUrl` leads to a pooler in transaction mode. */
  isPooled: boolean;
  secret: Buffer;
  disk: DiskSpace;
  /** Null without BLOB_URL. */
  objectStore: OpenStore | null;
}

interface OpenOptions {
  migrate: boolean;
  unhurried?: boolean;
  /** Uses this secret without comparing it with the database, for a restore, which replaces both. */
  secret?: Buffer;
}

export async function openInstance(
  config: Config,
  log: Log,
  options: OpenOptions = { migrate: true },
): Promise<Instance> {
  const embedded = config.databaseUrl ? null : await openEmbeddedPostgres(config.dataDir);
  const databaseUrl = config.databaseUrl ?? embedded!.url;
  const directUrl = config.databaseDirectUrl ?? databaseUrl;
  const isPooled = directUrl !== databaseUrl && !options.unhurried;
  const disk = watchDiskSpace({ folders: await dataFolders(config), minFreeMb: config.minFreeDiskMb, log });
  const onError = (error: Error) => log.warn({ reason: error.message }, 'database connection lost');
  const database = openDatabase(isPooled ? databaseUrl : directUrl, {
    connections: config.databaseConnections,
    unhurried: options.unhurried,
    isPooled,
    onError,
    onDiskFull: disk.reportFull,
  });
  let objectStore: OpenStore | null = null;
  async function close(): Promise<void> {
    disk.close();
    await database.close();
    await objectStore?.store.close();
    await embedded?.leave();
  }
  try {
    await refuseOldServer(database.pool);
    // Before the migrations, so that a start with another secret changes nothing.
    const secret = options.secret ?? (await openSecret(database.pool, config));
    if (options.migrate && isPooled) await migrateDirectly(directUrl, log);
    else if (options.migrate) await migrateAll(database, log);
    if (options.migrate) await claimForSecret(database.pool, config, secret);
    if (config.blobUrl) {
      // Loaded on use, because its libraries are a third of the code of a short command.
      const { openObjectStore } = await import('./platform/object-store/open-store.ts');
      objectStore = openObjectStore(config.blobUrl, secret, log);
    }
    useObjectStore(database.pool, objectStore?.store ?? null);
    return { ...database, databaseUrl, directUrl, isPooled, secret, objectStore, disk, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The folders on whose disks we and the embedded database write. */
async function dataFolders({ dataDir, databaseUrl }: Config): Promise<string[]> {
  const cluster = databaseUrl ? undefined : await findClusterDir(dataDir);
  return cluster ? [dataDir, cluster.clusterDir] : [dataDir];
}

/** Migrations hold a session lock, so they must not go through a pooler. */
async function migrateDirectly(directUrl: string, log: Log): Promise<void> {
  const direct = openDatabase(directUrl, { connections: 2, onError: () => {} });
  try {
    await migrateAll(direct, log);
  } finally {
    await direct.close();
  }
}

/** Returns the names of the migrations that ran. */
export async function migrateAll({ db, pool }: Pick<Database, 'db' | 'pool'>, log: Log): Promise<string[]> {
  const ran = await migrate(pool, undefined, () =>
    log.error('database: waiting for another process that migrates or restores this database'),
  );
  await makeEventPartitions(db);
  return ran;
}
