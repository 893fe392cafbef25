/**
 * The only statement that adds contacts, for one of them as for 10,000.
 *
 * It locks the book's row against deletion, adds who is new, updates who is known, and moves the book's count,
 * all at once: upserts of the same address from many connections end as one contact, and the count is exact. Webhooks
 * that want to know are told by the same statement; where there are none, that costs one look.
 * Who has to confirm gets the mail for it by a job of the same statement.
 * Rows go in sorted by address, so that two bulks with the same people never wait for each other in a circle.
 *
 * What a known contact keeps: names that were not sent, and a subscription that ended. `subscribed: false`
 * unsubscribes, but `subscribed: true` here never brings anyone back. Consent that an import records subscribes a new
 * or pending contact at once, unless the address is suppressed.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { inTransaction, statement, type Db } from '../../platform/database.ts';
import { isCheckViolation } from '../../platform/database-errors.ts';
import { badRequest, notFound } from '../../platform/errors.ts';
import { encodeId, newUuid } from '../../platform/ids.ts';
import { MAX_ATTEMPTS } from '../../platform/jobs.ts';
import { MOST_URGENT_RECIPIENTS } from '../emails/priority.ts';
import { MINUTES_BETWEEN_CONFIRMATIONS } from './confirmations.ts';
import type { ContactInput } from './contacts.schema.ts';
import type { ContactImport } from './imports.schema.ts';

/** So few sign-ups in one request are people who wait for their mail; more are a list that somebody brings in. */
export const MOST_SIGN_UPS = MOST_URGENT_RECIPIENTS;
/** So few that a worker which is told to stop is done with its job in time. */
export const CONFIRMATIONS_PER_JOB = 200;
/** Jobs with a higher number run later: the confirmations of an import wait for all other jobs. */
const IMPORT_PRIORITY = 10;
const ROWS_OF_TURN = 1_000;

export interface UpsertedContact {
  id: string;
  /** As addresses are compared. */
  key: string;
  created: boolean;
  /** A job will send the confirmation. */
  asked: boolean;
}

export interface UpsertOptions {
  /** Who did it, for the record. */
  by: string;
  /** Each contact is a request of its own that was gathered with others: nobody is part of a list. */
  areSingle?: boolean;
  /** Set for the rows of an import. Without it the contacts are sign-ups, which are asked to confirm at once. */
  fromImport?: { id: string; consent: ContactImport['consent']; consentNote: string | null };
}

/** The contacts must have different addresses. */
export async function upsertContacts(
  db: Db,
  teamId: number,
  bookKey: string,
  contacts: ContactInput[],
  options: UpsertOptions,
): Promise<UpsertedContact[]> {
  const rows = contacts
    .map((contact) => ({ ...contact, id: newUuid() }))
    .toSorted((a, b) => (a.email.key < b.email.key ? -1 : 1));
  const withNulls = rows.filter((row) => Object.values(row.properties ?? {}).includes(null));
  if (withNulls.length === 0) return upsertRows(db, teamId, bookKey, rows, options);
  // A null takes a key away from a known contact; a new one was stored with it, and is tidied up after.
  return inTransaction(db, async (trx) => {
    const upserted = await upsertRows(trx, teamId, bookKey, rows, options);
    await sql`
      update contacts set properties = jsonb_strip_nulls(properties)
      where team_id = ${teamId} and contact_book_id = ${bookKey}
        and id = any(${withNulls.map((row) => row.id)}::uuid[])
    `.execute(trx);
    return upserted;
  });
}

async function upsertRows(
  db: Db,
  teamId: number,
  bookKey: string,
  rows: (ContactInput & { id: string })[],
  { by, fromImport, areSingle = false }: UpsertOptions,
): Promise<UpsertedContact[]> {
  const consent = fromImport?.consent ?? 'ask';
  const importId = fromImport?.id ?? null;
  const queue = `${fromImport ? 'import confirmations' : 'confirmations'} ${teamId}`;
  const encoded = await encodeContacts(rows);
  try {
    const upserted = await statement<UpsertedContact>(db)`
      with book as (
        select team_id, id, double_opt_in_enabled from contact_books
        where team_id = ${teamId} and id = ${bookKey}
        for key share
      ), hook as (
        select id, events from webhooks where team_id = ${teamId} and status <> 'disabled'
      ), upserted as (
        insert into contacts as c (
          team_id, contact_book_id, id, email, email_key, first_name, last_name, properties,
          subscription, unsubscribe_reason, subscription_changed_by, consent
        )
        select book.team_id, book.id, row.id, row.email, row.email_key, row.first_name, row.last_name,
          row.properties,
          case when not row.subscribed then 'unsubscribed'
               when book.double_opt_in_enabled and given.consent is null then 'pending'
               else 'subscribed' end,
          case when not row.subscribed then 'UNSUBSCRIBED' end,
          ${by}, given.consent
        from book, json_to_recordset(${encoded}::json) as row (
          id uuid, email text, email_key text, first_name text, last_name text, properties jsonb, subscribed boolean
        )
        cross join lateral (
          select case when ${consent === 'confirmed'}::boolean and row.subscribed and not exists (
            select from suppressions s where s.team_id = ${teamId} and s.address_key = row.email_key
          ) then jsonb_build_object('source', 'import', 'importId', ${importId && encodeId('imp', importId)}::text,
            'note', ${fromImport?.consentNote ?? null}::text, 'by', ${by}::text, 'at', rfc3339(now())
          ) end as consent
        ) given
        on conflict (team_id, contact_book_id, email_key) do update set
          first_name = coalesce(excluded.first_name, c.first_name),
          last_name = coalesce(excluded.last_name, c.last_name),
          properties = jsonb_strip_nulls(c.properties || excluded.properties),
          subscription = case when excluded.subscription = 'unsubscribed' then 'unsubscribed'
            when excluded.consent is not null and c.subscription = 'pending' then 'subscribed'
            else c.subscription end,
          consent = case when excluded.consent is not null and c.subscription = 'pending'
            then excluded.consent else c.consent end,
          unsubscribe_reason = case when excluded.subscription = 'unsubscribed' and c.subscription <> 'unsubscribed'
            then excluded.unsubscribe_reason else c.unsubscribe_reason end,
          subscription_changed_at = case
            when excluded.subscription = 'unsubscribed' and c.subscription <> 'unsubscribed' then now()
            when excluded.consent is not null and c.subscription = 'pending' then now()
            else c.subscription_changed_at end,
          subscription_changed_by = case
            when excluded.subscription = 'unsubscribed' and c.subscription <> 'unsubscribed'
              then excluded.subscription_changed_by
            when excluded.consent is not null and c.subscription = 'pending' then excluded.subscription_changed_by
            else c.subscription_changed_by end,
          updated_at = now()
        returning c.id, c.email_key, (c.xmax = 0) as created,
          ${consent === 'ask'}::boolean and c.subscription = 'pending' and coalesce(
            c.confirmation_sent_at not between
              now() - make_interval(mins => ${MINUTES_BETWEEN_CONFIRMATIONS}::integer) and now(), true) as awaits_mail,
          case when exists (select from hook) then contact_notice(c) end as notice,
          c.subscription = 'unsubscribed' and c.subscription_changed_at = now() as left_now
      ), happened as (
        select make_uuid() as event_id, type, notice,
          jsonb_build_object('id', 'con ' || id, 'contactBookId', 'cbk ' || ${bookKey}::uuid) as ids
        from upserted cross join lateral unnest(
          case when created then array['contact.created']
               when left_now then array['contact.updated', 'contact.unsubscribed']
               else array['contact.updated'] end
        ) as type
        where notice is not null
      ), announced as (
        insert into webhook_calls (team_id, webhook_id, id, event_id, type, ids, data)
        select ${teamId}, hook.id, make_uuid(), event_id, type, ids, notice
        from happened join hook on webhook_wants(hook.events, type)
      ), counted as (
        insert into contact_book_counts as n (team_id, contact_book_id, slot, contacts)
        select ${teamId}, ${bookKey}, pg_backend_pid() % 16, count(*)
        from upserted where created having count(*) > 0
        on conflict (team_id, contact_book_id, slot) do update set contacts = n.contacts + excluded.contacts
      ), asked as materialized (
        -- A job for some hundred of them; named below, because what nobody asks for is not done.
        select graphile_worker.add_job(
          case when is_few then 'confirm-sign-ups' else 'send-confirmations' end,
          json_build_object(
            'teamId', ${teamId}::integer, 'contactBookId', ${bookKey}::uuid, 'contactIds', json_agg(id),
            'importId', ${importId}::uuid
          ),
          queue_name => case when not is_few then ${queue}::text end,
          max_attempts => ${MAX_ATTEMPTS}::integer,
          priority => ${fromImport ? IMPORT_PRIORITY : 0}::integer
        )
        from (
          select id, row_number() over () / ${CONFIRMATIONS_PER_JOB} as part,
            ${!fromImport}::boolean and (${areSingle}::boolean or count(*) over () <= ${MOST_SIGN_UPS}) as is_few
          from upserted where awaits_mail
        ) awaiting
        group by part, is_few
      )
      select id, email_key as key, created, awaits_mail as asked from upserted where (select count(*) from asked) >= 0`;
    if (upserted.length === 0) throw notFound('Contact book');
    return upserted;
  } catch (error) {
    throw asPropertiesTooLarge(error);
  }
}

/** One parameter for all rows: an array for each column costs our side three times as much. */
async function encodeContacts(rows: (ContactInput & { id: string })[]): Promise<string> {
  let encoded = '';
  for (const [at, row] of rows.entries()) {
    // Ten thousand rows with many properties take a few tenths of a second: others come in between.
    if (at > 0 && at % ROWS_OF_TURN === 0) await nextTurn();
    encoded += `${at === 0 ? '' : ','}${encodeContact(row)}`;
  }
  return `[${encoded}]`;
}

function encodeContact(row: ContactInput & { id: string }): string {
  return JSON.stringify({
    id: row.id,
    email: row.email.email,
    email_key: row.email.key,
    first_name: sentName(row.firstName),
    last_name: sentName(row.lastName),
    properties: row.properties ?? {},
    subscribed: row.subscribed ?? true,
  });
}

/** Null is "not sent", and keeps what is there; the empty text is "no name", and reads as null. */
function sentName(name: string | null | undefined): string | null {
  return name === undefined ? null : (name ?? '');
}

export function asPropertiesTooLarge(error: unknown): unknown {
  return isCheckViolation(error, 'contacts_properties_size')
    ? badRequest(
        'The properties of one contact would pass 64 KB in all. Remove some by sending null for them.',
      )
    : error;
}
