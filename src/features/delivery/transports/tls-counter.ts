/**
 * Counts the connections to the mail servers of others for TLS reports. The counts of some seconds are written together; a
 * process that is killed loses those.
 */
import { sql } from 'kysely';
import { toJson, type Db } from '../../../platform/database/database.ts';
import type { Log } from '../../../platform/log.ts';
import type { AppliedPolicy, TlsResult } from './tls-results.ts';

interface CountedConnection {
  domain: string;
  policy: AppliedPolicy;
  mx: string;
  ip: string;
  result: TlsResult;
}

export interface TlsCounter {
  count(connection: CountedConnection): void;
  close(): Promise<void>;
}

const WRITE_AFTER_MS = 5_000;
const MAX_ROWS = 5_000;
/** Of a policy, as many lines of this length are kept. */
const MAX_LINES = 50;
const MAX_LINE = 500;
const MAX_REASON = 300;

interface CountRow {
  day: string;
  domain: string;
  policy_type: string;
  result: string;
  mx: string;
  receiving_ip: string;
  policy: string[];
  policy_hosts: string[];
  reason: string | null;
  sessions: number;
}

export function createTlsCounter(db: Db, log: Log): TlsCounter {
  let counts = new Map<string, CountRow>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const rows = [...counts.values()];
    counts = new Map();
    if (rows.length > 0)
      writing = writing
        .then(() => addCounts(db, rows))
        .catch((error: unknown) => log.warn({ err: error }, 'tls: connections could not be counted'));
    return writing;
  }

  return {
    count(connection) {
      const row = toRow(connection, new Date());
      const key = JSON.stringify([
        row.day,
        row.domain,
        row.policy_type,
        row.result,
        row.mx,
        row.receiving_ip,
      ]);
      const known = counts.get(key);
      if (known) known.sessions += 1;
      else counts.set(key, row);
      if (counts.size >= MAX_ROWS) void write();
      else timer ??= setTimeout(() => void write(), WRITE_AFTER_MS).unref();
    },
    close: write,
  };
}

function toRow({ domain, policy, mx, ip, result }: CountedConnection, now: Date): CountRow {
  const isSuccess = result.type === 'success';
  return {
    day: now.toISOString().slice(0, 10),
    domain,
    policy_type: policy.type,
    result: result.type,
    mx: isSuccess ? '' : mx,
    receiving_ip: isSuccess ? '' : ip,
    policy: policy.lines.slice(0, MAX_LINES).map((line) => line.slice(0, MAX_LINE)),
    policy_hosts: policy.hosts.slice(0, MAX_LINES),
    reason: result.reason?.slice(0, MAX_REASON) ?? null,
    sessions: 1,
  };
}

/** In one order, so that processes do not wait for each other in a circle. */
async function addCounts(db: Db, rows: CountRow[]): Promise<void> {
  await sql`
    insert into tls_sessions as s (
      day, domain, policy_type, result, mx, receiving_ip, policy, policy_hosts, reason, sessions
    )
    select r.* from json_to_recordset(${toJson(rows)}::json) as r (
      day date, domain text, policy_type text, result text, mx text, receiving_ip text, policy text[],
      policy_hosts text[], reason text, sessions bigint
    )
    order by 1, 2, 3, 4, 5, 6
    on conflict (day, domain, policy_type, result, mx, receiving_ip)
    do update set sessions = s.sessions + excluded.sessions, policy = excluded.policy,
      policy_hosts = excluded.policy_hosts, reason = coalesce(excluded.reason, s.reason)
  `.execute(db);
}
