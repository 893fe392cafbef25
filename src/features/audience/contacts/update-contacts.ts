/**
 * Updates existing contacts by ID, for PATCH and PUT. Concurrent requests share one statement. With double opt-in, a
 * new address of a confirmed contact must be confirmed again.
 */
import type { Address } from '../../../mail/mime/address.ts';
import { Fragment, statement, toJson, type Db } from '../../../platform/database/database.ts';
import { createBatcher } from '../../../platform/database/batcher.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { RECORD_CONTACT_EVENTS } from '../../events/contact-events.ts';
import type { ContactUpdate } from './contacts.schema.ts';
import { eachColumn, OWN_RECORD } from '../own-fields/own-columns.ts';
import { eachOwnColumn, OWN_FIELD_NAMES, OWN_FIELDS } from '../own-fields/own-fields.ts';
import { CONTACT_NOTICE } from './present-contact.ts';
import { asPropertiesTooLarge } from './upsert-contacts.ts';

/** Whether the update leaves a field as it is: `keeps_first_name`. Otherwise null clears it. */
const KEEPS_RECORD = new Fragment(eachColumn((column) => `keeps_${column} boolean`));
const SET_OWN_COLUMNS = new Fragment(
  eachColumn((column) => `${column} = case when keeps_${column} then c.${column} else change.${column} end`),
);

interface ContactChange {
  teamId: number;
  bookKey: string;
  id: string;
  update: ContactUpdate & { email?: Address };
  /** The person has confirmed a double opt-in, which is a separate event. */
  confirms?: boolean;
  by: string;
}

/** Returns false for a contact that is not in the book. */
export const updateContactRow = createBatcher<ContactChange, boolean>({
  keyOf: ({ teamId, bookKey, by }) => `${teamId} ${bookKey} ${by}`,
  nameOf: ({ id }) => id,
  async work(db, changes) {
    const { teamId, bookKey, by } = changes[0];
    const written = await updateContactRows(db, teamId, bookKey, changes, by);
    return changes.map(({ id }) => written.has(id));
  },
});

/**
 * Returns the contacts that are in the book. They must be distinct. Rows are locked in the same order as upserts to
 * avoid deadlocks. The steps of the statement, by their names in it:
 *
 *   hook      the webhooks of the team
 *   book      the settings of the book, and the spellings of its variables
 *   change    the changes to contacts in the book, which it locks; `becomes` is the new subscription, or null
 *   changed   the updated contacts; a new address loses the confirmation and the consent of the old one
 *             the events in the stream, and the calls to webhooks                              RECORD_CONTACT_EVENTS
 */
export async function updateContactRows(
  db: Db,
  teamId: number,
  bookKey: string,
  changes: Pick<ContactChange, 'id' | 'update' | 'confirms'>[],
  by: string,
): Promise<Set<string>> {
  // The planner cannot estimate the JSON rows. The array of IDs tells it that they are few, so it uses the index.
  const ids = changes.map(({ id }) => id);
  const names = [...new Set(changes.flatMap(({ update }) => Object.keys(update.properties ?? {})))];
  try {
    const rows = await statement<Row<'contacts', 'id'>>(db)`
      with hook as (
        select team_id, id, events from webhooks where team_id = ${teamId} and status <> 'disabled'
      ), book as materialized (
        select double_opt_in_enabled, property_spellings(variables) as spellings,
          needed_spellings(${names}::text[], variables) as needed_spellings
        from contact_books where team_id = ${teamId} and id = ${bookKey}
      ), change as materialized (
        select row.*, book.spellings, book.needed_spellings,
          coalesce(row.subscription, case when row.new_key <> c.email_key and c.subscription = 'subscribed'
          and book.double_opt_in_enabled then 'pending' end) as becomes
        from json_to_recordset(${toChangeRows(changes)}::json) as row (
          id uuid, email text, new_key text, ${OWN_RECORD}, ${KEEPS_RECORD}, properties jsonb, subscription text, confirms boolean
        )
        join contacts c on c.team_id = ${teamId} and c.contact_book_id = ${bookKey} and c.id = row.id
          and c.id = any(${ids}::uuid[])
        cross join book
        order by c.email_key for update of c
      ), changed as (
        update contacts c set
          email = coalesce(change.email, c.email),
          email_key = coalesce(change.new_key, c.email_key),
          ${SET_OWN_COLUMNS},
          properties = merge_properties(
            c.properties, spell_properties(change.properties, change.needed_spellings), change.spellings
          ),
          confirmation_sent_at = case when c.email_key = coalesce(change.new_key, c.email_key)
            then confirmation_sent_at end,
          sign_up_at = case when c.email_key = coalesce(change.new_key, c.email_key) then sign_up_at end,
          consent = case when c.email_key = coalesce(change.new_key, c.email_key) then consent end,
          subscription = coalesce(becomes, c.subscription),
          unsubscribe_reason = case becomes
            when 'subscribed' then null
            when 'unsubscribed' then coalesce(unsubscribe_reason, 'UNSUBSCRIBED')
            else unsubscribe_reason end,
          subscription_changed_at =
            case when c.subscription <> becomes then now() else subscription_changed_at end,
          subscription_changed_by =
            case when c.subscription <> becomes then ${by} else subscription_changed_by end,
          updated_at = now()
        from change
        where c.team_id = ${teamId} and c.contact_book_id = ${bookKey} and c.id = change.id
          and c.id = any(${ids}::uuid[])
        returning c.team_id, c.contact_book_id, c.id, ${CONTACT_NOTICE} as notice,
          case when change.confirms then array['contact.confirmed']
            when c.subscription = 'unsubscribed' and c.subscription_changed_at = now()
              then array['contact.updated', 'contact.unsubscribed']
            else array['contact.updated'] end as types
      ), ${RECORD_CONTACT_EVENTS}
      select id from changed`;
    return new Set(rows.map(({ id }) => id));
  } catch (error) {
    throw asPropertiesTooLarge(error);
  }
}

function toChangeRows(changes: Pick<ContactChange, 'id' | 'update' | 'confirms'>[]): string {
  return toJson(
    changes.map(({ id, confirms = false, update }) => ({
      id,
      confirms,
      email: update.email?.email,
      new_key: update.email?.key,
      ...eachOwnColumn((name) => update[name]),
      ...keptOf(update),
      properties: update.properties ?? {},
      subscription: toSubscription(update.subscribed),
    })),
  );
}

function keptOf(update: ContactUpdate): Record<string, boolean> {
  return Object.fromEntries(
    OWN_FIELD_NAMES.map((name) => [`keeps_${OWN_FIELDS[name].column}`, update[name] === undefined]),
  );
}

function toSubscription(subscribed: boolean | null | undefined): 'subscribed' | 'unsubscribed' | null {
  if (typeof subscribed !== 'boolean') return null;
  return subscribed ? 'subscribed' : 'unsubscribed';
}
