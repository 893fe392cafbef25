/**
 * Reads from a standby of the primary. A read sees everything that was committed before it began, whichever process
 * or client wrote it: the position of the primary's WAL is queried, and the read waits until the standby has
 * replayed that position. Reads that begin at the same moment share both queries, so their cost for the primary
 * does not grow with the number of reads.
 * - A standby that needs more than MOST_BEHIND_MS is suspended: everything is read from the primary, and the
 *   standby is tried again once a second.
 * - A read that fails on the standby runs again on the primary.
 * - Only a server in recovery that receives WAL counts as a standby. One that was promoted, or that lost its
 *   primary, may have another history.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { Counter } from 'prom-client';
import { openDatabase, type Database, type Db } from './database.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';

export interface ReadReplica {
  pool: pg.Pool;
  /** Counts reads by the server that ran them. */
  reads: Counter;
  /** Runs work that only reads, on the standby or on the primary. It may run twice. */
  read<Result>(work: (db: Db) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

const MOST_BEHIND_MS = 250;
const READ_AGAIN_MS = 5;
const TRY_AGAIN_MS = 1_000;
const CONNECT_TIMEOUT_MS = 3_000;
/** A read that takes longer runs again on the primary. */
const STATEMENT_TIMEOUT_MS = 20_000;
/**
 * A write on the standby, a row that replication removed during the read, and a read that takes too long. None of them means
 * that the next read fails.
 */
const READ_ERRORS = ['25006', '40001', '57014'];

const WAL_END = `select pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::int8 as position`;
const REPLAYED = `
  select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::int8 as position
  where pg_is_in_recovery() and exists (select from pg_stat_wal_receiver where pid is not null)`;

export function openReadReplica(
  url: string,
  primary: Pick<Database, 'db' | 'pool'>,
  connections: number,
  log: Log,
): ReadReplica {
  const standby = openDatabase(url, {
    connections,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    // The read that uses the connection fails too and reports the error.
    onError: () => {},
  });
  const reads = new Counter({
    name: 'posthorn_replica_reads_total',
    help: 'Reads that may use DATABASE_READ_URL, by the server that answered',
    labelNames: ['server'],
    registers: [],
  });
  const findFault = createFaultFinder(primary.pool, standby.pool);
  let isSuspended = true;
  let isClosed = false;

  function suspend(reason: string): void {
    if (isSuspended || isClosed) return;
    isSuspended = true;
    log.warn({ reason }, 'read replica: not used, lists are read from the primary');
  }

  async function isReadable(): Promise<boolean> {
    if (isSuspended) return false;
    const fault = await findFault();
    if (fault !== null) suspend(fault);
    return fault === null;
  }

  async function tryAgain(): Promise<void> {
    if (!isSuspended || (await findFault()) !== null || isClosed) return;
    isSuspended = false;
    log.info('read replica: lists are read from it');
  }

  void tryAgain();
  const retrying = setInterval(() => void tryAgain(), TRY_AGAIN_MS).unref();
  return {
    pool: standby.pool,
    reads,
    async read(work) {
      if (await isReadable()) {
        try {
          const result = await work(standby.db);
          reads.inc({ server: 'standby' });
          return result;
        } catch (error) {
          if (error instanceof AppError) throw error;
          const { code = '', message } = error as Error & { code?: string };
          if (!READ_ERRORS.includes(code)) suspend(message);
        }
      }
      reads.inc({ server: 'primary' });
      return work(primary.db);
    },
    close() {
      isClosed = true;
      clearInterval(retrying);
      return standby.close();
    },
  };
}

const LATE = `it is more than ${MOST_BEHIND_MS} ms behind`;

/**
 * The returned function resolves to the reason why the standby cannot be read, or to null once the standby has
 * everything that is committed now.
 */
function createFaultFinder(primary: pg.Pool, standby: pg.Pool): () => Promise<string | null> {
  const readWalEnd = shareQuery(() => readPosition(primary, WAL_END));
  const readReplayed = shareQuery(() => readPosition(standby, REPLAYED));

  async function catchUp(signal: AbortSignal): Promise<string | null> {
    const end = await readWalEnd();
    while (!signal.aborted) {
      const replayed = await readReplayed();
      if (replayed === null) return 'it is not a standby that receives WAL';
      if (end === null || replayed >= end) return null;
      await sleep(READ_AGAIN_MS);
    }
    return LATE;
  }

  return async () => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), MOST_BEHIND_MS);
    const aborted = new Promise<string>((resolve) =>
      late.signal.addEventListener('abort', () => resolve(LATE), { once: true }),
    );
    try {
      return await Promise.race([catchUp(late.signal), aborted]);
    } catch (error) {
      return (error as Error).message;
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Returns null if the server has no such position. */
async function readPosition(pool: pg.Pool, text: string): Promise<number | null> {
  const { rows } = await pool.query<{ position: number | null }>(text);
  return rows[0]?.position ?? null;
}

/** Callers that arrive before the query is sent share its result. Later callers wait for the next query. */
function shareQuery<Result>(query: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<Result> | null = null;
  return () => {
    next ??= running.then(() => {
      next = null;
      const result = query();
      running = result.catch(() => {});
      return result;
    });
    return next;
  };
}
