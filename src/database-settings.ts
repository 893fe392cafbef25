/** The settings of the database, which are part of config.ts. */
import { integer, optional, readPostgresUrl, readReplicaUrl, setting } from './read-setting.ts';

export const databaseSettings = {
  databaseUrl: setting(
    'DATABASE_URL',
    'none',
    'The URL of a PostgreSQL database (version 15 or newer) to use instead of the embedded one. It can list several servers; the one that accepts writes is used: `postgresql://user:password@db1:5432,db2:5432/posthorn?target_session_attrs=read-write`.',
    optional(readPostgresUrl),
  ),
  databaseDirectUrl: setting(
    'DATABASE_DIRECT_URL',
    'none',
    'The URL of the same database without the pooler. Set it if DATABASE_URL points to PgBouncer with `pool_mode = transaction`. Notifications, jobs, process locks, migrations and backups use it: at most 8 connections in each process that runs `worker`, and 1 in the others.',
    optional(readPostgresUrl),
  ),
  databaseReadUrl: setting(
    'DATABASE_READ_URL',
    'none',
    'The URL of a standby of DATABASE_URL (streaming replication, hot standby). Lists, searches and analytics of the API and the dashboard are read from it. A read sees everything that was committed before its request arrived. While the standby is unavailable or more than 250 ms behind, DATABASE_URL is read instead.',
    optional(readReplicaUrl),
  ),
  databaseConnections: setting(
    'DATABASE_CONNECTIONS',
    '16',
    'The maximum number of database connections that HTTP and SMTP use in one process. Incoming mail uses the same number again, and so do reads from DATABASE_READ_URL.',
    integer(16, 1, 500),
  ),
};

/** Returns the problems of settings that depend on each other, each as a sentence. */
export function checkDatabaseSettings(values: {
  databaseUrl: string | null;
  databaseDirectUrl: string | null;
  databaseReadUrl: string | null;
}): string[] {
  if (values.databaseUrl) return [];
  const problems: string[] = [];
  if (values.databaseDirectUrl)
    problems.push('DATABASE_DIRECT_URL needs DATABASE_URL, the URL of the pooler');
  if (values.databaseReadUrl) problems.push('DATABASE_READ_URL needs DATABASE_URL, the URL of its primary');
  return problems;
}
