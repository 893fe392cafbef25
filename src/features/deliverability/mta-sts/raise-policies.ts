/**
 * Turns the MTA-STS mode `testing` into `enforce` for domains with `mtaStsAuto`, after 14 days of TLS reports without a
 * failure: the first report on connections under a policy in testing is at least 14 days old, others followed in the last
 * 14 days, and none of these had a failure.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';

const DAYS = 14;
/** Older reports say nothing about the servers of today. */
const FORGET_DAYS = 60;

/** For one domain after a report has arrived, or for all. */
export async function raisePolicies(
  db: Db,
  only: { teamId: number; domainId: number } | null = null,
): Promise<void> {
  const days = sql`make_interval(days => ${DAYS}::integer)`;
  await sql`
    update domains d set mta_sts = 'enforce', mta_sts_since = now(), hosts_check_at = now(), updated_at = now()
    where d.mta_sts = 'testing' and d.mta_sts_auto
      ${only ? sql`and d.team_id = ${only.teamId} and d.id = ${only.domainId}` : sql``}
      and exists (
        select from tls_reports r where r.team_id = d.team_id and r.domain_id = d.id and r.is_verified
          and r.testing_sessions > 0 and r.begin_at <= now() - ${days}
          and r.begin_at > now() - make_interval(days => ${FORGET_DAYS}::integer)
      )
      and exists (
        select from tls_reports r where r.team_id = d.team_id and r.domain_id = d.id and r.is_verified
          and r.testing_sessions > 0 and r.end_at > now() - ${days}
      )
      and not exists (
        select from tls_reports r where r.team_id = d.team_id and r.domain_id = d.id and r.is_verified
          and r.failed > 0 and r.end_at > now() - ${days}
      )
  `.execute(db);
}
