/** Dumps one snapshot of the database as frames while the server keeps running. */
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { readApplied } from '../database/migrations.ts';
import { listSequences, listTables, quote, quoteAll, STEADY_SETTINGS, type Table } from './catalog.ts';
import {
  addToContents,
  countRows,
  encodeFrame,
  encodeJson,
  FORMAT,
  type Contents,
  type Header,
  type BackupSection,
  type SectionEnd,
} from './format.ts';

export interface Source {
  secret: Buffer;
  posthornVersion: string;
}

const SNAPSHOT_ATTEMPTS = 5;
/** A restore, or a statement such as VACUUM FULL, keeps the tables locked. */
const LOCK_TIMEOUT_MS = 10 * 60_000;

/**
 * The caller must discard the client afterwards, because a reader that stops early leaves it in the middle of a COPY.
 */
export async function* dump(
  client: pg.ClientBase,
  source: Source,
  contents: Contents,
): AsyncGenerator<Buffer> {
  const tables = await takeSnapshot(client);
  yield encodeJson('H', await describe(client, source, tables));
  for (const { name, columns } of tables.filter((table) => !table.isPartitioned)) {
    const rows = copyOut(client, `${quote(name)} (${quoteAll(columns)})`);
    yield* section({ kind: 'table', name, columns }, rows, contents);
  }
  await client.query('commit');
}

/**
 * Locks the tables against schema changes before the snapshot is taken, because a snapshot sees a table that is
 * rewritten afterwards as empty. If a table was created in between, such as the partition of a new month, it tries
 * again.
 */
async function takeSnapshot(client: pg.ClientBase): Promise<Table[]> {
  for (let attempt = 1; attempt <= SNAPSHOT_ATTEMPTS; attempt++) {
    const before = await listTables(client);
    if (!before.some(({ name }) => name === 'schema_migrations')) {
      throw new Error('There is nothing to back up. This database has no Posthorn tables.');
    }
    await client.query('begin isolation level repeatable read read only');
    await client.query(STEADY_SETTINGS);
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query(`lock table ${quoteAll(before.map(({ name }) => name))} in access share mode`);
    const tables = await listTables(client);
    if (namesOf(tables) === namesOf(before)) return tables;
    await client.query('rollback');
  }
  throw new Error('A migration is running. Try again when it has finished.');
}

function namesOf(tables: Table[]): string {
  return JSON.stringify(tables.map(({ name }) => name));
}

async function describe(client: pg.ClientBase, source: Source, tables: Table[]): Promise<Header> {
  const { rows } = await client.query<{ version: string }>(
    `select current_setting('server_version') as version`,
  );
  return {
    format: FORMAT,
    posthorn: source.posthornVersion,
    postgres: rows[0]!.version,
    createdAt: new Date().toISOString(),
    migrations: await readApplied(client),
    sequences: await listSequences(client),
    partitions: tables.flatMap(({ name, partitionOf, bound }) =>
      partitionOf && bound ? [{ name, of: partitionOf, bound }] : [],
    ),
    secret: source.secret.toString('hex'),
  };
}

function copyOut(client: pg.ClientBase, what: string): AsyncIterable<Buffer> {
  return client.query(copyTo(`copy ${what} to stdout`));
}

async function* section(
  what: BackupSection,
  pieces: AsyncIterable<Buffer>,
  contents: Contents,
): AsyncGenerator<Buffer> {
  yield encodeJson('S', what);
  const end: SectionEnd = { rows: 0, bytes: 0 };
  for await (const piece of pieces) {
    end.rows += countRows(piece);
    end.bytes += piece.length;
    yield encodeFrame('D', piece);
  }
  addToContents(contents, what, end);
  yield encodeJson('E', end);
}
