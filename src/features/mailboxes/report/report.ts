/**
 * How much mail a mailbox got and how soon it was answered. A conversation counts if a message of it was received in the
 * days of the report; it waits from the first of these messages to the first message of ours after it.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Caller } from '../../api/caller.ts';
import { spanOf, withKnownZone } from '../../sending/counters/buckets.ts';
import { requireMailbox } from '../mailboxes/find-mailbox.ts';
import { isSentOrWaiting } from '../storage/message-kinds.ts';
import type { MailboxReport, MailboxReportQuery } from './report.schema.ts';

const DEFAULT_DAYS = 30;
const MOST_PEOPLE = 1000;

const MEDIAN = sql`round((percentile_cont(0.5) within group (order by minutes))::numeric, 1)::float8`;

export async function getReport(
  db: Db,
  caller: Caller,
  mailboxId: string,
  query: MailboxReportQuery,
): Promise<MailboxReport> {
  const { id } = await requireMailbox(db, caller, mailboxId);
  const zone = sql`${query.timezone ?? 'UTC'}::text`;
  const statement = sql<ReportRow>`
    with ${countedMail(caller.teamId, id, query, zone)}, ${people()}, ${days(zone)}
    select (select count(*)::integer from received) as received, (select count(*)::integer from written) as sent,
      count(answered_at)::integer as answered, (select count(*)::integer from open) as open,
      ${MEDIAN} as median, round((percentile_cont(0.9) within group (order by minutes))::numeric, 1)::float8 as p90,
      (select coalesce(json_agg(p order by sent desc, answered desc, name), '[]') from person p) as people,
      (select json_agg(d order by date) from counted_day d) as days
    from waits`;
  const row = (await withKnownZone(() => statement.execute(db))).rows[0]!;
  return {
    received: row.received,
    sent: row.sent,
    answered: row.answered,
    open: row.open,
    first_answer: { median_minutes: row.median, p90_minutes: row.p90 },
    by_person: row.people.map(({ author, ...person }) => ({
      user_id: author === null ? null : encodeId('usr', author),
      ...person,
    })),
    by_day: row.days,
  };
}

interface ReportRow extends Pick<MailboxReport, 'received' | 'sent' | 'answered' | 'open'> {
  median: number | null;
  p90: number | null;
  people: (Omit<MailboxReport['by_person'][number], 'user_id'> & { author: string | null })[];
  days: MailboxReport['by_day'];
}

/**
 * CTEs: `received` and `written` are the messages of the days, `waits` has a row for each conversation with its first
 * answer. Messages are found by the index on folders and dates. A scheduled message may have been written up to a year
 * before it left.
 */
function countedMail(
  teamId: number,
  mailboxKey: string,
  { from, to }: MailboxReportQuery,
  zone: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const box = sql`m.team_id = ${teamId} and m.mailbox_id = ${mailboxKey} and m.folder = f.id`;
  const folders = sql`
    select id from folders where team_id = ${teamId} and mailbox_id = ${mailboxKey}`;
  const sentAt = sql`coalesce(e.scheduled_at, m.created_at)`;
  return sql`
    span as (${spanOf({ days: DEFAULT_DAYS, from, to }, zone)}),
    folder as materialized (${folders}),
    received as materialized (
      select m.thread_id, m.created_at as at
      from folder f join messages m on ${box} cross join span
      where m.direction = 'in' and f.id <> 'spam' and m.created_at >= starts_at and m.created_at < ends_at
    ),
    written as materialized (
      select m.thread_id, m.author_id as author, ${sentAt} as at
      from folder f join messages m on ${box} cross join span
      left join all_emails e on e.team_id = m.team_id and e.id = m.email_id
      where ${isSentOrWaiting('m')} and m.created_at >= starts_at - interval '1 year' and m.created_at < ends_at
        and m.saved_at >= starts_at and e.status is distinct from 'SCHEDULED'
        and ${sentAt} >= starts_at and ${sentAt} < ends_at
    ),
    waits as materialized (
      select first.thread_id, first.at, first.last_at, answer.at as answered_at, answer.author,
        extract(epoch from answer.at - first.at) / 60 as minutes
      from (select thread_id, min(at) as at, max(at) as last_at from received group by thread_id) first
      left join lateral (
        select ${sentAt} as at, m.author_id as author
        from messages m left join all_emails e on e.team_id = m.team_id and e.id = m.email_id
        where m.team_id = ${teamId} and m.thread_id = first.thread_id and ${isSentOrWaiting('m')}
          and e.status is distinct from 'SCHEDULED' and ${sentAt} >= first.at
        order by 1 limit 1
      ) answer on true
    ),
    open as (
      select w.thread_id from waits w
      join threads t on t.team_id = ${teamId} and t.id = w.thread_id and t.folder in ('inbox', 'snoozed')
      cross join lateral (
        select m.direction from messages m left join all_emails e on e.team_id = m.team_id and e.id = m.email_id
        where m.team_id = ${teamId} and m.thread_id = w.thread_id and e.status is distinct from 'SCHEDULED'
          and (m.direction = 'in' or ${isSentOrWaiting('m')})
        order by ${sentAt} desc, m.id desc limit 1
      ) last
      where last.direction = 'in'
    )`;
}

/** The CTE `person`: who sent messages, and who answered first. */
function people(): RawBuilder<unknown> {
  const counted = sql`u.id as author, coalesce(u.name, u.email) as name, count(*)::integer as count`;
  return sql`
    writer as (
      select ${counted} from written w left join users u on u.id = w.author group by 1, 2
    ), answerer as (
      select ${counted}, ${MEDIAN} as median
      from waits w left join users u on u.id = w.author where w.answered_at is not null group by 1, 2
    ), person as (
      select coalesce(w.author, a.author) as author, coalesce(w.name, a.name) as name, coalesce(w.count, 0) as sent,
        coalesce(a.count, 0) as answered, a.median as median_minutes
      from writer w full join answerer a on coalesce(a.author::text, '') = coalesce(w.author::text, '')
      order by sent desc, answered desc, name limit ${MOST_PEOPLE}
    )`;
}

/** The CTE `counted_day`: all days of the span. */
function days(zone: RawBuilder<unknown>): RawBuilder<unknown> {
  const perDay = sql`(at at time zone ${zone})::date as day, count(*)::integer as count`;
  return sql`
    day as (
      select first_day + after as day from span, generate_series(0, last_day - first_day) as after
    ), counted_day as (
      select to_char(day.day, 'YYYY-MM-DD') as date, coalesce(r.count, 0) as received, coalesce(w.count, 0) as sent,
        coalesce(a.count, 0) as answered
      from day
      left join (select ${perDay} from received group by 1) r using (day)
      left join (select ${perDay} from written group by 1) w using (day)
      left join (select ${perDay} from waits where answered_at is not null group by 1) a using (day)
    )`;
}
