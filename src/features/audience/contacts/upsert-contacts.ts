/**
 * The only statement that adds contacts, from one to 10,000 at a time. Its steps, by their names in the statement:
 *
 *   book       the book, locked against deletion, with the values that are the same for all rows
 *   input      the rows of the request
 *   hook       the webhooks of the team; without any, no notices are built
 *   changed    contacts that were added or updated                                          STORE_CONTACTS
 *              the events in the stream, and the calls to webhooks                          RECORD_UPSERT_EVENTS
 *   counted    the book's count of contacts                                                 COUNT_CONTACTS
 *   asked      jobs that send email to contacts that have to confirm                         ASK_TO_CONFIRM
 *
 * It is one statement, so that concurrent upserts of an address create one contact, and the count is exact. Rows
 * are sorted by address, so that two bulk requests with the same people cannot deadlock.
 *
 * An existing contact keeps names that were not sent, and stays unsubscribed. `subscribed: false` unsubscribes, but
 * `subscribed: true` never resubscribes. Consent recorded by an import subscribes a new or pending contact directly,
 * unless the address is suppressed. A sign-up by a form is recorded with a new contact, and subscribes like any other.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { inTransaction, statement, type Db } from '../../../platform/database/database.ts';
import { isCheckViolation } from '../../../platform/database/database-errors.ts';
import { badRequest, notFound } from '../../../platform/errors.ts';
import { encodeId, newUuid } from '../../../platform/ids.ts';
import { MAX_ATTEMPTS } from '../../../platform/jobs/jobs.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { MOST_URGENT_RECIPIENTS } from '../../sending/emails/priority.ts';
import { RECORD_UPSERT_EVENTS } from '../../events/contact-events.ts';
import type { ContactInput } from './contacts.schema.ts';
import { OWN_RECORD } from '../own-fields/own-columns.ts';
import { eachOwnColumn } from '../own-fields/own-fields.ts';
import { ASK_TO_CONFIRM, COUNT_CONTACTS, STORE_CONTACTS } from './upsert-steps.ts';

/** Up to this many contacts in one request are sign-ups that wait for their email. More are an uploaded list. */
export const MOST_SIGN_UPS = MOST_URGENT_RECIPIENTS;
/** Higher numbers run later, so the confirmations of an import run after all other jobs. */
const IMPORT_PRIORITY = 10;
const ROWS_OF_TURN = 1_000;

export interface UpsertedContact {
  id: Row<'contacts'>['id'];
  /** The normalised address. */
  key: Row<'contacts'>['email_key'];
  created: boolean;
  /** True if a job will send the confirmation. */
  asked: boolean;
}

export interface UpsertInput extends ContactInput {
  /** Why a contact with `subscribed: false` has left, if known. */
  unsubscribeReason?: string;
}

export interface UpsertOptions {
  /** Recorded as the author of the change. */
  by: string;
  /** Each contact comes from a separate request, and they were only batched here, so they are not a list. */
  areSingle?: boolean;
  /** Set for the rows of an import. Without it the contacts are sign-ups, which get their confirmation immediately. */
  fromImport?: { id: string; consent: Row<'contact_imports'>['consent']; consentNote: string | null };
  /** The consent of a person who has signed up, without its time. */
  signUpConsent?: object;
  /** Where new contacts come from, if it is not the import or the author above. */
  source?: ContactSource;
}

export interface ContactSource {
  source: Row<'contacts'>['source'];
  /** A public ID. */
  id: string | null;
}

/** The addresses must be distinct. */
export async function upsertContacts(
  db: Db,
  teamId: number,
  bookKey: string,
  contacts: UpsertInput[],
  options: UpsertOptions,
): Promise<UpsertedContact[]> {
  const rows = contacts
    .map((contact) => ({ ...contact, id: newUuid() }))
    .toSorted((a, b) => (a.email.key < b.email.key ? -1 : 1));
  const withNulls = rows.filter((row) => Object.values(row.properties ?? {}).includes(null));
  if (withNulls.length === 0) return upsertRows(db, teamId, bookKey, rows, options);
  // A null removes a property. The statement does so for existing contacts; new ones need a second update.
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
  rows: (UpsertInput & { id: string })[],
  options: UpsertOptions,
): Promise<UpsertedContact[]> {
  const { isAsked, consent, importId, queue, mostSignUps, priority } = toRequest(teamId, options);
  const from = sourceOf(options);
  const signUp = options.signUpConsent ? JSON.stringify(options.signUpConsent) : null;
  const { encoded, names } = await encodeContacts(rows);
  try {
    const upserted = await statement<UpsertedContact>(db)`
      with book as (
        select team_id, id, double_opt_in_enabled, property_spellings(variables) as spellings,
          needed_spellings(${names}::text[], variables) as needed_spellings,
          ${options.by}::text as changed_by, ${isAsked}::boolean as asks,
          ${consent}::jsonb || jsonb_build_object('at', rfc3339(now())) as consent, ${importId}::uuid as import_id,
          ${signUp}::jsonb || jsonb_build_object('at', rfc3339(now())) as sign_up,
          ${from.source}::text as source, ${from.id}::text as source_id,
          ${queue}::text as queue, ${mostSignUps}::integer as most_sign_ups, ${priority}::integer as priority,
          ${MAX_ATTEMPTS}::integer as max_attempts
        from contact_books where team_id = ${teamId} and id = ${bookKey} for key share
      ), input as (
        select * from json_to_recordset(${encoded}::json) as i (
          id uuid, email text, email_key text, ${OWN_RECORD}, properties jsonb, subscribed boolean, unsubscribe_reason text
        )
      ), hook as (
        select team_id, id, events from webhooks where team_id = ${teamId} and status <> 'disabled'
      ), ${STORE_CONTACTS}, ${RECORD_UPSERT_EVENTS}, ${COUNT_CONTACTS}, ${ASK_TO_CONFIRM}
      select id, email_key as key, created, awaits_mail as asked from changed where (select count(*) from asked) >= 0`;
    if (upserted.length === 0) throw notFound('Contact book');
    return upserted;
  } catch (error) {
    throw asPropertiesTooLarge(error);
  }
}

/** Values that are the same for all rows. */
function toRequest(teamId: number, { by, fromImport, areSingle = false }: UpsertOptions) {
  if (!fromImport) {
    const queue = `confirmations ${teamId}`;
    const mostSignUps = areSingle ? null : MOST_SIGN_UPS;
    return { isAsked: true, consent: null, importId: null, queue, mostSignUps, priority: 0 };
  }
  const { id, consentNote } = fromImport;
  const consent = { source: 'import', importId: encodeId('imp', id), note: consentNote, by };
  return {
    isAsked: fromImport.consent === 'ask',
    consent: fromImport.consent === 'confirmed' ? JSON.stringify(consent) : null,
    importId: id,
    queue: `import confirmations ${teamId}`,
    mostSignUps: 0,
    priority: IMPORT_PRIORITY,
  };
}

function sourceOf({ source, fromImport, by }: UpsertOptions): ContactSource {
  if (source) return source;
  if (fromImport) return { source: 'import', id: encodeId('imp', fromImport.id) };
  return { source: 'api', id: by };
}

/** The record of consent by a form, without the time. */
export function formConsent(formId: string) {
  return { source: 'form', formId, by: formId };
}

/**
 * Encodes all rows as one parameter. An array per column would take three times as long to encode. `names` are those of
 * all properties.
 */
async function encodeContacts(
  rows: (UpsertInput & { id: string })[],
): Promise<{ encoded: string; names: string[] }> {
  let encoded = '';
  const names = new Set<string>();
  for (const [at, row] of rows.entries()) {
    // 10,000 rows with many properties take a few tenths of a second, so yield to the event loop in between.
    if (at > 0 && at % ROWS_OF_TURN === 0) await nextTurn();
    encoded += `${at === 0 ? '' : ','}${encodeContact(row)}`;
    for (const name of Object.keys(row.properties ?? {})) names.add(name);
  }
  return { encoded: `[${encoded}]`, names: [...names] };
}

function encodeContact(row: UpsertInput & { id: string }): string {
  return JSON.stringify({
    id: row.id,
    email: row.email.email,
    email_key: row.email.key,
    ...eachOwnColumn((name) => sentText(row[name])),
    properties: row.properties ?? {},
    subscribed: row.subscribed ?? true,
    unsubscribe_reason: row.unsubscribeReason,
  });
}

/** Null means "not sent" and keeps the stored text. An empty text clears it and reads as null. */
function sentText(text: string | null | undefined): string | null {
  return text === undefined ? null : (text ?? '');
}

export function asPropertiesTooLarge(error: unknown): unknown {
  return isCheckViolation(error, 'contacts_properties_size')
    ? badRequest(
        'The properties of a contact can be at most 64 KB in total. Remove some by setting them to null.',
      )
    : error;
}
