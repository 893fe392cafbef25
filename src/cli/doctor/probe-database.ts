import type { Config } from '../../config.ts';
import { openDatabase } from '../../platform/database.ts';
import { enterEmbeddedPostgres, isEmbeddedPostgresRunning } from '../../platform/embedded-postgres.ts';
import { findHome } from '../../platform/embedded-postgres/home.ts';
import { readApplied, readFunctionsChecksum, type AppliedMigration } from '../../platform/migrations.ts';
import { describeError } from '../describe-error.ts';

export type DatabaseProbe =
  | { state: 'none' }
  | { state: 'down'; where: string; reason: string; isEmbedded: boolean }
  | {
      state: 'up';
      where: string;
      /** The embedded one was down, and is again. */
      wasStarted: boolean;
      version: string;
      versionNumber: number;
      encoding: string;
      /** Our tables, and the schema of the job queue. */
      mayCreate: boolean;
      applied: AppliedMigration[];
      functionsChecksum: string | undefined;
      /** How far its clock is ahead of ours. */
      skewMs: number;
    };

/** Makes nothing: where there is no embedded database yet, the first start is the one to make it. */
export async function probeDatabase({ databaseUrl, dataDir }: Config): Promise<DatabaseProbe> {
  const where = databaseUrl ? nameOf(databaseUrl) : 'embedded';
  try {
    if (databaseUrl) return { ...(await ask(databaseUrl)), where, wasStarted: false };
    if (!(await findHome(dataDir))) return { state: 'none' };
    const wasRunning = await isEmbeddedPostgresRunning(dataDir);
    const embedded = await enterEmbeddedPostgres(dataDir);
    try {
      return { ...(await ask(embedded.url)), where, wasStarted: !wasRunning };
    } finally {
      await embedded.leave();
    }
  } catch (error) {
    return { state: 'down', where, reason: describeError(error), isEmbedded: !databaseUrl };
  }
}

interface Answer {
  version: string;
  versionNumber: number;
  encoding: string;
  mayCreate: boolean;
  nowMs: number;
}

async function ask(url: string) {
  const database = openDatabase(url, { connections: 1, onError: () => {} });
  try {
    const client = await database.pool.connect();
    try {
      const begunMs = Date.now();
      const { rows } = await client.query<Answer>(`
        select current_setting('server_version') as version,
          current_setting('server_version_num')::integer as "versionNumber",
          current_setting('server_encoding') as encoding,
          (has_database_privilege(current_database(), 'create') or to_regnamespace('graphile_worker') is not null)
            and coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayCreate",
          extract(epoch from clock_timestamp())::double precision * 1000 as "nowMs"`);
      const skewMs = rows[0]!.nowMs - (begunMs + Date.now()) / 2;
      const applied = await readApplied(client);
      const functionsChecksum = await readFunctionsChecksum(client);
      return { state: 'up' as const, ...rows[0]!, skewMs, applied, functionsChecksum };
    } finally {
      client.release();
    }
  } finally {
    await database.close();
  }
}

/** Where it is, without the password. */
function nameOf(databaseUrl: string): string {
  const { hostname, port, pathname, searchParams } = new URL(databaseUrl);
  const host = searchParams.get('host') ?? (port ? `${hostname}:${port}` : hostname);
  return `${host}${pathname}`;
}
