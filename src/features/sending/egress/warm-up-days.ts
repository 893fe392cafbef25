/** Counts the messages of a warm-up by day and provider. Days are those of UTC, by the clock of the database. */
import { sql } from 'kysely';
import { statement, type Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { Egresses } from '../../instance/facts.ts';
import { dayOfMessage, limitOfDay, type Complaints, type WarmDay, type WarmUp } from './warm-up.ts';

const TODAY = sql`(now() at time zone 'utc')::date`;

export interface DayKey {
  egress: string;
  provider: string;
}

export async function findWarmUp(
  db: Db,
  egress: string,
): Promise<(WarmUp & { startedAt: Date }) | undefined> {
  const { rows } = await sql<
    CamelRow<'egress_warmups', 'target' | 'start' | 'factor_percent' | 'started_at'>
  >`
    select target, start, factor_percent as "factorPercent", started_at as "startedAt"
    from egress_warmups where egress = ${egress}
  `.execute(db);
  return rows[0] && { ...rows[0], factor: rows[0].factorPercent / 100 };
}

/**
 * Takes one message from the room of today. Mail that must not wait is counted too. Returns on which day a message that
 * is over the limit can be sent, counted from 0 for today.
 */
export async function takeRoom(
  db: Db,
  egresses: Egresses,
  key: DayKey,
  { mayWait }: { mayWait: boolean },
): Promise<number> {
  const warmUp = await findWarmUp(db, key.egress);
  if (!warmUp) return 0;
  for (let tries = 0; tries < 2; tries++) {
    const taken = await statement(db)`
      update egress_days set sent = sent + 1
      where egress = ${key.egress} and provider = ${key.provider} and day = (now() at time zone 'utc')::date
        and (cap is null or sent < cap or not ${mayWait}::boolean)
      returning 1`;
    if (taken.length > 0) return 0;
    const { rows } = await sql<Row<'egress_days', 'cap' | 'waiting'>>`
      update egress_days set waiting = waiting + 1
      where egress = ${key.egress} and provider = ${key.provider} and day = ${TODAY} returning cap, waiting
    `.execute(db);
    if (rows[0]) return dayOfMessage(warmUp, { cap: rows[0].cap, room: 0 }, rows[0].waiting - 1);
    await planDay(db, egresses, key, warmUp);
  }
  return 1;
}

/** The first message of a day decides its limit. Another process may have been faster. */
async function planDay(
  db: Db,
  egresses: Egresses,
  { egress, provider }: DayKey,
  warmUp: WarmUp,
): Promise<void> {
  const { limit } = await readLimit(db, egresses, { egress, provider }, warmUp);
  await sql`
    insert into egress_days (egress, provider, day, cap, change, because)
    values (${egress}, ${provider}, ${TODAY}, ${limit.cap}, ${limit.change}, ${limit.because})
    on conflict do nothing
  `.execute(db);
}

/** The limit of today, which may not have begun. */
export async function readLimit(db: Db, egresses: Egresses, { egress, provider }: DayKey, warmUp: WarmUp) {
  const { rows } = await sql<
    WarmDay & { today: string } & Row<'egress_days', 'change' | 'because' | 'waiting'>
  >`
    select ${TODAY}::text as today, day::text as date, cap, change, because, sent, deferred, blocked, bounced, waiting
    from (select) as one left join lateral (
      select * from egress_days
      where egress = ${egress} and provider = ${provider}
      order by day desc limit 1
    ) d on true
  `.execute(db);
  const { today, ...day } = rows[0]!;
  if (day.date === today) {
    const { cap, change, because, sent } = day;
    return { limit: { cap, change, because }, sent, waiting: day.waiting };
  }
  const complaints = await countComplaints(db, egresses, egress);
  return { limit: limitOfDay(warmUp, day.date ? day : null, today, complaints), sent: 0, waiting: 0 };
}

/** Of the domains that use it, for the mail of the last two days. */
async function countComplaints(db: Db, { pools }: Egresses, egress: string): Promise<Complaints> {
  const names = [
    egress,
    ...Object.keys(pools).filter((name) => pools[name]!.some((member) => member.egress === egress)),
  ];
  const { rows } = await sql<Complaints>`
    select coalesce(sum(q.complained), 0)::integer as complained, coalesce(sum(q.delivered), 0)::integer as delivered
    from domains d join quarter_hour_counts q on q.team_id = d.team_id and q.subject = '' and q.domain_id = d.id
    where q.quarter > now() - interval '2 days' and exists (
      select from unnest(${names}::text[]) as n (name) where position('"' || n.name || '"' in d.pools::text) > 0
    )
  `.execute(db);
  return rows[0]!;
}

export type DayFault = 'deferred' | 'blocked' | 'bounced';

export async function noteFault(db: Db, { egress, provider }: DayKey, fault: DayFault): Promise<void> {
  await sql`
    update egress_days set ${sql.ref(fault)} = ${sql.ref(fault)} + 1
    where egress = ${egress} and provider = ${provider} and day = ${TODAY}
  `.execute(db);
}

/** A message that was not sent after all does not count. */
export async function giveRoomBack(db: Db, { egress, provider }: DayKey): Promise<void> {
  await sql`
    update egress_days set sent = greatest(0, sent - 1)
    where egress = ${egress} and provider = ${provider} and day = ${TODAY}
  `.execute(db);
}
