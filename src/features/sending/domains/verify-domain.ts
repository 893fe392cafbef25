/** The job behind `PUT /domains/{id}/verify`, which also rechecks verified domains daily. */
import { sql } from 'kysely';
import type { Dns, DnsAnswer, MxRecord } from '../../../mail/auth/dns.ts';
import { compareRecord, parseDomainName, recordsOf, relevantValues } from '../../../mail/auth/dns-records.ts';
import type { DnsRecord, RecordRole } from '../../../mail/auth/dns-records.ts';
import { databaseNow, inTransaction, lockNumber, type Db } from '../../../platform/database/database.ts';
import type { Facts } from '../../instance/facts.ts';
import { enqueue } from '../../jobs/jobs.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import { recordEvents } from '../../events/record-events.ts';
import { checkHostsLater, domainHostsOf, HOST_COLUMNS } from './domain-hosts.ts';
import { DOMAIN_COLUMNS, presentDomainState } from './present-domain.ts';
import { KEY_COLUMNS, publicKeysOf } from './public-keys.ts';
import { useNextKey } from './use-next-key.ts';
import { evaluateLookups, type RecordLookup, type VerificationResult } from './verification.ts';

const HELD_BY_ANOTHER =
  'Another team on this server has already verified this domain. Only one team can use a domain.';

/** Checks the records immediately or at `at`, replacing a planned check. Checks of one domain run one at a time. */
export async function verifyDomainLater(db: Db, teamId: number, domainId: number, at?: Date): Promise<void> {
  const name = `verify-domain ${domainId}`;
  await enqueue(db, 'verify-domain', { teamId, domainId }, { jobKey: name, queue: name, runAt: at });
}

/**
 * A domain that is being verified has a job for its next check, and a verified one is checked daily, except
 * .test names that the sandbox trusts. Restarts the checks whose job was lost.
 */
export async function restartLostVerifications(db: Db): Promise<void> {
  const { rows } = await sql<CamelRow<'domains', 'team_id' | 'id'>>`
    select d.team_id as "teamId", d.id from domains d
    where (d.is_verifying and d.updated_at < now() - interval '1 minute'
        or d.status = 'SUCCESS' and d.name not like '%.test' and d.last_checked_at < now() - interval '2 days')
      and not exists (
        select from jobs j where j.key = 'verify-domain ' || d.id
          and (j.attempts < j.max_attempts or j.leased_by is not null)
      )
  `.execute(db);
  for (const { teamId, id } of rows) await verifyDomainLater(db, teamId, id);
}

export async function verifyDomain(
  db: Db,
  dns: Dns,
  facts: Pick<Facts, 'mailHost' | 'reportHost' | 'baseUrl'>,
  teamId: number,
  domainId: number,
): Promise<void> {
  const domain = await db
    .selectFrom('domains')
    .select([
      ...KEY_COLUMNS,
      ...HOST_COLUMNS,
      'name',
      'next_since',
      'held',
      'checking_since',
      'checks',
      'is_verifying',
      'status',
      'updated_at',
    ])
    .where('team_id', '=', teamId)
    .where('id', '=', domainId)
    .executeTakeFirst();
  // The domain was deleted, or failed permanently, since this check was planned.
  if (!domain || (!domain.is_verifying && domain.status !== 'SUCCESS')) return;
  const hosts = domainHostsOf(domain, facts);
  const records = recordsOf(parseDomainName(domain.name)!, publicKeysOf(domain), facts.mailHost, hosts);
  const lookups = await lookUpAll(dns, records);
  const now = await databaseNow(db);
  const stored = {
    held: domain.held,
    since: domain.checking_since ?? now,
    checks: domain.checks,
    rotatingSince: domain.next_selector && lookups.nextDkim.finding !== 'right' ? domain.next_since : null,
  };
  const result = evaluateLookups(records, lookups, stored, now);
  await inTransaction(db, async (trx) => {
    // If verification was requested again during the lookups, the result may be out of date, so check again.
    if (await hasChanged(trx, teamId, domainId, domain.updated_at))
      await verifyDomainLater(trx, teamId, domainId);
    else {
      const { name } = domain;
      await storeResult(trx, { teamId, id: domainId, name, since: stored.since }, result, now);
      if (result.recordStatus.nextDkim === 'SUCCESS') await useNextKey(trx, teamId, domainId);
    }
  });
}

/** Locks the row until the transaction ends. */
async function hasChanged(trx: Db, teamId: number, domainId: number, since: Date): Promise<boolean> {
  const domain = await trx
    .selectFrom('domains')
    .select('updated_at')
    .where('team_id', '=', teamId)
    .where('id', '=', domainId)
    .forUpdate()
    .executeTakeFirst();
  return domain?.updated_at.getTime() !== since.getTime();
}

/** The result has the roles of these records. */
export async function lookUpAll(dns: Dns, records: DnsRecord[]): Promise<Record<RecordRole, RecordLookup>> {
  const entries = await Promise.all(
    records.map(async (entry) => [entry.role, await lookUp(dns, entry)] as const),
  );
  return Object.fromEntries(entries) as Record<RecordRole, RecordLookup>;
}

async function lookUp(dns: Dns, entry: DnsRecord): Promise<RecordLookup> {
  const answer = await ask(dns, entry);
  if (answer.kind === 'failed') return { finding: 'no-answer', reason: answer.reason };
  const found =
    answer.kind === 'none'
      ? []
      : answer.records.map((value) => (typeof value === 'string' ? value : value.exchange));
  return { finding: compareRecord(entry, found), found: relevantValues(entry, found) };
}

async function ask(dns: Dns, { type, host }: DnsRecord): Promise<DnsAnswer<string | MxRecord>> {
  switch (type) {
    case 'TXT':
      return dns.txt(host);
    case 'MX':
      return dns.mx(host);
    case 'CNAME':
      return dns.cname(host);
    case 'CAA':
      return dns.caa(host);
    case 'A':
      return dns.a(host);
    case 'AAAA':
      return dns.aaaa(host);
  }
}

/** Stores the result. A lock ensures that only one team can hold a name. */
export async function storeResult(
  db: Db,
  domain: { teamId: number; id: number; name: string; since: Date },
  result: VerificationResult,
  now: Date,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const taken = result.status === 'SUCCESS' && (await isHeldByAnother(trx, domain.teamId, domain.name));
    const status = taken ? 'FAILED' : result.status;
    const before = await trx
      .selectFrom('domains')
      .select('status')
      .where('team_id', '=', domain.teamId)
      .where('id', '=', domain.id)
      .forUpdate()
      .executeTakeFirst();
    const row = await trx
      .updateTable('domains')
      .set((eb) => ({
        status,
        held: status === 'SUCCESS' ? true : status === 'FAILED' ? false : eb.ref('held'),
        record_status: JSON.stringify(result.recordStatus),
        is_verifying: status === 'PENDING' || status === 'TEMPORARY_FAILURE',
        error_message: taken ? HELD_BY_ANOTHER : null,
        verification_error: result.verificationError,
        last_checked_at: now,
        updated_at: now,
        checking_since: status === 'SUCCESS' ? null : domain.since,
        checks: status === 'SUCCESS' ? 0 : eb('checks', '+', 1),
      }))
      .where('team_id', '=', domain.teamId)
      .where('id', '=', domain.id)
      .returning([...DOMAIN_COLUMNS, 'hosts_check_at'])
      .executeTakeFirst();
    if (row && before?.status !== status && (status === 'SUCCESS' || status === 'FAILED')) {
      const type = status === 'SUCCESS' ? 'domain.verified' : 'domain.failed';
      const [data, notice] = [{ domainId: row.id }, presentDomainState(row)];
      await recordEvents(trx, domain.teamId, [{ type, subjectId: null, data, notice }]);
    }
    if (row?.hosts_check_at && status === 'SUCCESS' && before?.status !== status)
      await checkHostsLater(trx, domain.teamId, domain.id);
    if (result.nextCheckAt && status !== 'FAILED') {
      await verifyDomainLater(trx, domain.teamId, domain.id, result.nextCheckAt);
    }
  });
}

async function isHeldByAnother(trx: Db, teamId: number, name: string): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(${lockNumber(`domain ${name}`)}::bigint)`.execute(trx);
  const holder = await trx
    .selectFrom('domains')
    .select('id')
    .where('name', '=', name)
    .where('held', '=', true)
    .where('team_id', '<>', teamId)
    .executeTakeFirst();
  return holder !== undefined;
}
