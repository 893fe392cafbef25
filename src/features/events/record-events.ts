/**
 * The only place that records events. An event is a row in the stream (`events`) and one call for each webhook that
 * subscribes to it (`webhook_calls`). Both are written in the transaction of the change, so an event exists exactly if
 * its change was committed.
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

/**
 * The part of a statement that adds webhook calls. `happened` must have team_id, id, type and created_at, and `hook`
 * (the webhooks of the teams that are not disabled) team_id, id and events. `ids` and `data` are SQL for the data of
 * the call: the fields that are IDs, as {"emailId": "eml 0190…"}, and all others. Both are evaluated only for calls
 * that are made. Calls are made in the order of `order`, and their own IDs keep it.
 */
export function callWebhooks({ ids, data, order }: { ids: string; data: string; order: string }): string {
  return `
  called as (
    insert into webhook_calls (team_id, webhook_id, id, event_id, type, ids, data, happened_at)
    select team_id, webhook_id, make_uuid(), event_id, type, ids, data, happened_at
    from (
      select h.team_id, hook.id as webhook_id, h.id as event_id, h.type, ${ids} as ids, ${data} as data,
        h.created_at as happened_at
      from hook join happened h on h.team_id = hook.team_id and webhook_wants(hook.events, h.type)
      order by ${order}, hook.id
    ) wanted
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
