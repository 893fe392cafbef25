/**
 * The only place that records events. An event is a row in the stream (`events`), and if a webhook subscribes to it, its
 * payload (`webhook_events`) and one call for each such webhook (`webhook_calls`). All are written in the transaction of
 * the change, so an event exists exactly if its change was committed.
 *
 * - `recordEvents` is for changes that are made one at a time: campaigns, domains, received messages.
 * - `email-events.ts` and `contact-events.ts` do the same as parts of statements that change many rows at a time. They
 *   build these parts with `appendToStream` and `callWebhooks`.
 *
 * `read-events.ts` reads the stream. A test call of a webhook is no event (webhooks/calls.ts).
 */
import { Fragment, statement, toJson, type Db } from '../../platform/database/database.ts';
import { newUuid } from '../../platform/ids.ts';
import type { CustomEventType, EventType } from './event-types.ts';

/**
 * The part of a statement that appends to the stream, one row for each row of `from`, which must have team_id, id,
 * subject_id, created_at and type. The other three are SQL for the columns that not every event has.
 */
export function appendToStream({
  from,
  recipient = 'null',
  data = 'null',
  contactIds = 'null',
}: {
  from: string;
  recipient?: string;
  data?: string;
  contactIds?: string;
}): string {
  return `
  recorded as (
    insert into events (team_id, id, subject_id, created_at, type, recipient, data, contact_ids)
    select team_id, id, subject_id, created_at, type, ${recipient}, ${data}, ${contactIds} from ${from}
  )`;
}

/** More events of one type than these begin as one row for each webhook (webhooks/folded-calls.ts). */
const MOST_UNFOLDED = 20;

/**
 * The part of a statement that adds webhook calls. `happened` must have team_id, id, type and created_at, and `hook`
 * (the webhooks of the teams that are not disabled) team_id, id and events. `ids` and `data` are SQL for the data of
 * the call: the fields that are IDs, as {"emailId": "eml 0190…"}, and all others. Both are evaluated only for events
 * that a webhook wants. Calls are made in the order of `order`, and their IDs keep it. The steps, by their names:
 *
 *   wanted_event   what a webhook wants
 *   batched_event  its place among the events of the same type, which are a batch if they are many
 *   shared_event   the payload, once
 *   called         a call for each event and each webhook that wants it, or one for each batch
 */
export function callWebhooks({ ids, data, order }: { ids: string; data: string; order: string }): string {
  return `
  wanted_event as materialized (
    select make_uuid() as id, wanted.*
    from (
      select h.team_id, h.id as event_id, h.type, ${ids} as ids, ${data} as data, h.created_at as happened_at
      from happened h
      where exists (select from hook where hook.team_id = h.team_id and webhook_wants(hook.events, h.type))
      order by ${order}
    ) wanted
  ), batched_event as materialized (
    select team_id, id, type, row_number() over batch as no, count(*) over batch > ${MOST_UNFOLDED} as is_batch,
      first_value(id) over batch as first_id, last_value(id) over batch as last_id
    from wanted_event
    window batch as (partition by team_id, type order by id rows between unbounded preceding and unbounded following)
  ), shared_event as (
    insert into webhook_events (team_id, id, event_id, batch_id, type, ids, data, happened_at)
    select team_id, id, event_id, case when n.is_batch then n.first_id end, e.type, ids, data, happened_at
    from wanted_event e join batched_event n using (team_id, id)
    order by id
  ), called as (
    insert into webhook_calls (team_id, webhook_id, id, last_id)
    select n.team_id, hook.id, n.id, case when n.is_batch then n.last_id end
    from batched_event n join hook on hook.team_id = n.team_id and webhook_wants(hook.events, n.type)
    where n.no = 1 or not n.is_batch
    order by hook.id, n.id
  )`;
}

export interface EventToRecord {
  type: EventType | CustomEventType;
  /** The UUID of the campaign, message, automation or custom event; null for a domain. */
  subjectId: string | null;
  /** The contacts that it happened to. The subject is then their book, unless the event has a subject of its own. */
  contactIds?: string[];
  /** The data that the stream stores in addition to the subject. */
  data?: object;
  /** The data of webhook calls: the subject as the API shows it, with public IDs and times as RFC 3339. */
  notice: object;
  /** True for what only webhooks are told. The stream does not keep it. */
  forWebhooksOnly?: boolean;
}

const APPEND = new Fragment(
  appendToStream({
    from: '(select * from happened where not for_webhooks_only) kept',
    data: 'data',
    contactIds: 'contact_ids',
  }),
);
// Most events cause no call, so the notice becomes jsonb only for those that do.
const CALL_WEBHOOKS = new Fragment(
  callWebhooks({ ids: `'{}'::jsonb`, data: 'h.notice::jsonb', order: 'h.no' }),
);

/** Records the events in the given order. */
export async function recordEvents(db: Db, teamId: number, events: EventToRecord[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ type, subjectId, contactIds = null, data = null, notice, ...rest }, no) => ({
    no,
    id: newUuid(),
    type,
    subject_id: subjectId,
    contact_ids: contactIds,
    data,
    notice,
    for_webhooks_only: rest.forWebhooksOnly ?? false,
  }));
  await statement(db)`
    with happened as (
      select ${teamId}::integer as team_id, now() as created_at, e.*
      from json_to_recordset(${toJson(rows)}::json) as e (
        no integer, id uuid, type text, subject_id uuid, contact_ids uuid[], data jsonb, notice json,
        for_webhooks_only boolean
      )
    ), ${APPEND}, hook as (
      select team_id, id, events from webhooks where team_id = ${teamId} and status <> 'disabled'
    ), ${CALL_WEBHOOKS}
    select`;
}
