/** Metrics of what an operator must renew or repeat: certificates, backups, hosts of customers, and the version. */
import { X509Certificate } from 'node:crypto';
import { sql } from 'kysely';
import { Gauge } from 'prom-client';
import type { Db } from '../../../platform/database/database.ts';
import { DAY_MS } from '../../../platform/durations.ts';
import { readSometimes, type Metrics } from '../../../platform/telemetry/metrics.ts';

interface Upkeep {
  /** Null if there are none. */
  hostsEndAt: Date | null;
  hostStates: { status: string; count: number }[];
  backupAt: Date | null;
  listings: number;
}

async function readUpkeep(db: Db): Promise<Upkeep> {
  const { rows } = await sql<Upkeep>`
    select
      (select min(c.ends_at) from host_certificates c join link_hosts h on h.host = c.host where h.is_ready) as "hostsEndAt",
      (select coalesce(json_agg(json_build_object('status', status, 'count', count)), '[]') from (
        select lower(tracking_status) as status, count(*)::integer as count from domains
        where tracking_status <> 'NONE' group by tracking_status
      ) each) as "hostStates",
      (select at from last_backup) as "backupAt",
      (select count(distinct (zone, subject))::integer from blocklistings) as listings
  `.execute(db);
  return rows[0]!;
}

interface UpkeepFacts {
  version: string;
  /** In PEM. Throws if the certificate cannot be read. */
  readCertificate(): string;
}

export function addUpkeepMetrics({ registry }: Pick<Metrics, 'registry'>, db: Db, facts: UpkeepFacts): void {
  const read = readSometimes(() => readUpkeep(db));
  const version = new Gauge({
    name: 'posthorn_info',
    help: 'Always 1. The label has the version of this process',
    labelNames: ['version'],
    registers: [],
  });
  version.set({ version: facts.version }, 1);
  registry.registerMetric(version);
  registry.registerMetric(
    new Gauge({
      name: 'posthorn_certificate_days',
      help: 'Days until the certificate expires: of the mail ports and HTTPS (own), and the first of those of link hosts (link_hosts)',
      labelNames: ['certificate'],
      registers: [],
      async collect() {
        this.reset();
        const own = endOf(facts.readCertificate);
        if (own !== null) this.set({ certificate: 'own' }, daysUntil(own));
        const hosts = (await read())?.hostsEndAt ?? null;
        if (hosts !== null) this.set({ certificate: 'link_hosts' }, daysUntil(hosts));
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'posthorn_link_hosts',
      help: 'Link hosts of domains, by status; those that are broken or caa_blocked are not used',
      labelNames: ['status'],
      registers: [],
      async collect() {
        const upkeep = await read();
        this.reset();
        for (const { status, count } of upkeep?.hostStates ?? []) this.set({ status }, count);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'posthorn_blocklistings',
      help: 'Addresses of this server and domains of teams that are on a list of DNSBL_ZONES, as last looked up',
      registers: [],
      async collect() {
        this.set((await read())?.listings ?? NaN);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'posthorn_backup_age_seconds',
      help: 'Age of the last backup by `posthorn backup`; left out if there was none',
      // A gauge without labels starts at 0, which would look like a new backup.
      labelNames: ['command'],
      registers: [],
      async collect() {
        const at = (await read())?.backupAt ?? null;
        this.reset();
        if (at !== null) this.set({ command: 'backup' }, Math.max(0, (Date.now() - at.getTime()) / 1000));
      },
    }),
  );
}

function daysUntil(end: Date): number {
  return (end.getTime() - Date.now()) / DAY_MS;
}

function endOf(readCertificate: () => string): Date | null {
  try {
    return new Date(new X509Certificate(readCertificate()).validTo);
  } catch {
    return null;
  }
}
