/**
 * A provider that blocks a message because of policy or spam gets no more bulk mail from that way out for a minute. Each
 * further block in a row doubles the wait, up to an hour. A message that it accepts ends the row.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import type { DayKey } from './warm-up-days.ts';

const FIRST_SECONDS = 60;
const LONGEST_SECONDS = 3_600;
const MAX_REASON = 300;

/** Returns for how long bulk mail has to wait, in milliseconds. */
export async function findSlowdown(db: Db, { egress, provider }: DayKey): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select (extract(epoch from until - clock_timestamp()) * 1000)::float8 as ms from egress_slowdowns
    where egress = ${egress} and provider = ${provider} and until > clock_timestamp()
  `.execute(db);
  return rows[0]?.ms ?? 0;
}

/** Messages that were under way when the provider began to block count once. */
export async function slowDown(db: Db, { egress, provider }: DayKey, reason: string): Promise<void> {
  await sql`
    insert into egress_slowdowns as s (egress, provider, until, blocks, reason)
    values (${egress}, ${provider}, now() + make_interval(secs => ${FIRST_SECONDS}), 1, ${reason.slice(0, MAX_REASON)})
    on conflict (egress, provider) do update set reason = excluded.reason, blocks = s.blocks + 1,
      until = now() + make_interval(secs => least(${LONGEST_SECONDS}, ${FIRST_SECONDS} * 2 ^ least(s.blocks, 10)))
      where s.until <= now()
  `.execute(db);
}

export async function speedUp(db: Db, { egress, provider }: DayKey): Promise<void> {
  await sql`
    delete from egress_slowdowns where egress = ${egress} and provider = ${provider} and until <= now()
  `.execute(db);
}

export type Slowdown = CamelRow<'egress_slowdowns', 'egress' | 'provider' | 'until' | 'reason'>;

export async function listSlowdowns(db: Db): Promise<Slowdown[]> {
  const { rows } = await sql<Slowdown>`
    select egress, provider, until, reason from egress_slowdowns where until > now() order by egress, until desc limit 200
  `.execute(db);
  return rows;
}
