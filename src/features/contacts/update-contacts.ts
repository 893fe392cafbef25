/**
 * The only statement that changes known contacts, for one of them as for those of many requests. With double opt-in an
 * address that takes the place of a confirmed one has to be confirmed itself.
 */
import type { Address } from '../../mail/address.ts';
import { statement, toJson, type Db } from '../../platform/database.ts';
import { createGatherer } from '../../platform/gather.ts';
import type { ContactUpdate } from './contacts.schema.ts';
import { asPropertiesTooLarge } from './upsert-contacts.ts';

interface ContactChange {
  teamId: number;
  bookKey: string;
  id: string;
  update: ContactUpdate & { email?: Address };
  by: string;
}

/** False for a contact that is not in the book. */
export const updateContactRow = createGatherer<ContactChange, boolean>({
  keyOf: ({ teamId, bookKey, by }) => `${teamId} ${bookKey} ${by}`,
  nameOf: ({ id }) => id,
  async work(db, changes) {
    const { teamId, bookKey, by } = changes[0];
    const written = await updateContactRows(db, teamId, bookKey, changes, by);
    return changes.map(({ id }) => written.has(id));
  },
});

/** The contacts must be different ones. They are locked in the order of upserts, so that nobody waits in a circle. */
async function updateContactRows(
  db: Db,
  teamId: number,
  bookKey: string,
  changes: Pick<ContactChange, 'id' | 'update'>[],
  by: string,
): Promise<Set<string>> {
  // The list of ids tells what the rows cannot: that these are few, and best looked up one by one.
  const ids = changes.map(({ id }) => id);
  try {
    const rows = await statement<{ id: string }>(db)`
      with hook as (
        select id, events from webhooks where team_id = ${teamId} and status <> 'disabled'
      ), change as materialized (
        select row.*, coalesce(row.subscription, case when row.new_key <> c.email_key and c.subscription = 'subscribed'
          and book.double_opt_in_enabled then 'pending' end) as becomes
        from json_to_recordset(${toChangeRows(changes)}::json) as row (
          id uuid, email text, new_key text, keeps_first boolean, first_name text, keeps_last boolean, last_name text,
          properties jsonb, subscription text
        )
        join contacts c on c.team_id = ${teamId} and c.contact_book_id = ${bookKey} and c.id = row.id
          and c.id = any(${ids}::uuid[])
        join contact_books book on book.team_id = ${teamId} and book.id = ${bookKey}
        order by c.email_key for update of c
      ), updated as (
        update contacts c set
          email = coalesce(change.email, c.email),
          email_key = coalesce(change.new_key, c.email_key),
          first_name = case when keeps_first then c.first_name else change.first_name end,
          last_name = case when keeps_last then c.last_name else change.last_name end,
          properties = jsonb_strip_nulls(c.properties || change.properties),
          confirmation_sent_at = case when c.email_key = coalesce(change.new_key, c.email_key)
            then confirmation_sent_at end,
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
        returning c.id, case when exists (select from hook) then contact_notice(c) end as notice,
          c.subscription = 'unsubscribed' and c.subscription_changed_at = now() as left_now
      ), happened as (
        select make_uuid() as event_id, type, notice,
          jsonb_build_object('id', 'con ' || id, 'contactBookId', 'cbk ' || ${bookKey}::uuid) as ids
        from updated cross join lateral unnest(
          case when left_now then array['contact.updated', 'contact.unsubscribed']
               else array['contact.updated'] end
        ) as type
        where notice is not null
      ), announced as (
        insert into webhook_calls (team_id, webhook_id, id, event_id, type, ids, data)
        select ${teamId}, hook.id, make_uuid(), event_id, type, ids, notice
        from happened join hook on webhook_wants(hook.events, type)
      )
      select id from updated`;
    return new Set(rows.map(({ id }) => id));
  } catch (error) {
    throw asPropertiesTooLarge(error);
  }
}

function toChangeRows(changes: Pick<ContactChange, 'id' | 'update'>[]): string {
  return toJson(
    changes.map(({ id, update: { email, firstName, lastName, properties, subscribed } }) => ({
      id,
      email: email?.email,
      new_key: email?.key,
      keeps_first: firstName === undefined,
      first_name: firstName,
      keeps_last: lastName === undefined,
      last_name: lastName,
      properties: properties ?? {},
      subscription: typeof subscribed === 'boolean' ? (subscribed ? 'subscribed' : 'unsubscribed') : null,
    })),
  );
}
