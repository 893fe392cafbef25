/** Email statistics of a team. They are read from counters, so the cost does not grow with the number of emails. */
import { sql } from 'kysely';
import { keepToDomain } from '../../api/bound-keys.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Caller } from '../../api/caller.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import { getDomainName } from '../../sending/domains/find-domain.ts';
import type { Reputation } from './analytics.schema.ts';
import { ALL_DOMAINS } from '../../sending/counters/count-columns.ts';

export type DomainScope = Pick<Caller, 'teamId' | 'domainIds'>;

/** Counts over all time. */
export async function getReputation(
  db: Db,
  caller: DomainScope,
  query: { domainId?: number | undefined },
): Promise<Reputation> {
  const domainIds = await chooseDomains(db, caller, query.domainId);
  const { rows } = await sql<CamelRow<'total_counts', 'delivered' | 'hard_bounced' | 'complained'>>`
    select coalesce(sum(delivered), 0)::float8 as delivered, coalesce(sum(hard_bounced), 0)::float8 as "hardBounced",
      coalesce(sum(complained), 0)::float8 as complained
    from total_counts
    where team_id = ${caller.teamId} and domain_id = any (${domainIds}::integer[])
  `.execute(db);
  const { delivered, hardBounced, complained } = rows[0]!;
  return {
    delivered,
    hardBounced,
    complained,
    bounceRate: percent(hardBounced, delivered + hardBounced),
    complaintRate: percent(complained, delivered),
  };
}

/** Counts over all time. */
export async function countBounces(
  db: Db,
  caller: DomainScope,
): Promise<{ hard: number; soft: number; complaints: number }> {
  const { rows } = await sql<{ hard: number; soft: number; complaints: number }>`
    select coalesce(sum(hard_bounced), 0)::float8 as hard, coalesce(sum(bounced - hard_bounced), 0)::float8 as soft,
      coalesce(sum(complained), 0)::float8 as complaints
    from total_counts
    where team_id = ${caller.teamId} and domain_id = any (${caller.domainIds ?? [ALL_DOMAINS]}::integer[])
  `.execute(db);
  return rows[0]!;
}

function percent(part: number, whole: number): number {
  return whole > 0 ? Math.min(100, (100 * part) / whole) : 0;
}

/** A key that is bound to domains sees only those. */
export async function chooseDomains(
  db: Db,
  caller: DomainScope,
  wanted: number | undefined,
): Promise<readonly number[]> {
  if (wanted === undefined) return caller.domainIds ?? [ALL_DOMAINS];
  keepToDomain(caller, wanted);
  await getDomainName(db, caller.teamId, wanted);
  return [wanted];
}
