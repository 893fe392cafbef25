/** Builds a call's payload from the stored event, so that every attempt sends the same bytes. */
import { sql } from 'kysely';
import { encodeId, type IdPrefix } from '../../platform/ids.ts';
import type { Row } from '../../platform/database/rows.ts';

export interface StoredEvent extends Row<'webhook_events', 'type' | 'happened_at'> {
  /** Maps the name of a field to "prefix uuid", which becomes a public ID. */
  ids: Record<string, unknown>;
  data: Record<string, unknown>;
}

/** The events of calls `c` are `e`. Calls from before migration 480 have their event themselves. */
export const JOIN_EVENT = sql`left join webhook_events e on e.team_id = c.team_id and e.id = c.id`;
export const EVENT_ID = sql<string>`coalesce(c.event_id, e.event_id)`;
export const EVENT = sql`
  coalesce(c.type, e.type) as type, coalesce(c.ids, e.ids) as ids, coalesce(c.data, e.data) as data,
  coalesce(c.happened_at, e.happened_at) as happened_at`;

export interface Payload {
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

export function toPayload({ type, happened_at, ids, data }: StoredEvent): Payload {
  return { type, timestamp: happened_at.toISOString(), data: { ...encodeIds(ids), ...data } };
}

/** For the API, which shows an event without its IDs if they cannot be encoded. Such an event is never sent. */
export function toShownPayload(event: StoredEvent): Payload {
  try {
    return toPayload(event);
  } catch {
    return toPayload({ ...event, ids: {} });
  }
}

function encodeIds(ids: Record<string, unknown>): Record<string, string> {
  const encoded = Object.entries(ids).map(([field, stored]) => {
    const [prefix, uuid] = String(stored).split(' ');
    return [field, encodeId(prefix as IdPrefix, uuid!)];
  });
  return Object.fromEntries(encoded);
}
