/**
 * Telling webhooks what happened. A call for each webhook that wants it is written by the transaction in which it
 * happened, and made by the worker soon after: what was rolled back is never told, what was committed always is.
 *
 * Events of emails announce themselves (a trigger on their table), and contacts are announced by the statements that
 * write them, however many there are. Everything else comes through here.
 */
import { statement, type Db } from '../../platform/database.ts';
import { newUuid } from '../../platform/ids.ts';
import type { EventType } from './event-types.ts';

export interface Notice {
  type: EventType;
  /** As the API shows it: public ids, times as RFC 3339. */
  data: object;
}

/** In the order given. Costs one look at a small table when nobody wants to know. */
export async function announce(db: Db, teamId: number, notices: Notice[]): Promise<void> {
  if (notices.length === 0) return;
  const rows = JSON.stringify(notices.map((notice, no) => ({ ...notice, no, id: newUuid() })));
  await statement(db)`
    insert into webhook_calls (team_id, webhook_id, id, event_id, type, data)
    select team_id, webhook_id, make_uuid(), event_id, type, data
    from (
      select w.team_id, w.id as webhook_id, n.id as event_id, n.type, n.data
      from webhooks w
      join json_to_recordset(${rows}::json) as n (no integer, id uuid, type text, data jsonb)
        on webhook_wants(w.events, n.type)
      where w.team_id = ${teamId} and w.status <> 'disabled'
      order by n.no, w.id
    ) wanted`;
}
