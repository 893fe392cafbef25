import type pg from 'pg';
import type { Config } from '../../config.ts';
import { openDatabase, preparesByName, type Db } from '../../platform/database/database.ts';
import { readDatabaseUrl } from '../../platform/database/database-hosts.ts';
import { openEmbeddedPostgres, isEmbeddedPostgresRunning } from '../../platform/embedded-postgres.ts';
import { findClusterDir } from '../../platform/embedded-postgres/cluster-dir.ts';
import {
  readApplied,
  readFunctionsChecksum,
  type AppliedMigration,
} from '../../platform/database/migrations.ts';
import { findInterruptedMoves } from '../../features/account/team-move/interrupted-moves.ts';
import { checkSecret, type SecretState } from '../../features/account/instance-secret/secret-check.ts';
import { findSecret } from '../../open-secret.ts';
import { parseDomainName } from '../../mail/auth/dns-records.ts';
import type { CheckedDomain } from '../../features/deliverability/health/check-health.ts';
import { domainHostsOf, presentTracking } from '../../features/sending/domains/domain-hosts.ts';
import type { BrakeCause } from '../../features/sending/domains/domain-brake.ts';
import { publicKeysOf } from '../../features/sending/domains/public-keys.ts';
import type { Row } from '../../platform/database/rows.ts';
import { describeError } from '../describe-error.ts';
import type { StoredDomain } from './check-domains.ts';
import { probeNotifications } from './check-notifications.ts';

export type DatabaseProbe =
  | { state: 'none' }
  | { state: 'down'; where: string; reason: string; isEmbedded: boolean }
  | {
      state: 'up';
      where: string;
      /** True if the embedded database was started for the probe and stopped again. */
      wasStarted: boolean;
      version: string;
      versionNumber: number;
      encoding: string;
      /** True if the user may create our tables and the schema of the job queue. */
      mayCreate: boolean;
      applied: AppliedMigration[];
      functionsChecksum: string | undefined;
      /** How far the database's clock is ahead of ours. */
      skewMs: number;
      hasNotifications: boolean;
      /** Null without DATABASE_DIRECT_URL. */
      pooler: PoolerProbe | null;
      domains: StoredDomain[];
      /** Those that are verified, with what their health depends on. */
      checkedDomains: CheckedDomain[];
      queue: QueueProbe;
      brakes: ProbedBrake[];
      /** IDs of teams that a move has left closed. */
      closedTeams: number[];
      /** Passkeys that do not work at BASE_URL. */
      strayPasskeys: StrayPasskeys[];
      /** Null if too few emails were sent for an estimate, or if the database is on another disk. */
      growthBytesPerDay: number | null;
      secret: SecretState;
    };

const CONNECT_TIMEOUT_MS = 8_000;
/** More domains would make the report too long. Verified domains come first. */
const MAX_DOMAINS = 100;
const MAX_HOSTS = 10;
/** Before this many emails, the size of the empty tables would distort the estimate. */
const MIN_EMAILS = 1_000;

/** Creates nothing: if there is no embedded database yet, the first start will create it. */
export async function probeDatabase(config: Config): Promise<DatabaseProbe> {
  const { databaseUrl, databaseDirectUrl, dataDir } = config;
  const where = databaseUrl ? nameOf(databaseUrl) : 'embedded';
  try {
    if (databaseUrl)
      return {
        ...(await query(config, databaseUrl, databaseDirectUrl)),
        where,
        wasStarted: false,
        growthBytesPerDay: null,
      };
    if (!(await findClusterDir(dataDir))) return { state: 'none' };
    const wasRunning = await isEmbeddedPostgresRunning(dataDir);
    const embedded = await openEmbeddedPostgres(dataDir);
    try {
      return { ...(await query(config, embedded.url, null)), where, wasStarted: !wasRunning };
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

export interface QueueProbe {
  waiting: number;
  held: number;
  /** Deliveries that have been due for some minutes and that no worker has claimed. */
  late: number;
  /** Null if none is late. */
  latestMinutes: number | null;
}

/** The passkeys that were made for one host. */
export interface StrayPasskeys {
  host: Row<'passkeys'>['rp_id'];
  people: number;
}

/** A domain whose brake is on, or nearly so. */
export interface ProbedBrake extends Row<'domains', 'name'> {
  status: Row<'domains'>['brake'];
  cause: BrakeCause;
}

const LATE_MINUTES = 10;
const NOTHING_STORED = {
  domains: [],
  checkedDomains: [],
  queue: { waiting: 0, held: 0, late: 0, latestMinutes: null },
  brakes: [],
  closedTeams: [],
  strayPasskeys: [],
  growthBytesPerDay: null,
};

/** How a pooler in transaction mode treats our connections. */
export interface PoolerProbe {
  /** True if it manages prepared statements. */
  preparesByName: boolean;
  statementTimeoutMs: number;
}

async function probePooler(client: pg.PoolClient): Promise<PoolerProbe> {
  const { rows } = await client.query<{ ms: number }>(
    `select setting::float8 as ms from pg_settings where name = 'statement_timeout'`,
  );
  return {
    preparesByName: preparesByName(client),
    statementTimeoutMs: rows[0]!.ms,
  };
}

async function query(config: Config, url: string, directUrl: string | null) {
  const database = openDatabase(url, {
    connections: 2,
    isPooled: directUrl !== null,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    onError: () => {},
  });
  try {
    const client = await database.pool.connect();
    try {
      const begunMs = Date.now();
      const { rows } = await client.query<Answer>(`
        select current_setting('server_version') as version,
          current_setting('server_version_num')::integer as "versionNumber",
          current_setting('server_encoding') as encoding,
          coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayCreate",
          extract(epoch from clock_timestamp())::double precision * 1000 as "nowMs"`);
      const skewMs = rows[0]!.nowMs - (begunMs + Date.now()) / 2;
      const applied = await readApplied(client);
      const functionsChecksum = await readFunctionsChecksum(client);
      const stored = applied.length > 0 ? await readStored(client, database.db, config) : NOTHING_STORED;
      const hasNotifications = await probeNotifications(directUrl ?? url, database.pool).catch(() => false);
      return {
        state: 'up' as const,
        ...rows[0]!,
        skewMs,
        applied,
        functionsChecksum,
        hasNotifications,
        pooler: directUrl === null ? null : await probePooler(client),
        ...stored,
        secret: await checkSecret(client, findSecret(config)),
      };
    } finally {
      client.release();
    }
  } finally {
    await database.close();
  }
}

/** The growth is the average size of an email times the number of emails in the last week. */
async function readStored(client: pg.PoolClient, db: Db, config: Config) {
  // An older schema may lack some columns.
  const { rows } = await client.query<Row<'domains'>>(
    `select * from domains order by held desc, name limit ${MAX_DOMAINS}`,
  );
  const domains: StoredDomain[] = rows.map((row) => ({
    name: row.name,
    region: row.region,
    keys: publicKeysOf(row),
    isVerified: row.held,
  }));
  const checkedDomains = rows.flatMap((row) => toCheckedDomain(row, config));
  const growth = await client.query<{ bytes: number | null }>(`
    select (pg_database_size(current_database()) / sum(sent)
        * (select sum(sent) from daily_counts where domain_id = 0 and day > current_date - 7) / 7)::float8 as bytes
    from total_counts where domain_id = 0 having sum(sent) >= ${MIN_EMAILS}`);
  return {
    domains,
    checkedDomains,
    queue: await readQueue(client),
    brakes: rows.flatMap(({ name, brake, brake_cause: cause }) =>
      cause ? [{ name, status: brake, cause: cause as unknown as BrakeCause }] : [],
    ),
    closedTeams: (await findInterruptedMoves(db)).map(({ id }) => id),
    strayPasskeys: await readStrayPasskeys(client, config),
    growthBytesPerDay: growth.rows[0]?.bytes || null,
  };
}

/** Returns nothing for a domain whose columns are those of an older schema. */
function toCheckedDomain(row: Row<'domains'>, config: Config): CheckedDomain[] {
  const domain = parseDomainName(row.name);
  if (!row.held || !domain || !('mta_sts_hosts' in row) || !('report_token' in row)) return [];
  const hosts = domainHostsOf(row, config);
  const [keys, tracking, mtaSts] = [publicKeysOf(row), presentTracking(row), row.mta_sts];
  return [{ domain, keys, hosts, tracking, mtaSts, hasMailboxes: false, isTrusted: false }];
}

/** Deliveries of paused campaigns and of teams that are being moved wait on purpose. */
async function readQueue(client: pg.PoolClient): Promise<QueueProbe> {
  const isLate = `d.due_at < now() - interval '${LATE_MINUTES} minutes' and c.id is null and t.id is not null`;
  const { rows } = await client.query<QueueProbe>(`
    select count(*)::integer as waiting, count(*) filter (where d.due_at = 'infinity')::integer as held,
      count(*) filter (where ${isLate})::integer as late,
      round(extract(epoch from now() - min(d.due_at) filter (where ${isLate})) / 60)::integer as "latestMinutes"
    from deliveries d
    left join campaigns c on c.team_id = d.team_id and c.id = d.campaign_id and c.status <> 'RUNNING'
    left join teams t on t.id = d.team_id and t.closed_at is null`);
  return rows[0]!;
}

/** A passkey works at the host of BASE_URL at which it was made. */
async function readStrayPasskeys(client: pg.PoolClient, { baseUrl }: Config): Promise<StrayPasskeys[]> {
  // An older schema has no passkeys.
  const { rows: found } = await client.query(`select where to_regclass('passkeys') is not null`);
  if (found.length === 0) return [];
  const { rows } = await client.query<StrayPasskeys>(
    `select rp_id as host, count(distinct user_id)::integer as people from passkeys where rp_id <> $1
     group by rp_id order by rp_id limit ${MAX_HOSTS}`,
    [new URL(baseUrl).hostname],
  );
  return rows;
}

/** Returns hosts and database name, without the password. */
function nameOf(databaseUrl: string): string {
  const { connectionString, hosts } = readDatabaseUrl(databaseUrl);
  const { hostname, port, pathname, searchParams } = new URL(connectionString);
  const host = searchParams.get('host') ?? (port ? `${hostname}:${port}` : hostname);
  const names = hosts?.map((one) => `${one.host}:${one.port}`).join(',') ?? host;
  return `${names}${pathname}`;
}
