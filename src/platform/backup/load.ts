/**
 * A backup into a database, in one transaction: all of it, or the database is as it was. It works beside a running
 * server, whose requests wait meanwhile, and needs no more rights than the owner of the tables has.
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
} from '../migrations.ts';
import { hasTable, listForeignKeys, listTables, listTriggers, quote, quoteAll } from './catalog.ts';
import type { Header, Section } from './format.ts';
import { letJobsIn, openWaitingRooms } from './jobs.ts';
import { emptyTables, prepareTables } from './prepare-tables.ts';
import { readBackupFile, type Backup } from './read-file.ts';
import { exchangeSecret } from './secret.ts';
import { beginStandingStill } from './stand-still.ts';

export interface Target extends SchemaFiles {
  pool: pg.Pool;
  /** Where the secret of the backup has to go; null where it is known already. */
  secretFile: string | null;
  /** Whether what is in the database may go. */
  replace: boolean;
  /** Makes the tables of the job queue where there are none; on connections of its own. */
  prepareJobs(): Promise<void>;
  /** Channels and what is said on them with the commit, to processes that remember what they read before. */
  notify: Record<string, string>;
}

export interface Loaded {
  /** Migrations that are newer than the backup and ran on its data. */
  migrated: string[];
  /** Tables in the backup that are not Posthorn's. */
  leftOut: string[];
  isServerRunning: boolean;
}

const LOOKS_FOR_OTHERS = 5;
const BETWEEN_LOOKS_MS = 100;

/** `backup` is what the whole file was found to hold; it is read here once more. */
export async function loadBackup(file: string, backup: Backup, target: Target): Promise<Loaded> {
  refuseStrange(backup.header, target.migrations);
  const client = await target.pool.connect();
  try {
    return await holdMigrationLock(client, async () => {
      const isServerRunning = await isAnotherHere(client);
      if (isServerRunning && target.secretFile) {
        throw new Error(
          'The backup comes from an instance with another secret, and a Posthorn that uses this database is running with its own. Stop the server first.',
        );
      }
      await refuseInUse(client, target);
      await target.prepareJobs();
      await beginStandingStill(client, isServerRunning);
      const secret = await exchangeSecret(target.secretFile, backup.header.secret);
      let loaded: Omit<Loaded, 'isServerRunning'>;
      try {
        loaded = await loadInside(client, file, backup, target);
        await client.query('commit');
        await secret.keep();
      } catch (error) {
        // A connection that is lost is as good as rolled back.
        await client.query('rollback').catch(() => {});
        await secret.forget();
        throw error;
      }
      // Until PostgreSQL has looked at the new rows it plans as if there were none.
      await client.query('set statement_timeout = 0; analyze');
      return { ...loaded, isServerRunning };
    });
  } finally {
    client.release(true);
  }
}

function refuseStrange(header: Header, known: Migration[]): void {
  const { newer, changed } = compareMigrations(header.migrations, known);
  if (newer[0]) {
    throw new Error(
      `The backup was made by a newer Posthorn (${header.posthorn}): it has migration ${newer[0].name}. Install that version first.`,
    );
  }
  if (changed[0]) {
    throw new Error(
      `The backup was made by another edition of Posthorn: its migration ${changed[0].name} is not the one of this program.`,
    );
  }
}

/** A connection that was just closed is listed for a moment longer, so one look is not enough. */
async function isAnotherHere(client: pg.ClientBase): Promise<boolean> {
  for (let look = 1; ; look++) {
    const { rows } = await client.query<{ here: boolean }>(`
      select exists (
        select from pg_stat_activity
        where datname = current_database() and application_name like 'posthorn%' and pid <> pg_backend_pid()
      ) as here`);
    if (!rows[0]!.here || look === LOOKS_FOR_OTHERS) return rows[0]!.here;
    await wait(BETWEEN_LOOKS_MS);
  }
}

async function refuseInUse(client: pg.ClientBase, { replace }: Target): Promise<void> {
  if (replace || !(await hasTable(client, 'teams'))) return;
  const { rows } = await client.query<{ inUse: boolean }>(`select exists (select from teams) as "inUse"`);
  if (rows[0]!.inUse) {
    throw new Error(
      'The database holds data. With --replace everything in it is replaced by the backup; make a backup of it first.',
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
  const inTheWay = [...(await listForeignKeys(client)), ...(await listTriggers(client))];
  for (const { off } of inTheWay) await client.query(off);
  await emptyTables(client, contents.tables);
  await openWaitingRooms(client);

  const leftOut = await copyIn(client, file, backup);

  await letJobsIn(client);
  for (const { name, next } of header.sequences) {
    // Unlike setval, this is undone with the transaction.
    await client.query(`alter sequence if exists ${quote(name)} restart with ${BigInt(next)}`);
  }
  await client.query('set constraints all immediate');
  for (const { on } of inTheWay) await client.query(on);
  const migrated = await migrateInside(client, target.migrations);
  // Whatever the backup says last ran: the tables may have been made just now, and have no triggers yet.
  if (target.functions) await runFunctions(client, target.functions);
  await refuseLosingTables(client, dropped);
  for (const [channel, payload] of Object.entries(target.notify)) {
    await client.query('select pg_notify($1, $2)', [channel, payload]);
  }
  return { migrated, leftOut };
}

/** Returns the names of tables that there is no place for. */
async function copyIn(client: pg.ClientBase, file: string, { sha256 }: Backup): Promise<string[]> {
  const names = new Set((await listTables(client)).map(({ name }) => name));
  const leftOut: string[] = [];
  const again = await readBackupFile(file, async (section, pieces) => {
    const table = placeOf(section, names);
    if (table) return pipeline(pieces, client.query(copyFrom(`copy ${table} from stdin`)));
    for await (const _piece of pieces);
    if (section.kind === 'table') leftOut.push(section.name);
  });
  if (again.sha256 !== sha256) throw new Error(`${file} was changed while it was read.`);
  return leftOut;
}

function placeOf(section: Section, tables: Set<string>): string | null {
  const columns = quoteAll(section.columns);
  if (section.kind === 'jobs') return `restored_jobs (${columns})`;
  if (section.kind === 'crontabs') return `restored_crontabs (${columns})`;
  return tables.has(section.name) ? `${quote(section.name)} (${columns})` : null;
}

/** What was dropped and not made again by a migration was never ours. */
async function refuseLosingTables(client: pg.ClientBase, dropped: string[]): Promise<void> {
  const names = new Set((await listTables(client)).map(({ name }) => name));
  const lost = dropped.filter((name) => !names.has(name));
  if (lost.length === 0) return;
  throw new Error(
    `Posthorn's tables must be made anew for this backup, and their schema holds others that are not Posthorn's (${lost.join(', ')}). Move those away first, or restore into an empty database.`,
  );
}
