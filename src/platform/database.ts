/**
 * The way to PostgreSQL. `Db` is a pool or a transaction, always handed over as the first argument.
 * Every statement is prepared once per connection under a name of its own: parsing and planning are most of
 * the cost of a small query.
 */
import { Kysely, PostgresDialect, sql, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { sha256 } from './crypto.ts';
import { isDeadlock } from './database-errors.ts';
import type { Tables } from './tables.ts';

export type Db = Kysely<Tables>;

export interface Database {
  db: Db;
  pool: pg.Pool;
  close(): Promise<void>;
}

/** As `server_version_num` has it. */
export const OLDEST_POSTGRES = 150_000;
const MAX_PREPARED = 1_000;
/** Also for waiting in line when all are taken: under load an answer that is late is better than none. */
const CONNECT_TIMEOUT_MS = 30_000;
const STATEMENT_TIMEOUT_MS = 60_000;
/** Longer than PostgreSQL gives a statement: only from a server that is cut off is there no word by then. */
const SILENCE_MS = 5_000;
const TRIES_AFTER_DEADLOCK = 4;

/** A statement with this in it has a text that hardly comes again, and is not prepared under a name. */
export const VARYING = '/* varying */';

const statementNames = new Map<string, string>();

/** One name per text for the whole process. Texts past the cap (nobody should make so many) stay unnamed. */
function statementName(text: string): string | undefined {
  let name = statementNames.get(text);
  if (name === undefined && statementNames.size < MAX_PREPARED && !text.includes(VARYING)) {
    name = `s${statementNames.size}`;
    statementNames.set(text, name);
  }
  return name;
}

class PreparingClient extends pg.Client {
  // The signature is pg's own bundle of overloads; only the call with text and values is of interest here.
  // oxlint-disable-next-line typescript/no-explicit-any
  override query(...args: any[]): any {
    const [text, values, ...rest] = args;
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0) {
      return super.query(...(args as Parameters<pg.Client['query']>));
    }
    const config = { name: statementName(text), text, values };
    return super.query(...([config, ...rest] as unknown as Parameters<pg.Client['query']>));
  }
}

// Counts and sizes are int8 in SQL and plain numbers with us; dates without time stay text.
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);
types.setTypeParser(pg.types.builtins.DATE, (text: string) => text);

interface DatabaseOptions {
  connections: number;
  onError: (error: Error) => void;
  statementTimeoutMs?: number;
  /**
   * For work that takes as long as it takes: no answer is too late, and no statement goes out before the one before it
   * has ended, which COPY needs.
   */
  unhurried?: boolean;
}

/**
 * What a database or a role may have set otherwise, and we rely on: how times and bytes are written, that who reads
 * what another has changed meanwhile goes on with it, and that connections which only listen or show that we are alive
 * may be idle. Not as parameters of the connection, which PgBouncer refuses.
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
  const prepareSession = {
    text: sessionSettings(statementTimeoutMs),
    query_timeout: CONNECT_TIMEOUT_MS,
  };
  const pool = new pg.Pool({
    connectionString: url,
    max: options.connections,
    Client: PreparingClient,
    pipeline: !options.unhurried,
    types,
    application_name: 'posthorn',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // A connection that is cut off without a word would otherwise hold up who waits for it, for ever.
    query_timeout: options.unhurried ? undefined : statementTimeoutMs + SILENCE_MS,
    keepAlive: true,
    // The pool waits for it, which its types do not say.
    // oxlint-disable-next-line typescript/no-misused-promises
    onConnect: (client) => client.query(prepareSession),
  });
  // A connection that breaks, idle or in use, is replaced by the pool; unheard it would end the process.
  pool.on('error', options.onError);
  pool.on('connect', (client) => client.on('error', options.onError));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  wayOf.set(db, pool);
  // Not db.destroy(): it leaves the pool open when no query went through Kysely.
  return { db, pool, close: () => pool.end() };
}

export async function ping(db: Db): Promise<void> {
  await sql`select 1`.execute(db);
}

/** What is due is decided by this clock alone: those of the processes may differ from it and from each other. */
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
    throw new Error(`Posthorn needs PostgreSQL 15 or newer; this server is ${rows[0]!.server_version}.`);
  }
}

/** How a statement goes to the database: by any connection, or by the one whose transaction it is part of. */
const wayOf = new WeakMap<Db, pg.Pool | pg.PoolClient>();
const statementTexts = new WeakMap<TemplateStringsArray, string>();

/** A piece of SQL that several statements share. */
export class Fragment {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * A statement of fixed text, for the hot paths: its text is put together once and not for each call, which for a
 * small query is a third of its cost on our side. Whatever is put in is a parameter, unless it is a fragment, and that
 * one is the same at each call.
 */
export function statement<Row>(db: Db) {
  return async (strings: TemplateStringsArray, ...given: unknown[]): Promise<Row[]> => {
    let text = statementTexts.get(strings);
    if (text === undefined) statementTexts.set(strings, (text = writeStatement(strings, given)));
    const values = given.filter((value) => !(value instanceof Fragment));
    return (await wayOf.get(db)!.query(text, values)).rows as Row[];
  };
}

function writeStatement(strings: TemplateStringsArray, given: unknown[]): string {
  let parameters = 0;
  return strings.reduce((before, part, at) => {
    const value = given[at - 1];
    return `${before}${value instanceof Fragment ? value.text : `$${++parameters}`}${part}`;
  });
}

/**
 * Rows, or texts, as one JSON parameter. PostgreSQL takes no half of a surrogate pair in it, which is the only thing
 * that JSON.stringify writes as `\ud…`.
 */
export function toJson(rows: (object | string | null)[]): string {
  const json = JSON.stringify(rows);
  if (!json.includes('\\ud')) return json;
  return JSON.stringify(rows, (_key, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  );
}

/**
 * One value of each row as an array parameter, where it needs no quotes: a number, an id or a time. The driver would
 * write each of them as if it were a stranger's text.
 */
export function toArray<Row>(rows: Row[], valueOf: (row: Row) => number | string | Date | null): string {
  const texts = rows.map((row) => {
    const value = valueOf(row);
    return value instanceof Date ? value.toISOString() : (value ?? 'null');
  });
  return `{${texts.join(',')}}`;
}

/** The number of an advisory lock, from a name that says what it is for. */
export function lockNumber(name: string): string {
  return sha256(name).readBigInt64BE().toString();
}

/** Text that stands for itself in a LIKE pattern. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}

export function isTransaction(db: Db): boolean {
  return !(wayOf.get(db) instanceof pg.Pool);
}

/**
 * Runs the work in one transaction: the caller's, where `db` is one already, else a new one. A new one that
 * PostgreSQL ends because of a deadlock is tried again; the work must not touch anything but the database.
 */
export async function inTransaction<Result>(db: Db, work: (trx: Db) => Promise<Result>): Promise<Result> {
  const way = wayOf.get(db);
  return way instanceof pg.Pool ? retryDeadlocks(() => transact(way, work)) : work(db);
}

async function transact<Result>(pool: pg.Pool, work: (trx: Db) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    // The first statement of the work goes out behind it.
    const begun = client.query('begin');
    begun.catch(() => {});
    const result = await work(transactionOf(client));
    await begun;
    const { command } = await client.query('commit');
    // Work that goes on after a statement that failed has done nothing.
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

/** A connection as those who work in its transactions see it. */
function transactionOf(client: pg.PoolClient): Db {
  let trx = transactions.get(client);
  if (!trx) {
    const query: PostgresPoolClient['query'] = client.query.bind(client);
    const lent = { query, release() {} };
    const pool = { connect: async () => lent, end: async () => {} };
    trx = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
    transactions.set(client, trx);
    wayOf.set(trx, client);
  }
  return trx;
}

/**
 * Statements of one transaction that do not need each other's answers: they go out at once, are run one behind the
 * other, and cost one way to the database and back. The first of them that fails is why those behind it do.
 */
export async function together<Answers extends unknown[]>(
  ...asked: { [At in keyof Answers]: Promise<Answers[At]> }
): Promise<Answers> {
  const outcomes = await Promise.allSettled(asked);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<unknown>).value) as Answers;
}

/** For a transaction, or a statement that is one by itself. */
export async function retryDeadlocks<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isDeadlock(error) || attempt === TRIES_AFTER_DEADLOCK) throw error;
    }
  }
}
