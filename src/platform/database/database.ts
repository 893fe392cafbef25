/**
 * Access to PostgreSQL. `Db` is a pool or a transaction and is always passed as the first argument. Every statement is
 * a named prepared statement, because parsing and planning are most of the cost of a small query.
 */
import type { EventEmitter } from 'node:events';
import { Kysely, PostgresDialect, sql, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { sha256 } from '../crypto.ts';
import { isDeadlock, isDiskFull } from './database-errors.ts';
import { PrimaryClient, readDatabaseUrl } from './database-hosts.ts';
import { preparePooledSession } from './pooled-session.ts';
import { readTimestamp } from './read-timestamp.ts';
import type { Tables } from './tables.ts';

export type Db = Kysely<Tables>;

export interface Database {
  db: Db;
  pool: pg.Pool;
  close(): Promise<void>;
}

/** The version in the form of `server_version_num`. */
export const OLDEST_POSTGRES = 150_000;
const MAX_PREPARED = 1_000;
/** Includes the wait for a free connection of the pool: under load a late response is better than an error. */
const CONNECT_TIMEOUT_MS = 30_000;
const STATEMENT_TIMEOUT_MS = 60_000;
/** Added to the statement timeout. If the server has not replied by then, the connection is lost. */
const REPLY_GRACE_MS = 5_000;
/**
 * A connection to a machine that has gone ends after this time and ten seconds. By default the system would wait for two
 * hours, and long work without a query timeout with it.
 */
const KEEP_ALIVE_MS = 30_000;
const MAX_DEADLOCK_ATTEMPTS = 4;

/** Marks a statement whose text rarely repeats. It is not prepared under a name. */
export const VARYING = '/* varying */';

const statementNames = new Map<string, string>();

/** One name per text for the whole process. Texts beyond the cap, which should not occur, stay unnamed. */
function statementName(text: string): string | undefined {
  let name = statementNames.get(text);
  if (name === undefined && statementNames.size < MAX_PREPARED && !text.includes(VARYING)) {
    name = `s${statementNames.size}`;
    statementNames.set(text, name);
  }
  return name;
}

class PreparingClient extends PrimaryClient {
  /** False for a session of a pooler that does not manage prepared statements. */
  preparesByName = true;

  // pg declares many overloads of this method; only the call with text and values is changed here.
  // oxlint-disable-next-line typescript/no-explicit-any
  override query(...args: any[]): any {
    const [text, values, ...rest] = args;
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0) {
      return super.query(...(args as Parameters<pg.Client['query']>));
    }
    const config = { name: this.preparesByName ? statementName(text) : undefined, text, values };
    return super.query(...([config, ...rest] as unknown as Parameters<pg.Client['query']>));
  }
}

/** Returns whether statements on this connection are prepared under names. */
export function preparesByName(client: pg.ClientBase): boolean {
  return client instanceof PreparingClient && client.preparesByName;
}

// int8 (counts and sizes) is read as a number; a date without time stays text.
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);
types.setTypeParser(pg.types.builtins.DATE, (text: string) => text);
types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, readTimestamp);

interface DatabaseOptions {
  connections: number;
  onError: (error: Error) => void;
  /** Called for every statement that fails because the disk of the database is full. */
  onDiskFull?: () => void;
  statementTimeoutMs?: number;
  connectTimeoutMs?: number;
  /** For long work such as backups: no query timeout, and no pipelining of statements, which COPY does not allow. */
  unhurried?: boolean;
  /** True if the URL leads to a pooler in transaction mode, which has no sessions of its own. */
  isPooled?: boolean;
}

/**
 * Settings that the application relies on and that the database or the role may have changed: the formats of times
 * and bytes, the isolation level, and no timeout for the idle connections that listen or hold presence locks. They
 * are not sent as connection parameters, because PgBouncer rejects those. For poolers without sessions there is
 * pooled-session.ts.
 */
function sessionSettings(statementTimeoutMs: number): string {
  const settings: Record<string, string | number> = {
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    idle_session_timeout: 0,
    lock_timeout: 0,
    default_transaction_isolation: 'read committed',
    datestyle: 'ISO',
    intervalstyle: 'postgres',
    timezone: 'UTC',
    bytea_output: 'hex',
    standard_conforming_strings: 'on',
  };
  return Object.entries(settings)
    .map(([name, value]) => `set ${name} = '${value}'`)
    .join('; ');
}

export function openDatabase(url: string, options: DatabaseOptions): Database {
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  async function prepareSession(client: PreparingClient): Promise<void> {
    if (options.isPooled) client.preparesByName = await preparePooledSession(client);
    else await client.query(settings);
  }
  const settings = { text: sessionSettings(statementTimeoutMs), query_timeout: CONNECT_TIMEOUT_MS };
  const pool = new pg.Pool({
    ...readDatabaseUrl(url),
    max: options.connections,
    Client: PreparingClient,
    pipeline: !options.unhurried,
    types,
    application_name: 'posthorn',
    connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    // Without it, a query on a connection that was lost silently would wait forever.
    query_timeout: options.unhurried ? undefined : statementTimeoutMs + REPLY_GRACE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    // The pool awaits the promise, although its types do not say so.
    // oxlint-disable-next-line typescript/no-misused-promises
    onConnect: (client) => prepareSession(client as unknown as PreparingClient),
  });
  // The pool replaces a broken connection. Without a listener, its error would end the process.
  pool.on('error', options.onError);
  pool.on('connect', (client) => {
    client.on('error', options.onError);
    if (options.onDiskFull) watchForFullDisk(client, options.onDiskFull);
  });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  connectionOf.set(db, pool);
  // db.destroy() would leave the pool open if no query went through Kysely.
  return { db, pool, close: () => pool.end() };
}

/** Listens to the replies of the server, because most errors are handled where the statement is run. */
function watchForFullDisk(client: pg.PoolClient, onDiskFull: () => void): void {
  const { connection } = client as unknown as { connection: EventEmitter };
  connection.on('errorMessage', (error: unknown) => {
    if (isDiskFull(error)) onDiskFull();
  });
}

/** Throws if there is no reply in time. The wait for a free connection is not included. */
export async function ping(db: Db, timeoutMs: number): Promise<void> {
  const query = { text: 'select 1', query_timeout: timeoutMs };
  await poolOf(db).query(query);
}

/** This clock alone decides what is due, because the clocks of the processes may differ. */
export async function databaseNow(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`
    select date_trunc('milliseconds', clock_timestamp()) as now`.execute(db);
  return rows[0]!.now;
}

export async function refuseOldServer(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ server_version_num: string; server_version: string }>(
    `select current_setting('server_version_num') as server_version_num,
            current_setting('server_version') as server_version`,
  );
  if (Number(rows[0]!.server_version_num) < OLDEST_POSTGRES) {
    throw new Error(
      `Posthorn needs PostgreSQL 15 or newer. This server is version ${rows[0]!.server_version}.`,
    );
  }
}

/** The pool, or the connection of a transaction, that runs the statements of a Db. */
const connectionOf = new WeakMap<Db, pg.Pool | pg.PoolClient>();
const statementTexts = new WeakMap<TemplateStringsArray, string>();

/** SQL text that several statements share. */
export class Fragment {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Runs a statement with a fixed text, for hot paths. The text is built once instead of on each call, which saves a
 * third of the client-side cost of a small query. Every value is a parameter, except a Fragment, which must be the
 * same in each call.
 */
export function statement<Row>(db: Db) {
  return async (strings: TemplateStringsArray, ...inserted: unknown[]): Promise<Row[]> => {
    let text = statementTexts.get(strings);
    if (text === undefined) statementTexts.set(strings, (text = writeStatement(strings, inserted)));
    return runText<Row>(
      db,
      text,
      inserted.filter((value) => !(value instanceof Fragment)),
    );
  };
}

/** Runs a statement whose text the caller has built, one of a few that never change. */
export async function runText<Row>(db: Db, text: string, values: unknown[]): Promise<Row[]> {
  return (await connectionOf.get(db)!.query(text, values)).rows as Row[];
}

function writeStatement(strings: TemplateStringsArray, inserted: unknown[]): string {
  let parameters = 0;
  return strings.reduce((before, part, at) => {
    const value = inserted[at - 1];
    return `${before}${value instanceof Fragment ? value.text : `$${++parameters}`}${part}`;
  });
}

/**
 * Encodes rows or texts as one JSON parameter. PostgreSQL rejects lone surrogates, which are the only characters that
 * JSON.stringify writes as `\ud…`; they are replaced.
 */
export function toJson(rows: (object | string | null)[]): string {
  const json = JSON.stringify(rows);
  if (!json.includes('\\ud')) return json;
  return JSON.stringify(rows, (_key, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  );
}

/**
 * Encodes one number of each row as an array parameter, which is four times as fast as the driver. Everything else is
 * passed to the driver as an array (`rows.map(…)`), which quotes it: text in a literal of our own would break the
 * statement, or change its meaning.
 */
export function toNumberArray<Row>(rows: readonly Row[], numberOf: (row: Row) => number | null): string {
  return `{${rows.map((row) => numberOf(row) ?? 'null').join(',')}}`;
}

/** Returns the key of the advisory lock with this name. */
export function lockNumber(name: string): string {
  return sha256(name).readBigInt64BE().toString();
}

/** Escapes text so that it matches itself in a LIKE pattern. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}

export function isTransaction(db: Db): boolean {
  return !(connectionOf.get(db) instanceof pg.Pool);
}

const poolOfTransaction = new WeakMap<Db, pg.Pool>();

/** Returns the pool of a Db, or the pool that its transaction belongs to. */
export function poolOf(db: Db): pg.Pool {
  return poolOfTransaction.get(db) ?? (connectionOf.get(db) as pg.Pool);
}

/** Runs the work on a connection of its own and closes it, so that a lock, a setting or a stuck COPY ends with the work. */
export async function onOwnConnection<Result>(
  pool: pg.Pool,
  work: (client: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release(true);
  }
}

/**
 * Runs the work in a transaction: in the caller's if `db` is a transaction, otherwise in a new one. A new transaction
 * is retried after a deadlock, so the work must have no effects outside the database.
 */
export async function inTransaction<Result>(db: Db, work: (trx: Db) => Promise<Result>): Promise<Result> {
  const connection = connectionOf.get(db);
  return connection instanceof pg.Pool ? retryDeadlocks(() => transact(connection, work)) : work(db);
}

/** Returns the result of the work and rolls back everything that it has changed. */
export async function rolledBack<Result>(db: Db, work: (trx: Db) => Promise<Result>): Promise<Result> {
  return inTransaction(db, async (trx) => {
    await sql`savepoint rolled_back`.execute(trx);
    try {
      return await work(trx);
    } finally {
      await sql`rollback to savepoint rolled_back`.execute(trx);
      await sql`release savepoint rolled_back`.execute(trx);
    }
  });
}

async function transact<Result>(pool: pg.Pool, work: (trx: Db) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    // This is not awaited, so that the first statement of the work is sent together with it.
    const begun = client.query('begin');
    begun.catch(() => {});
    const result = await work(transactionOf(client, pool));
    await begun;
    const { command } = await client.query('commit');
    // If the work ignored a failed statement, PostgreSQL responds to COMMIT with ROLLBACK.
    if (command !== 'COMMIT')
      throw new Error('The transaction was rolled back: one of its statements failed.');
    return result;
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => (broken = failure));
    throw error;
  } finally {
    client.release(broken);
  }
}

const transactions = new WeakMap<pg.PoolClient, Db>();

/** Returns a Db that runs everything on this connection. It is created once per connection. */
function transactionOf(client: pg.PoolClient, pool: pg.Pool): Db {
  let trx = transactions.get(client);
  if (!trx) {
    const query: PostgresPoolClient['query'] = client.query.bind(client);
    const connection = { query, release() {} };
    const onlyThis = { connect: async () => connection, end: async () => {} };
    trx = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: onlyThis }) });
    transactions.set(client, trx);
    connectionOf.set(trx, client);
    poolOfTransaction.set(trx, pool);
  }
  return trx;
}

/**
 * Runs statements of one transaction that do not depend on each other's results. They are sent together, run in
 * order and cost one round trip. Throws the error of the first statement that failed; the later ones fail because
 * of it.
 */
export async function runTogether<Results extends unknown[]>(
  ...statements: { [At in keyof Results]: Promise<Results[At]> }
): Promise<Results> {
  const outcomes = await Promise.allSettled(statements);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<unknown>).value) as Results;
}

/** `work` must be a whole transaction, or a single statement outside of one. */
export async function retryDeadlocks<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isDeadlock(error) || attempt === MAX_DEADLOCK_ATTEMPTS) throw error;
    }
  }
}
