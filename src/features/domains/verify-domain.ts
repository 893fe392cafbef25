/** The job behind `PUT /domains/{id}/verify` and the daily look at verified domains. */
import { sql } from 'kysely';
import type { Dns } from '../../mail/dns.ts';
import { judgeRecord, parseDomainName, recordsOf, relevantValues } from '../../mail/dns-records.ts';
import type { DnsRecord, RecordRole } from '../../mail/dns-records.ts';
import { databaseNow, inTransaction, lockNumber, type Db } from '../../platform/database.ts';
import { enqueue } from '../../platform/jobs.ts';
import type { CamelRow } from '../../platform/rows.ts';
import { announce } from '../webhooks/announce.ts';
import { judgeLooks, type Look, type Verdict } from './verification.ts';

const HELD_BY_ANOTHER = 'Another team of this instance has verified this domain. Only one can hold it.';

/** Looks the records up at once, whatever look was planned. One at a time for each domain. */
export async function verifyDomainLater(db: Db, teamId: number, domainId: number, at?: Date): Promise<void> {
  const name = `verify-domain ${domainId}`;
  await enqueue(db, 'verify-domain', { teamId, domainId }, { jobKey: name, queue: name, runAt: at });
}

/**
 * A domain that is being verified has a job for its next look, and a verified one is looked at every day, except those
 * under .test that the sandbox trusts. One whose job was lost gets another.
 */
export async function restartLostVerifications(db: Db): Promise<void> {
  const { rows } = await sql<CamelRow<'domains', 'team_id' | 'id'>>`
    select d.team_id as "teamId", d.id from domains d
    where (d.is_verifying and d.updated_at < now() - interval '1 minute'
        or d.status = 'SUCCESS' and d.name not like '%.test' and d.last_checked_at < now() - interval '2 days')
      and not exists (
        select from graphile_worker._private_jobs j where j.key = 'verify-domain ' || d.id
          and (j.attempts < j.max_attempts or j.locked_at is not null)
      )
  `.execute(db);
  for (const { teamId, id } of rows) await verifyDomainLater(db, teamId, id);
}

export async function verifyDomain(
  db: Db,
  dns: Dns,
  mailHost: string,
  teamId: number,
  domainId: number,
): Promise<void> {
  const domain = await db
    .selectFrom('domains')
    .select([
      'name',
      'public_key',
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
  // Deleted, or failed for good, since this look was planned.
  if (!domain || (!domain.is_verifying && domain.status !== 'SUCCESS')) return;
  const records = recordsOf(parseDomainName(domain.name)!, domain.public_key, mailHost);
  const looks = await lookAll(dns, records);
  const now = await databaseNow(db);
  const known = { held: domain.held, since: domain.checking_since ?? now, checks: domain.checks };
  const verdict = judgeLooks(records, looks, known, now);
  await inTransaction(db, async (trx) => {
    // Whoever asks while we look means the records as they are by then, and not as we found them.
    if (await hasChanged(trx, teamId, domainId, domain.updated_at))
      await verifyDomainLater(trx, teamId, domainId);
    else
      await recordVerdict(trx, { teamId, id: domainId, name: domain.name, since: known.since }, verdict, now);
  });
}

/** Nobody changes it any more before the transaction ends. */
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

async function lookAll(dns: Dns, records: DnsRecord[]): Promise<Record<RecordRole, Look>> {
  const entries = await Promise.all(
    records.map(async (entry) => [entry.role, await look(dns, entry)] as const),
  );
  return Object.fromEntries(entries) as Record<RecordRole, Look>;
}

async function look(dns: Dns, entry: DnsRecord): Promise<Look> {
  const answer = entry.type === 'MX' ? await dns.mx(entry.host) : await dns.txt(entry.host);
  if (answer.kind === 'failed') return { finding: 'no-answer', reason: answer.reason };
  const found =
    answer.kind === 'none'
      ? []
      : answer.records.map((value) => (typeof value === 'string' ? value : value.exchange));
  return { finding: judgeRecord(entry, found), found: relevantValues(entry, found) };
}

/** Writes down what is known now. Whether the name is free is asked under a lock: only one team can hold it. */
export async function recordVerdict(
  db: Db,
  domain: { teamId: number; id: number; name: string; since: Date },
  verdict: Verdict,
  now: Date,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const taken = verdict.status === 'SUCCESS' && (await isHeldByAnother(trx, domain.teamId, domain.name));
    const status = taken ? 'FAILED' : verdict.status;
    const before = await trx
      .selectFrom('domains')
      .select('status')
      .where('team_id', '=', domain.teamId)
      .where('id', '=', domain.id)
      .forUpdate()
      .executeTakeFirst();
    await trx
      .updateTable('domains')
      .set((eb) => ({
        status,
        held: status === 'SUCCESS' ? true : status === 'FAILED' ? false : eb.ref('held'),
        record_status: JSON.stringify(verdict.recordStatus),
        is_verifying: status === 'PENDING' || status === 'TEMPORARY_FAILURE',
        error_message: taken ? HELD_BY_ANOTHER : null,
        verification_error: verdict.verificationError,
        last_checked_at: now,
        updated_at: now,
        checking_since: status === 'SUCCESS' ? null : domain.since,
        checks: status === 'SUCCESS' ? 0 : eb('checks', '+', 1),
      }))
      .where('team_id', '=', domain.teamId)
      .where('id', '=', domain.id)
      .execute();
    if (before && before.status !== status && (status === 'SUCCESS' || status === 'FAILED')) {
      const data = {
        id: domain.id,
        name: domain.name,
        status,
        errorMessage: taken ? HELD_BY_ANOTHER : null,
        verificationError: verdict.verificationError,
      };
      await announce(trx, domain.teamId, [
        { type: status === 'SUCCESS' ? 'domain.verified' : 'domain.failed', data },
      ]);
    }
    if (verdict.nextCheckAt && status !== 'FAILED') {
      await verifyDomainLater(trx, domain.teamId, domain.id, verdict.nextCheckAt);
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
