/**
 * Calls without a row. Of a large batch of events only the first has a row for each webhook, whose `last_id` says that it
 * also stands for the calls of the later events of its batch (callWebhooks in events/record-events.ts). So what a request
 * stores does not grow with its contacts times the webhooks of the team. When the first call is next, the calls after it
 * get rows. Until then they wait and have not been tried, and the API shows them like all others.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../platform/database/database.ts';
import type { Row } from '../../platform/database/rows.ts';
import { fromStart, orderOf, type PageStart } from '../../platform/pages.ts';

const UNFOLDED_AT_ONCE = 200;

interface WebhookKey {
  teamId: number;
  webhookId: Row<'webhooks'>['id'];
}

/** The columns of a call without its event. */
export const CALL = sql`id, status, due_at, attempts, created_at`;
const FOLDED_CALL = sql`e.id, 'waiting' as status, batch.due_at, 0 as attempts, batch.created_at`;

/** The rows that stand for several calls, with the batch of their events. */
function batches({ teamId, webhookId }: WebhookKey, type?: string): RawBuilder<unknown> {
  const isWanted = type === undefined ? sql`true` : sql`first.type = ${type}`;
  return sql`
    select c.id, c.last_id, c.due_at, c.created_at, first.batch_id
    from webhook_calls c join webhook_events first on first.team_id = c.team_id and first.id = c.id
    where c.team_id = ${teamId} and c.webhook_id = ${webhookId} and c.last_id is not null and ${isWanted}`;
}

/** A query for the folded calls of one page. Only the batches that can have calls of the page are read. */
export function foldedPage(
  key: WebhookKey,
  { start, limit, type }: { start: PageStart; limit: number; type: string | undefined },
): RawBuilder<unknown> {
  const edge = sql`(
    select id from batch where ${fromStart(start, 'id')} order by id ${orderOf(start)} offset ${limit} limit 1)`;
  const isNear =
    start.order === 'desc'
      ? sql`batch.last_id >= coalesce(${edge}, batch.last_id)`
      : sql`batch.id <= coalesce(${edge}, batch.id)`;
  return sql`
    with batch as materialized (${batches(key, type)})
    select ${FOLDED_CALL}
    from batch cross join lateral (
      select id from webhook_events
      where team_id = ${key.teamId} and batch_id = batch.batch_id and id > batch.id and id <= batch.last_id
        and ${fromStart(start, 'id')}
      order by id ${orderOf(start)} limit ${limit}
    ) e
    where ${isNear}
    order by e.id ${orderOf(start)} limit ${limit}`;
}

/** A query for one folded call. */
export function foldedCall(key: WebhookKey, id: string | null): RawBuilder<unknown> {
  return sql`
    select ${FOLDED_CALL}
    from webhook_events e join (${batches(key)}) batch
      on batch.batch_id = e.batch_id and batch.id < e.id and batch.last_id >= e.id
    where e.team_id = ${key.teamId} and e.id = ${id}`;
}

/** Gives rows to the calls after these, which must be waiting calls of one webhook. */
export async function unfoldCalls(db: Db, { teamId, webhookId }: WebhookKey, ids: string[]): Promise<void> {
  await sql`
    with batch as materialized (
      select c.id, c.last_id, c.due_at, c.created_at from webhook_calls c
      where c.team_id = ${teamId} and c.webhook_id = ${webhookId} and c.id = any(${ids}::uuid[])
        and c.last_id is not null
      order by c.id for update
    ), next as (
      select e.id, batch.last_id, batch.due_at, batch.created_at, e.no
      from batch join webhook_events first on first.team_id = ${teamId} and first.id = batch.id
      cross join lateral (
        select id, row_number() over (order by id) as no from webhook_events
        where team_id = ${teamId} and batch_id = first.batch_id and id > batch.id and id <= batch.last_id
        order by id limit ${UNFOLDED_AT_ONCE}
      ) e
    ), unfolded as (
      update webhook_calls c set last_id = null from batch
      where c.team_id = ${teamId} and c.webhook_id = ${webhookId} and c.id = batch.id
    )
    insert into webhook_calls (team_id, webhook_id, id, last_id, due_at, created_at)
    select ${teamId}, ${webhookId}, id, case when no = ${UNFOLDED_AT_ONCE} and id < last_id then last_id end, due_at,
      created_at
    from next order by id
  `.execute(db);
}

/** Counts the folded calls of all webhooks, up to a limit. */
export const foldedCount = (limit: number) => sql<number>`(
  select count(*) from (
    select from webhook_calls c join webhook_events first on first.team_id = c.team_id and first.id = c.id
    join webhook_events e
      on e.team_id = c.team_id and e.batch_id = first.batch_id and e.id > c.id and e.id <= c.last_id
    where c.last_id is not null limit ${limit}
  ) counted)`;
