/** Lists the events that applications have sent, newest first, and deletes the old ones. */
import { sql } from 'kysely';
import { deleteInBatches } from '../../../platform/database/delete-in-batches.ts';
import type { Db } from '../../../platform/database/database.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import {
  fromStart,
  orderOf,
  readPageStart,
  toPage,
  type Page,
  type PageRequest,
} from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { CustomEvent } from './custom-events.schema.ts';

/** A call with an ID can be repeated for this long. */
const REPEATABLE_DAYS = 30;
const AT_ONCE = 1_000;

type CustomEventRow = Row<
  'custom_events',
  'id' | 'name' | 'contact_book_id' | 'contact_id' | 'address' | 'data' | 'occurred_at' | 'created_at'
>;

export async function listCustomEvents(
  db: Db,
  teamId: number,
  { name, contactId, ...page }: PageRequest & { name?: string | undefined; contactId?: string | undefined },
): Promise<Page<CustomEvent>> {
  const start = readPageStart('evt', page);
  const ofName = name === undefined ? sql`` : sql`and e.name = ${name}`;
  const { rows } = await sql<CustomEventRow>`
    select e.id, e.name, e.contact_book_id, e.contact_id, coalesce(c.email, e.address) as address, e.data, e.occurred_at,
      e.created_at
    from custom_events e left join contacts c on c.team_id = e.team_id and c.contact_book_id = e.contact_book_id
      and c.id = e.contact_id
    where e.team_id = ${teamId} and ${fromStart(start, 'e.id')} ${ofName}
      ${contactId === undefined ? sql`` : sql`and e.contact_id = ${decodeId('con', contactId)}`}
    order by e.id ${orderOf(start)} limit ${page.limit + 1}
  `.execute(db);
  return toPage(rows, page, present);
}

function present(row: CustomEventRow): CustomEvent {
  return {
    id: encodeId('evt', row.id),
    name: row.name,
    contactId: row.contact_id && encodeId('con', row.contact_id),
    contactBookId: row.contact_book_id && encodeId('cbk', row.contact_book_id),
    email: row.address,
    data: row.data,
    occurredAt: row.occurred_at.toISOString(),
    createdAt: row.created_at.toISOString(),
  };
}

/** Returns how many events were deleted. */
export async function expireCustomEvents(db: Db, eventDays: number): Promise<number> {
  await deleteInBatches(AT_ONCE, async (limit) => {
    const { numAffectedRows = 0n } = await sql`
      update custom_events set external_id = null where (team_id, id) in (
        select team_id, id from custom_events
        where external_id is not null and created_at < now() - make_interval(days => ${REPEATABLE_DAYS}) limit ${limit}
      )
    `.execute(db);
    return Number(numAffectedRows);
  });
  return deleteInBatches(AT_ONCE, async (limit) => {
    const { numAffectedRows = 0n } = await sql`
      delete from custom_events where (team_id, id) in (
        select e.team_id, e.id from custom_events e join teams t on t.id = e.team_id
        where e.created_at < now() - make_interval(days => least(t.event_days, ${eventDays})) limit ${limit}
      )
    `.execute(db);
    return Number(numAffectedRows);
  });
}
