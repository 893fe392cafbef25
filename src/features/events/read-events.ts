/**
 * Reads the stream of events from a position. Events are ordered by the transaction that recorded them, and within it
 * by their IDs, so every reader gets the events of a team in the same order.
 *
 * A reader sees only events of transactions that are older than every running one, so an event that is committed later
 * comes after all that were read. Reading waits for no lock, but a transaction that runs for a minute delays newer
 * events by a minute. Events are kept for `EVENT_DAYS`; a reader that pauses for longer misses the older ones.
 */
import { sql } from 'kysely';
import type { Db } from '../../platform/database/database.ts';
import type { CamelRow, Row } from '../../platform/database/rows.ts';
import type { CustomEventType, EventType } from './event-types.ts';

/** A position in the stream, after an event. */
export interface StreamPosition {
  /** The 64-bit number of the transaction that recorded the event, as text. */
  xid: string;
  /** The ID of the event. */
  id: Row<'events'>['id'];
}

/** The position before the oldest stored event. */
export const START: StreamPosition = { xid: '0', id: '00000000-0000-0000-0000-000000000000' };

export interface RecordedEvent extends CamelRow<
  'events',
  'team_id' | 'subject_id' | 'contact_ids' | 'recipient' | 'created_at'
> {
  position: StreamPosition;
  type: EventType | CustomEventType;
  data: Record<string, unknown> | null;
}

type EventRow = Omit<RecordedEvent, 'position'> & StreamPosition;

/** Returns at most `limit` events after the position, of one team or of all. Fewer mean that the end was reached. */
export async function readEvents(
  db: Db,
  { teamId, after, limit }: { teamId?: number; after: StreamPosition; limit: number },
): Promise<RecordedEvent[]> {
  const ofTeam = teamId === undefined ? sql`` : sql`and team_id = ${teamId}`;
  const { rows } = await sql<EventRow>`
    select xid::text, id, team_id as "teamId", type, subject_id as "subjectId", contact_ids as "contactIds", recipient,
      data, created_at as "createdAt"
    from events
    where xid >= ${after.xid}::xid8 and (xid, id) > (${after.xid}::xid8, ${after.id}::uuid)
      and xid < pg_snapshot_xmin(pg_current_snapshot()) ${ofTeam}
    order by events.xid, events.id limit ${limit}
  `.execute(db);
  return rows.map(({ xid, id, ...event }) => ({ position: { xid, id }, ...event }));
}

/** Returns the end of the stream. A reader that starts here gets the events recorded from now on. */
export async function findEnd(db: Db): Promise<StreamPosition> {
  const { rows } = await sql<{ xid: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as xid
  `.execute(db);
  return { xid: rows[0]!.xid, id: START.id };
}
