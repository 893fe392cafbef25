/** What a call says. Made from what was stored when it happened, so that every try says the same, byte for byte. */
import { encodeId, type IdPrefix } from '../../platform/ids.ts';

export interface StoredEvent {
  type: string;
  happened_at: Date;
  /** By field, as "prefix uuid". */
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

function encodeIds(ids: Record<string, unknown>): Record<string, string> {
  const encoded = Object.entries(ids).map(([field, stored]) => {
    const [prefix, uuid] = String(stored).split(' ');
    return [field, encodeId(prefix as IdPrefix, uuid!)];
  });
  return Object.fromEntries(encoded);
}
