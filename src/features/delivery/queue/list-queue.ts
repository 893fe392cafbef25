/** Reads the queue: lists deliveries newest first, counts them, and shows one with its events. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { badRequest, notFound } from '../../../platform/errors.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Page } from '../../../platform/pages.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { toEmailStatus } from '../../events/email-events.ts';
import { decodeDeliveryId, encodeDeliveryId } from './delivery-id.ts';
import type { FailureClass } from '../../../mail/bounces/failure-classes.ts';
import type { QueueCounts, QueuedDelivery, QueuedDeliveryWithEvents } from './queue.schema.ts';
import { conditionOf, IS_HELD, type QueueSelection } from './selection.ts';

interface QueueRow
  extends
    CamelRow<
      'deliveries',
      'team_id' | 'email_id' | 'recipient_no' | 'recipient' | 'campaign_id' | 'attempts'
    >,
    Row<'emails', 'sender' | 'subject'> {
  state: QueuedDelivery['state'];
  nextAttemptAt: Date | null;
  queuedAt: Row<'emails'>['created_at'];
  lastAttemptAt: Date | null;
  last: { code?: number; enhanced?: string | null; reason?: string; class?: FailureClass } | null;
}

export async function listQueue(
  db: Db,
  selection: QueueSelection,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<Page<QueuedDelivery>> {
  const rows = await readRows(db, sql`${conditionOf(selection)} ${before(cursor)}`, limit + 1);
  const items = rows.slice(0, limit).map(present);
  return { items, next_cursor: rows.length > limit ? items.at(-1)!.id : null };
}

function before(cursor: string | undefined): RawBuilder<unknown> {
  if (cursor === undefined) return sql``;
  const key = decodeDeliveryId(cursor);
  if (!key || key.recipientNo === null) throw badRequest('The cursor is not valid for this list.');
  return sql`and (d.email_id, d.recipient_no) < (${key.emailId}::uuid, ${key.recipientNo}::smallint)`;
}

export async function countQueue(db: Db, selection: QueueSelection): Promise<QueueCounts> {
  const { rows } = await sql<QueueCounts>`
    select count(*) as total, count(*) filter (where ${IS_HELD}) as held from deliveries d
    where ${conditionOf(selection)}
  `.execute(db);
  return rows[0]!;
}

export async function getQueuedDelivery(
  db: Db,
  teamId: number | null,
  deliveryId: string,
): Promise<QueuedDeliveryWithEvents> {
  if (typeof decodeDeliveryId(deliveryId)?.recipientNo !== 'number') throw notFound('Delivery');
  const [row] = await readRows(db, conditionOf({ teamId, ids: [deliveryId] }), 1);
  if (!row) throw notFound('Delivery');
  const events = await db
    .selectFrom('events')
    .select(['type', 'recipient', 'data', 'created_at'])
    .where('team_id', '=', row.teamId)
    .where('subject_id', '=', row.emailId)
    .where((where) => where.or([where('recipient', '=', row.recipient), where('recipient', 'is', null)]))
    .orderBy('id')
    .execute();
  return {
    ...present(row),
    events: events.map(({ type, recipient, data, created_at }) => ({
      status: toEmailStatus(type),
      recipient,
      createdAt: created_at.toISOString(),
      data,
    })),
  };
}

async function readRows(db: Db, condition: RawBuilder<unknown>, limit: number): Promise<QueueRow[]> {
  const { rows } = await sql<QueueRow>`
    select d.team_id as "teamId", d.email_id as "emailId", d.recipient_no as "recipientNo", e.sender, e.subject,
      d.recipient, d.campaign_id as "campaignId", d.attempts, e.created_at as "queuedAt", last.data as last,
      last.created_at as "lastAttemptAt",
      case when d.leased_by is not null then 'sending' when ${IS_HELD} then 'held'
        when c.status in ('SCHEDULED', 'PAUSED') then 'paused' else 'waiting' end as state,
      case when d.leased_by is null and not ${IS_HELD} then d.due_at end as "nextAttemptAt"
    from (
      select d.* from deliveries d where ${condition} order by d.email_id desc, d.recipient_no desc limit ${limit}
    ) d
    join emails e on e.team_id = d.team_id and e.id = d.email_id
    left join campaigns c on c.team_id = d.team_id and c.id = d.campaign_id
    left join lateral (
      select v.data - 'transcript' as data, v.created_at from events v
      where d.attempts > 0 and v.team_id = d.team_id and v.subject_id = d.email_id and v.recipient = d.recipient
        and v.type = 'email.delivery_delayed'
      order by v.id desc limit 1
    ) last on true
    order by d.email_id desc, d.recipient_no desc
  `.execute(db);
  return rows;
}

function present(row: QueueRow): QueuedDelivery {
  return {
    id: encodeDeliveryId(row),
    teamId: row.teamId,
    emailId: encodeId('eml', row.emailId),
    campaignId: row.campaignId && encodeId('cmp', row.campaignId),
    from: row.sender,
    subject: row.subject,
    recipient: row.recipient,
    state: row.state,
    attempts: row.attempts,
    queuedAt: row.queuedAt.toISOString(),
    lastAttemptAt: row.lastAttemptAt?.toISOString() ?? null,
    lastError: row.last && describe(row.last),
    lastClass: row.last?.class ?? null,
    nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
  };
}

function describe({ code, enhanced, reason }: NonNullable<QueueRow['last']>): string {
  // The reason of a failed login already begins with the code.
  if (code !== undefined && reason?.startsWith(String(code))) return reason;
  return [code, enhanced, reason].filter((part) => part !== undefined && part !== null).join(' ');
}
