/** Builds a call's payload from the stored event, so that every attempt sends the same bytes. */
import { encodeId, type IdPrefix } from '../../platform/ids.ts';
import type { Row } from '../../platform/database/rows.ts';

export interface StoredEvent extends Row<'webhook_calls', 'type' | 'happened_at'> {
  /** Maps the name of a field to "prefix uuid", which becomes a public ID. */
  ids: Record<string, unknown>;
  data: Record<string, unknown>;
}

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
