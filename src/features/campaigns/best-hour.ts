/**
 * Campaigns that each recipient gets at its best hour: the hour of the day at which it has opened and clicked most, or
 * else at which its book has. The counters are kept with the visits (visit-steps.ts). A share of the recipients, chosen by their
 * address, gets the email at the start; the report compares them.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../platform/database/database.ts';
import { FIRST_TRIED_AT } from '../sending/counters/count-columns.ts';
import { bestHourOf } from './best-hour-setting.ts';
import type { CampaignRow } from './campaign-row.ts';
import type { CampaignReport } from './report.schema.ts';

type Timed = Pick<CampaignRow, 'teamId' | 'id' | 'bestWithinHours' | 'holdoutPercent'>;

/** How much the hours of the book count beside those of a contact: as much as so many visits. */
const BOOK_WEIGHT = 2;

/** True for recipients that get the email at the start. It depends on nothing that changes. */
function isHeldOut({ id, holdoutPercent }: Pick<Timed, 'id' | 'holdoutPercent'>, key: RawBuilder<unknown>) {
  const hash = sql`sha256(convert_to(${id}::text || ${key}, 'UTF8'))`;
  return sql<boolean>`(get_byte(${hash}, 0) * 256 + get_byte(${hash}, 1)) % 100 < ${holdoutPercent ?? 0}::integer`;
}

/**
 * When the best hour comes for a recipient in `fresh`, as a table `due` with the column `at`. Hours that the book and
 * the contact like equally well come as soon as possible, and without any visits the email is sent at the start.
 */
export function bestTimes(campaign: Timed & Pick<CampaignRow, 'begunAt'>, book: string): RawBuilder<unknown> {
  const { teamId, bestWithinHours, begunAt } = campaign;
  const started = sql`${begunAt}::timestamptz`;
  return sql`lateral (
    select case when ${isHeldOut(campaign, sql`fresh.email_key`)} then ${started} else (
      select greatest(date_trunc('hour', ${started}, 'UTC') + make_interval(hours => ahead), ${started})
      from generate_series(0, ${bestWithinHours}::integer - 1) as ahead
      cross join lateral (
        select extract(hour from (${started} + make_interval(hours => ahead)) at time zone 'utc')::smallint as hour
      ) as wall
      left join contact_hours h on h.team_id = ${teamId} and h.contact_book_id = ${book} and h.contact_id = fresh.id
        and h.hour = wall.hour
      left join book_hours on book_hours.hour = wall.hour
      order by coalesce(h.visits, 0) + coalesce(book_hours.share, 0) * ${BOOK_WEIGHT} desc, ahead limit 1
    ) end as at
  ) as due`;
}

/** The share of each hour in the visits of a book, for the table `book_hours` that bestTimes reads. */
export function bookHours(teamId: number, book: string): RawBuilder<unknown> {
  return sql`
    select hour, sum(visits)::float8 / sum(sum(visits)) over () as share from contact_book_hours
    where team_id = ${teamId} and contact_book_id = ${book} group by hour`;
}

/** Compares those who got it at their best hour with those who got it at the start. Reads the ledger. */
export async function reportBestHour(db: Db, campaign: Timed): Promise<CampaignReport['bestHour']> {
  const bestHour = bestHourOf(campaign);
  if (!bestHour) return null;
  const { teamId, id } = campaign;
  type Counts = NonNullable<CampaignReport['bestHour']>['best'];
  const { rows } = await sql<Counts & { isHeldOut: boolean }>`
    select ${isHeldOut(campaign, sql`r.address_key`)} as "isHeldOut", ${COUNT_SENT} as sent,
      count(o.address_key) as opened, count(k.address_key) as clicked, count(u.address_key) as unsubscribed
    from campaign_recipients r ${JOIN_EMAIL}
    ${joinResult('o', 'opened')} ${joinResult('k', 'clicked')} ${joinResult('u', 'unsubscribed')}
    where r.team_id = ${teamId} and r.campaign_id = ${id} and r.state <> 'skipped'
    group by 1
  `.execute(db);
  const countsOf = (heldOut: boolean): Counts => {
    const found = rows.find((row) => row.isHeldOut === heldOut);
    if (!found) return { sent: 0, opened: 0, clicked: 0, unsubscribed: 0 };
    const { sent, opened, clicked, unsubscribed } = found;
    return { sent, opened, clicked, unsubscribed };
  };
  return { ...bestHour, best: countsOf(false), holdout: countsOf(true) };
}

/** The email of a recipient `r` that was not delivered with the first attempt. */
export const JOIN_EMAIL = sql`left join emails e
  on r.state = 'released' and e.team_id = r.team_id and e.id = r.email_id`;
/** Recipients whose email waits in the queue, or was dropped from it, were not sent to. */
export const COUNT_SENT = sql`count(*) filter (
  where r.state = 'delivered' or ${sql.raw(FIRST_TRIED_AT)} is not null)`;

export function joinResult(alias: string, result: string): RawBuilder<unknown> {
  const table = sql.ref(alias);
  return sql`left join campaign_results ${table} on ${table}.team_id = r.team_id
    and ${table}.campaign_id = r.campaign_id and ${table}.result = ${result} and ${table}.address_key = r.address_key`;
}
