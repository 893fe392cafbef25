/**
 * Loads a backup into a database in one transaction. It needs only the rights of the tables' owner. A server may be
 * running: its requests wait until the transaction ends.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import {
  compareMigrations,
  holdMigrationLock,
  migrateInside,
  runFunctions,
  type Migration,
  type SchemaFiles,
} from '../database/migrations.ts';
import { onOwnConnection } from '../database/database.ts';
import { hasTable, listForeignKeys, listTables, listTriggers, quote, quoteAll } from './catalog.ts';
import type { Header, BackupSection } from './format.ts';
import { endLeases } from './end-leases.ts';
import { enableJobs, createJobTables } from './jobs.ts';
import { emptyTables, prepareTables } from './prepare-tables.ts';
import { readBackupFile, type Backup } from './read-file.ts';
import { exchangeSecret } from './secret.ts';
import { lockOutWriters } from './lock-out-writers.ts';

export interface Target extends SchemaFiles {
  pool: pg.Pool;
  /** The file that receives the secret of the backup; null if the instance already has this secret. */
  secretFile: string | null;
  /** Whether existing data may be replaced. */
  replace: boolean;
  /** Called when another process that starts or migrates makes the restore wait for long. */
  onWait(): void;
  /** Notifications, as channel and payload, sent with the commit so that running processes drop their caches. */
  notify: Record<string, string>;
  /** Changes data that must not be restored as it was. Runs in the transaction, after the migrations. */
  afterLoading(client: pg.ClientBase, backupMadeAt: string): Promise<void>;
}

export interface Loaded {
  /** Migrations newer than the backup that ran on its data. */
  migrated: string[];
  /** Tables of the backup that do not exist in the database and were skipped. */
  leftOut: string[];
  isServerRunning: boolean;
}

const CHECKS_FOR_OTHERS = 5;
const BETWEEN_CHECKS_MS = 100;

/** `backup` is the result of a first, complete read of the file. The file is read a second time here. */
export async function loadBackup(file: string, backup: Backup, target: Target): Promise<Loaded> {
  refuseStrange(backup.header, target.migrations);
  return onOwnConnection(target.pool, (client) =>
    holdMigrationLock(client, target.onWait, async () => {
      const isServerRunning = await isServerConnected(client);
      if (isServerRunning && target.secretFile) {
        throw new Error(
          'The backup was made with a different instance secret, and a running Posthorn uses this database. Stop the server first.',
        );
      }
      await refuseInUse(client, target);
      await lockOutWriters(client, isServerRunning);
      const secret = await exchangeSecret(target.secretFile, backup.header.secret);
      let loaded: Omit<Loaded, 'isServerRunning'>;
      try {
        loaded = await loadInside(client, file, backup, target);
        await client.query('commit');
        await secret.commit();
      } catch (error) {
        // A lost connection rolls back by itself.
        await client.query('rollback').catch(() => {});
        await secret.discard();
        throw error;
      }
      // Without statistics PostgreSQL would plan queries as if the tables were empty.
      await client.query('set statement_timeout = 0; analyze');
      return { ...loaded, isServerRunning };
    }),
  );
}

function refuseStrange(header: Header, known: Migration[]): void {
  const { newer, changed } = compareMigrations(header.migrations, known);
  if (newer[0]) {
    throw new Error(
      `The backup was made by a newer version of Posthorn (${header.posthorn}): it has migration ${newer[0].name}. Install that version first.`,
    );
  }
  if (changed[0]) {
    throw new Error(
      `The backup was made by a different build of Posthorn: its migration ${changed[0].name} differs.`,
    );
  }
}

/** A connection that was just closed is still listed for a moment, so this checks several times. */
async function isServerConnected(client: pg.ClientBase): Promise<boolean> {
  for (let check = 1; ; check++) {
    const { rows } = await client.query<{ here: boolean }>(`
      select exists (
        select from pg_stat_activity
        where datname = current_database() and application_name like 'posthorn%' and pid <> pg_backend_pid()
      ) as here`);
    if (!rows[0]!.here || check === CHECKS_FOR_OTHERS) return rows[0]!.here;
    await wait(BETWEEN_CHECKS_MS);
  }
}

async function refuseInUse(client: pg.ClientBase, { replace }: Target): Promise<void> {
  if (replace || !(await hasTable(client, 'teams'))) return;
  const { rows } = await client.query<{ inUse: boolean }>(`select exists (select from teams) as "inUse"`);
  if (rows[0]!.inUse) {
    throw new Error(
      'The database is not empty. Use --replace to overwrite everything in it. Make a backup of it first.',
    );
  }
}

async function loadInside(
  client: pg.ClientBase,
  file: string,
  backup: Backup,
  target: Target,
): Promise<Omit<Loaded, 'isServerRunning'>> {
  const { header, contents } = backup;
  await refuseInUse(client, target);
  const dropped = await prepareTables(client, header, target.migrations);
  const disabled = [...(await listForeignKeys(client)), ...(await listTriggers(client))];
  for (const { off } of disabled) await client.query(off);
  await emptyTables(client, contents.tables);
  await createJobTables(client);

  const leftOut = await copyIn(client, file, backup);
  await endLeases(client);

  for (const { name, next } of header.sequences) {
    // Unlike setval, this is rolled back with the transaction.
    await client.query(`alter sequence if exists ${quote(name)} restart with ${BigInt(next)}`);
  }
  await client.query('set constraints all immediate');
  for (const { on } of disabled) await client.query(on);
  const migrated = await migrateInside(client, target.migrations);
  await enableJobs(client);
  // Always run functions.sql: newly created tables have no triggers yet, even if the backup recorded this version.
  if (target.functions) await runFunctions(client, target.functions);
  await refuseLosingTables(client, dropped);
  await target.afterLoading(client, header.createdAt);
  for (const [channel, payload] of Object.entries(target.notify)) {
    await client.query('select pg_notify($1, $2)', [channel, payload]);
  }
  return { migrated, leftOut };
}

/**
 * Rows of a partition go in through the partitioned table: a month that was in the default partition when the backup
 * was made may have a partition of its own here. Returns the names of tables that do not exist in this database.
 */
async function copyIn(client: pg.ClientBase, file: string, { sha256 }: Backup): Promise<string[]> {
  const tables = new Map(
    (await listTables(client)).map(({ name, partitionOf }) => [name, partitionOf ?? name]),
  );
  const leftOut: string[] = [];
  const again = await readBackupFile(file, async (section, pieces) => {
    const table = targetTable(section, tables);
    if (table) return pipeline(pieces, client.query(copyFrom(`copy ${table} from stdin`)));
    for await (const _piece of pieces);
    if (section.kind === 'table') leftOut.push(section.name);
  });
  if (again.sha256 !== sha256) throw new Error(`${file} changed while it was being read.`);
  return leftOut;
}

function targetTable(section: BackupSection, tables: Map<string, string>): string | null {
  const columns = quoteAll(section.columns);
  if (section.kind === 'jobs') return `restored_jobs (${columns})`;
  if (section.kind === 'crontabs') return `restored_crontabs (${columns})`;
  const table = tables.get(section.name);
  return table === undefined ? null : `${quote(table)} (${columns})`;
}

/** A table that was dropped and that no migration created again did not belong to Posthorn. */
async function refuseLosingTables(client: pg.ClientBase, dropped: string[]): Promise<void> {
  const names = new Set((await listTables(client)).map(({ name }) => name));
  const lost = dropped.filter((name) => !names.has(name));
  if (lost.length === 0) return;
  throw new Error(
    `This backup needs new Posthorn tables, but the schema also contains other tables (${lost.join(', ')}). Move those first, or restore into an empty database.`,
  );
}
