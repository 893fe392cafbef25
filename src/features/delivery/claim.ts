/**
 * Claims deliveries from the queue (platform/due/due.ts explains leases). A claim moves `due_at` to the end of the lease,
 * so another worker can claim the delivery again if this worker dies. A delivery that an operator holds is due at
 * 'infinity' (queue/change-queue.ts).
 */
import { sql, type RawBuilder } from 'kysely';
import { Fragment, statement, toNumberArray, type Db } from '../../platform/database/database.ts';
import type { CamelRow, Row } from '../../platform/database/rows.ts';
import { openContent } from '../sending/emails/read-content.ts';
import { PRIORITY } from '../sending/emails/priority.ts';
import { CAMPAIGN_IS_HELD } from '../campaigns/held.ts';
import { NOT_CLOSED } from '../instance/closed-teams.ts';
import type { FromBatch } from './open-batch.ts';
import { giveBack, type LeasedTable } from '../../platform/due/due.ts';
import { LEASE_SECONDS } from '../../platform/due/lease-state.ts';

/** The lease of a delivery ends when it is due again. */
export const DELIVERY_LEASES: LeasedTable<'team_id' | 'email_id' | 'recipient_no'> = {
  name: 'deliveries',
  key: { team_id: 'integer', email_id: 'uuid', recipient_no: 'smallint' },
  holder: 'leased_by',
  endsAt: 'due_at',
  whenFreed: 'is-due',
};

export function toLeaseKey({ teamId, emailId, recipientNo }: DeliveryKey) {
  return { team_id: teamId, email_id: emailId, recipient_no: recipientNo };
}

/** The channel of hints that deliveries are due. */
export const DELIVERIES_DUE = 'deliveries_due';
/** Limits the message bytes of one claim. A single larger message is still claimed, alone. */
const MAX_CLAIM_BYTES = 16 * 1024 * 1024;

export interface ClaimedDelivery extends CamelRow<
  'deliveries',
  | 'team_id'
  | 'email_id'
  | 'recipient_no'
  | 'recipient'
  | 'recipient_domain'
  | 'domain_id'
  | 'attempts'
  | 'first_tried_at'
  | 'campaign_id'
> {
  /** Lower values go first. */
  priority: Row<'deliveries'>['priority'];
  /** True when the email has no other recipient. */
  isLone: boolean;
  /** Null for a campaign, whose message is rendered when it is sent, and when `stored` is set. */
  raw: Buffer | null;
  /**
   * Set if the message is composed from a recipe, or if parts of it are in the object store. It is read when the attempt
   * begins.
   */
  stored?: { bytes: number; read(): Promise<Buffer> };
  /** What an SMTP client asked for, or null. */
  envelope: ClaimedEnvelope | null;
  /** Set if it was taken from a batch of a campaign, and is not in the queue. */
  fromBatch?: FromBatch;
  /** The trace of the email. Set only while tracing is on. */
  traceparent?: string | null;
}

/** The row of email_envelopes for the recipient. */
export interface ClaimedEnvelope extends Row<
  'email_envelopes',
  'sender' | 'ret' | 'envid' | 'notify' | 'orcpt'
> {
  requiresTls: Row<'email_envelopes'>['requires_tls'];
  isReport: Row<'email_envelopes'>['is_report'];
}

const HELD_CAMPAIGNS = `select id::text from campaigns where ${CAMPAIGN_IS_HELD.text}`;

/**
 * Skips deliveries of held campaigns and closed teams, including retries. Soon after a pause these are parked, and are
 * no longer in the index that claims read (campaigns/running/park-deliveries.ts). crowded-destinations.ts does the same for
 * deliveries to a full destination. Until then, this condition skips them by campaign. IDs are compared as text,
 * because PostgreSQL has no statistics for that expression. With statistics, a queue that belongs mostly to one
 * campaign would look almost entirely held, and the planner would read and sort the whole queue instead of its first
 * rows.
 */
export const NOT_HELD = new Fragment(
  `not parked and not set_aside and (campaign_id is null or campaign_id::text <> all(array(${HELD_CAMPAIGNS}))) and ${NOT_CLOSED.text}`,
);

interface ClaimedRow
  extends
    Omit<ClaimedDelivery, 'raw' | 'stored'>,
    CamelRow<'email_contents', 'inflated_size' | 'full_size' | 'is_recipe'> {
  /** Set when the message is UTF-8 text. The driver decodes bytea from hex, which costs four times as much. */
  text: string | null;
  bytes: Buffer | null;
}

export function isUrgent({ priority }: Pick<ClaimedDelivery, 'priority'>): boolean {
  return priority === PRIORITY.transactional;
}

export interface ClaimFrom {
  urgentOnly: boolean;
  /** Recipient domains to skip, so that one slow provider does not delay the others. */
  except: string[];
  /** The subset of `except` that urgent mail must skip too. */
  exceptForUrgent: string[];
}

/**
 * Claims due deliveries, at most `count` and MAX_CLAIM_BYTES of content. The steps of the statement, by their names:
 *
 *   due      the next deliveries in the order of the queue, locked; skips those that another worker has locked
 *   sized    the total content size up to each of them; the first is always claimed
 *   claimed  the deliveries up to the limit, leased to this worker
 *
 * The final SELECT reads the content, so that it is read once. If the CTE that adds up the sizes returned it,
 * the UPDATE would read it as well.
 */
export async function claimDeliveries(
  db: Db,
  workerId: string,
  count: number,
  { urgentOnly, except, exceptForUrgent }: ClaimFrom,
): Promise<ClaimedDelivery[]> {
  const lastPriority = urgentOnly ? PRIORITY.transactional : PRIORITY.bulk;
  const rows = await statement<ClaimedRow>(db)`
    with due as materialized (
      select team_id, email_id, recipient_no, priority, due_at from deliveries
      where due_at <= now() and priority <= ${lastPriority}::smallint and ${NOT_HELD}
        and (recipient_domain <> all(${except}::text[])
          or (priority = ${PRIORITY.transactional}::smallint and recipient_domain <> all(${exceptForUrgent}::text[])))
      order by priority, due_at limit ${count} for update skip locked
    ), sized as materialized (
      select due.team_id, due.email_id, recipient_no, row_number() over in_order as position,
        sum(coalesce(content.full_size, content.inflated_size, octet_length(content.raw))) over in_order as bytes
      from due
      left join email_contents content on content.team_id = due.team_id and content.email_id = due.email_id
      window in_order as (order by priority, due_at, due.email_id, recipient_no rows unbounded preceding)
    ), claimed as (
      update deliveries d set leased_by = ${workerId}, due_at = now() + make_interval(secs => ${LEASE_SECONDS})
      from sized s
      where d.team_id = s.team_id and d.email_id = s.email_id and d.recipient_no = s.recipient_no
        and (s.position = 1 or coalesce(s.bytes, 0) <= ${MAX_CLAIM_BYTES})
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
      case when not content.is_text then content.raw end as bytes, content.inflated_size as "inflatedSize",
      content.full_size as "fullSize", content.is_recipe as "isRecipe",
      case when v.team_id is not null then json_build_object(
        'sender', v.sender, 'ret', v.ret, 'envid', v.envid, 'notify', v.notify, 'orcpt', v.orcpt,
        'requiresTls', v.requires_tls, 'isReport', v.is_report) end as envelope
    from claimed d
    left join email_contents content on content.team_id = d.team_id and content.email_id = d.email_id
    left join email_envelopes v
      on v.team_id = d.team_id and v.email_id = d.email_id and v.recipient_no = d.recipient_no`;
  return Promise.all(rows.map((row) => toDelivery(db, row)));
}

async function toDelivery(
  db: Db,
  { text, bytes, inflatedSize, fullSize, isRecipe, ...delivery }: ClaimedRow,
): Promise<ClaimedDelivery> {
  const stored = text === null ? bytes : Buffer.from(text);
  if (!stored) return { ...delivery, raw: null };
  const content = await openContent(db, delivery, { bytes: stored, inflatedSize, fullSize, isRecipe });
  if (typeof content !== 'function') return { ...delivery, raw: content };
  return { ...delivery, raw: null, stored: { bytes: fullSize!, read: content } };
}

/** Identifies a delivery. */
export type DeliveryKey = CamelRow<'deliveries', 'team_id' | 'email_id' | 'recipient_no'>;

/** Puts some claimed deliveries, whose attempts have not started, back into the queue. Those of batches are not in it. */
export async function returnDeliveries(
  db: Db,
  workerId: string,
  deliveries: ClaimedDelivery[],
): Promise<void> {
  const ofQueue = deliveries.filter(({ fromBatch }) => !fromBatch);
  if (ofQueue.length === 0) return;
  await giveBack(db, DELIVERY_LEASES, workerId, ofQueue.map(toLeaseKey));
}

/** The keys as the table `k`. */
export function keysOf(deliveries: readonly DeliveryKey[]): RawBuilder<unknown> {
  return sql`unnest(
    ${toNumberArray(deliveries, ({ teamId }) => teamId)}::integer[], ${deliveries.map(({ emailId }) => emailId)}::uuid[],
    ${toNumberArray(deliveries, ({ recipientNo }) => recipientNo)}::smallint[]
  ) as k (team_id, email_id, no)`;
}

export async function findHeldCampaigns(db: Db): Promise<string[]> {
  const { rows } = await sql.raw<{ id: string }>(HELD_CAMPAIGNS).execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Returns the milliseconds until a delivery can be claimed (zero or negative when one is due), or null when none is
 * waiting. The query reads only the first row of each priority from the index, so the number of waiting retries does
 * not matter.
 */
export async function untilNextDelivery(db: Db): Promise<number | null> {
  const rows = await statement<{ ms: number | null }>(db)`
    select (extract(epoch from min(first.due_at) - clock_timestamp()) * 1000)::float8 as ms
    from unnest(${Object.values(PRIORITY)}::smallint[]) as each (priority) cross join lateral (
      select due_at from deliveries
      where priority = each.priority and due_at < 'infinity' and ${NOT_HELD} order by due_at limit 1
    ) first`;
  return rows[0]!.ms;
}
