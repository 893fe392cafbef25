/**
 * Events of contacts, as a part of the statements that change contacts. One statement may change 10,000 contacts, so
 * the stream gets one row for all contacts with the same event. A webhook gets one call per contact.
 */
import { Fragment } from '../../platform/database/database.ts';
import { appendToStream, callWebhooks } from './record-events.ts';

const BATCHES = `
  batch_event as (
    select team_id, make_uuid() as id, contact_book_id as subject_id, now() as created_at, type, contact_ids
    from (
      select team_id, contact_book_id, t.type, contact_ids
      from (
        select team_id, contact_book_id, types, array_agg(id) as contact_ids from changed
        group by team_id, contact_book_id, types
      ) batch cross join lateral unnest(types) with ordinality as t (type, no)
      order by t.no
    ) ordered
  )`;

const CALLS = `
  happened as (
    select team_id, make_uuid() as id, type, now() as created_at, notice,
      jsonb_build_object('id', 'con ' || id, 'contactBookId', 'cbk ' || contact_book_id) as ids
    from changed cross join lateral unnest(types) as type
    where notice is not null
  ), ${callWebhooks({ ids: 'h.ids', data: 'h.notice', order: 'h.id' })}`;

/**
 * Follows a `with` that has `hook` (record-events.ts) and `changed`, one row per contact: team_id, contact_book_id, id,
 * types (the types of its events in their order) and notice, the contact as the API shows it without its IDs. The
 * notice is null when the team has no webhooks, because it takes time to build.
 */
export const RECORD_CONTACT_EVENTS = new Fragment(
  `${BATCHES}, ${appendToStream({ from: 'batch_event', contactIds: 'contact_ids' })}, ${CALLS}`,
);

/** The import that added the contacts. Automations start for them only if it says so. */
const IMPORT = `(select jsonb_build_object('importId', import_id) from book where import_id is not null)`;

/** The same for a statement that has `book` with import_id. */
export const RECORD_UPSERT_EVENTS = new Fragment(
  `${BATCHES}, ${appendToStream({ from: 'batch_event', data: IMPORT, contactIds: 'contact_ids' })}, ${CALLS}`,
);
