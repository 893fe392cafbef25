/**
 * Taking deliveries from the queue: claimed with `skip locked`, so couriers never wait for each other, and moved
 * behind the end of a lease, so that those of a courier who dies are taken over when it ends.
 */
import { sql } from 'kysely';
import { Fragment, statement, toArray, type Db } from '../../platform/database.ts';
import { PRIORITY } from '../emails/priority.ts';

export const LEASE_SECONDS = 20;
/** Of messages in one claim, but for one that is larger by itself. */
const MOST_BYTES = 16 * 1024 * 1024;

/** One delivery with all that is needed to try it. */
export interface Parcel {
  teamId: number;
  emailId: string;
  recipientNo: number;
  recipient: string;
  recipientDomain: string;
  domainId: number;
  /** The least goes first. */
  priority: number;
  /** Its email has no other recipient. */
  isLone: boolean;
  /** How often it was tried before. */
  attempts: number;
  firstTriedAt: Date | null;
  /** Null for a campaign's: that is rendered when it is sent. */
  raw: Buffer | null;
  campaignId: string | null;
}

/** Those that have begun and do not run now. */
const HELD_CAMPAIGNS = `
  select id::text from campaigns where status in ('SCHEDULED', 'PAUSED') and begun_at is not null`;

/**
 * What waits for such a campaign is passed over, also what is to be tried again. Compared as text, of which PostgreSQL
 * knows nothing beforehand: where most of the queue is of one campaign it would take nearly all of it for held, and so
 * read and sort the whole of it in place of the first few.
 */
const NOT_HELD = new Fragment(`(campaign_id is null or campaign_id::text <> all(array(${HELD_CAMPAIGNS})))`);

interface ClaimedRow extends Omit<Parcel, 'raw'> {
  /** The message, where it is text; the driver reads bytes as digits, at four times the cost. */
  text: string | null;
  bytes: Buffer | null;
}

export function isUrgent({ priority }: Pick<Parcel, 'priority'>): boolean {
  return priority === PRIORITY.transactional;
}

export interface ClaimFrom {
  urgentOnly: boolean;
  /** Domains that would have to wait: one slow provider must not hold up the others. */
  except: string[];
  /** Of those, the ones that urgent mail has to wait for as well. */
  exceptForUrgent: string[];
}

/**
 * Content is read last, once for each: what stands in the part that weighs would be read by the UPDATE as well.
 */
export async function claimDeliveries(
  db: Db,
  courierId: string,
  count: number,
  { urgentOnly, except, exceptForUrgent }: ClaimFrom,
): Promise<Parcel[]> {
  const lastPriority = urgentOnly ? PRIORITY.transactional : PRIORITY.bulk;
  const rows = await statement<ClaimedRow>(db)`
    with due as materialized (
      select team_id, email_id, recipient_no, priority, due_at from deliveries
      where due_at <= now() and priority <= ${lastPriority}::smallint and ${NOT_HELD}
        and (recipient_domain <> all(${except}::text[])
          or (priority = ${PRIORITY.transactional}::smallint and recipient_domain <> all(${exceptForUrgent}::text[])))
      order by priority, due_at limit ${count} for update skip locked
    ), weighed as materialized (
      select due.team_id, due.email_id, recipient_no, row_number() over in_turn as turn,
        sum(octet_length(content.raw)) over in_turn as bytes
      from due
      left join email_contents content on content.team_id = due.team_id and content.email_id = due.email_id
      window in_turn as (order by priority, due_at, due.email_id, recipient_no rows unbounded preceding)
    ), claimed as (
      update deliveries d set leased_by = ${courierId}, due_at = now() + make_interval(secs => ${LEASE_SECONDS})
      from weighed w
      where d.team_id = w.team_id and d.email_id = w.email_id and d.recipient_no = w.recipient_no
        and (w.turn = 1 or coalesce(w.bytes, 0) <= ${MOST_BYTES})
      returning d.*
    )
    select d.team_id as "teamId", d.email_id as "emailId", d.recipient_no as "recipientNo", d.recipient,
      d.recipient_domain as "recipientDomain", d.domain_id as "domainId", d.priority, d.attempts,
      d.first_tried_at as "firstTriedAt", d.campaign_id as "campaignId",
      not exists (
        select from email_recipients r
        where r.team_id = d.team_id and r.email_id = d.email_id and r.no <> d.recipient_no
      ) as "isLone",
      case when content.is_text then convert_from(content.raw, 'UTF8') end as text,
      case when not content.is_text then content.raw end as bytes
    from claimed d
    left join email_contents content on content.team_id = d.team_id and content.email_id = d.email_id`;
  return rows.map(({ text, bytes, ...parcel }) => ({
    ...parcel,
    raw: text === null ? bytes : Buffer.from(text),
  }));
}

/**
 * SKIP LOCKED: a delivery that is locked now is being finished or put off. Waiting for it while holding others, which
 * the writer of outcomes may want next, would be a deadlock. The next renewal comes long before the lease ends.
 */
export async function renewLeases(db: Db, courierId: string): Promise<void> {
  await sql`
    with mine as (
      select team_id, email_id, recipient_no from deliveries where leased_by = ${courierId} for update skip locked
    )
    update deliveries d set due_at = now() + make_interval(secs => ${LEASE_SECONDS}) from mine
    where d.team_id = mine.team_id and d.email_id = mine.email_id and d.recipient_no = mine.recipient_no
  `.execute(db);
}

/** Gives back what was claimed and not tried, by us at the end or by a courier who is gone. SKIP LOCKED as above. */
export async function freeLeases(db: Db, courierIds: string[]): Promise<void> {
  await sql`
    with theirs as (
      select team_id, email_id, recipient_no from deliveries where leased_by = any(${courierIds}::uuid[])
      for update skip locked
    )
    update deliveries d set leased_by = null, due_at = now() from theirs
    where d.team_id = theirs.team_id and d.email_id = theirs.email_id and d.recipient_no = theirs.recipient_no
  `.execute(db);
}

/** Gives back some of what was claimed and not begun. */
export async function returnParcels(db: Db, courierId: string, parcels: Parcel[]): Promise<void> {
  if (parcels.length === 0) return;
  await sql`
    update deliveries d set leased_by = null, due_at = now()
    from unnest(
      ${toArray(parcels, ({ teamId }) => teamId)}::integer[], ${toArray(parcels, ({ emailId }) => emailId)}::uuid[],
      ${toArray(parcels, ({ recipientNo }) => recipientNo)}::smallint[]
    ) as k (team_id, email_id, no)
    where d.team_id = k.team_id and d.email_id = k.email_id and d.recipient_no = k.no and d.leased_by = ${courierId}
  `.execute(db);
}

/** The campaigns whose letters are passed over now. */
export async function findHeldCampaigns(db: Db): Promise<string[]> {
  const { rows } = await sql.raw<{ id: string }>(HELD_CAMPAIGNS).execute(db);
  return rows.map(({ id }) => id);
}

export async function findLeaseHolders(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct leased_by as id from deliveries where leased_by is not null
  `.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * How long until something can be claimed, less than nothing when it can be now; null when the queue is empty. The first
 * of each priority stands in front in the index: a million that are to be tried again later are not looked at.
 */
export async function untilNextDelivery(db: Db): Promise<number | null> {
  const rows = await statement<{ ms: number | null }>(db)`
    select (extract(epoch from min(first.due_at) - clock_timestamp()) * 1000)::float8 as ms
    from unnest(${Object.values(PRIORITY)}::smallint[]) as each (priority) cross join lateral (
      select due_at from deliveries where priority = each.priority and ${NOT_HELD} order by due_at limit 1
    ) first`;
  return rows[0]!.ms;
}
