/** What every process of one instance stands on, whichever doors it opens: its database and its secret. */
import type { Config } from './config.ts';
import { loadInstanceSecret, parseInstanceSecret } from './platform/crypto.ts';
import { openDatabase, refuseOldServer, type Database } from './platform/database.ts';
import { enterEmbeddedPostgres } from './platform/embedded-postgres.ts';
import { prepareJobs } from './platform/jobs.ts';
import type { Log } from './platform/log.ts';
import { migrate } from './platform/migrations.ts';

export interface Instance extends Database {
  databaseUrl: string;
  secret: Buffer;
}

export async function openInstance(
  config: Config,
  log: Log,
  options: { migrate: boolean; unhurried?: boolean } = { migrate: true },
): Promise<Instance> {
  const embedded = config.databaseUrl ? null : await enterEmbeddedPostgres(config.dataDir);
  const databaseUrl = config.databaseUrl ?? embedded!.url;
  const database = openDatabase(databaseUrl, {
    connections: config.databaseConnections,
    unhurried: options.unhurried,
    onError: (error) => log.warn({ reason: error.message }, 'database connection lost'),
  });
  async function close(): Promise<void> {
    await database.close();
    await embedded?.leave();
  }
  try {
    await refuseOldServer(database.pool);
    if (options.migrate) await migrateAll(database, log);
    const secret = config.instanceSecret
      ? parseInstanceSecret(config.instanceSecret)
      : loadInstanceSecret(config.dataDir);
    return { ...database, databaseUrl, secret, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Our own tables, then those of the job queue. Returns the names of the migrations that ran. */
export async function migrateAll({ pool }: Pick<Database, 'pool'>, log: Log): Promise<string[]> {
  const ran = await migrate(pool);
  await prepareJobs(pool, log);
  return ran;
}
