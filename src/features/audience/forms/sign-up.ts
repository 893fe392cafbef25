/**
 * Sign-ups by a form. They add contacts with the same statement as the API, with the same confirmations and events, and
 * return nothing, so that a visitor learns nothing about an address. Anyone can submit any address, so:
 * - A known contact keeps its values, and the form only adds missing ones. For a pending contact, which gets no email
 *   yet, the last sign-up counts.
 * - Until the person has confirmed by email, nobody is resubscribed after unsubscribing, and nobody joins a topic again
 *   after leaving it. This holds with and without double opt-in. With double opt-in it holds for every new topic.
 */
import { sql } from 'kysely';
import type { Address } from '../../../mail/mime/address.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { ContactRef } from '../../content/links/links.ts';
import { recordEvents } from '../../events/record-events.ts';
import { AWAITS_CONFIRMATION, sendConfirmationsLater } from '../contacts/confirmations.ts';
import { OWN_COLUMNS } from '../own-fields/own-columns.ts';
import { givenOwnFields, OWN_FIELDS, type OwnColumn, type OwnField } from '../own-fields/own-fields.ts';
import { propertyOf } from '../contacts/property-names.ts';
import { formConsent, upsertContacts, type ContactSource } from '../contacts/upsert-contacts.ts';
import { countForm } from './form-counts.ts';
import type { PublicForm } from './public-form.ts';

export interface SignUp extends Partial<Record<OwnField, string>> {
  email: Address;
  properties: Record<string, string>;
}

/** What a sign-up needs of a form, or of the archive of a book. */
export type SignUpForm = Pick<PublicForm, 'teamId' | 'contactBookId' | 'topicIds' | 'doubleOptInEnabled'> & {
  formId: PublicForm['id'] | null;
};

interface SignedUp {
  subscription: Row<'contacts'>['subscription'];
  /** True if an earlier sign-up by a form still has to be confirmed. */
  waits: boolean;
}

/** Recorded as the author of sign-ups on the pages of an archive. */
const ARCHIVE = 'archive';

/** Without a form, the sign-up comes from a page of the archive. */
export async function signUp(db: Db, form: SignUpForm, given: SignUp, source?: ContactSource): Promise<void> {
  const { teamId, formId, contactBookId } = form;
  const by = formId === null ? ARCHIVE : encodeId('frm', formId);
  await inTransaction(db, async (trx) => {
    const topics = await lockTopics(trx, teamId, form.topicIds);
    const input = await withoutKnownValues(trx, form, given);
    const signUpConsent = formId === null ? { source: ARCHIVE, by } : formConsent(by);
    const options = {
      by,
      areSingle: true,
      signUpConsent,
      source: source ?? { source: 'form' as const, id: by },
    };
    const [contact] = await upsertContacts(trx, teamId, contactBookId, [input], options);
    const ref = { teamId, contactBookId, contactId: contact!.id };
    if (formId !== null) await recordSubmission(trx, form, by, contact!.id);
    const { subscription, waits } = await readSignedUp(trx, ref);
    const isNew = contact!.created;
    const joins = isNew ? false : await joinsByConfirming(trx, ref, topics, form.doubleOptInEnabled);
    const mustConfirm = subscription !== 'subscribed' || joins;
    if (mustConfirm) await noteSignUp(trx, ref, formId);
    // The upsert has already sent pending contacts their confirmation.
    if (mustConfirm && subscription !== 'pending') await sendConfirmationsLater(trx, ref);
    if (isNew || (subscription === 'subscribed' && !form.doubleOptInEnabled))
      await addTopics(trx, ref, topics, by);
    if (formId !== null && (isNew || (mustConfirm && !waits)))
      await countForm(trx, { teamId, formId, signups: 1, confirmed: mustConfirm ? 0 : 1 });
  });
}

async function recordSubmission(
  trx: Db,
  { teamId, contactBookId }: SignUpForm,
  formId: string,
  contactId: string,
): Promise<void> {
  await recordEvents(trx, teamId, [
    {
      type: 'form.submitted',
      subjectId: contactBookId,
      contactIds: [contactId],
      data: { formId },
      notice: {
        formId,
        contactId: encodeId('con', contactId),
        contactBookId: encodeId('cbk', contactBookId),
      },
    },
  ]);
}

/**
 * Completes the sign-up of a contact by a form, after the person has confirmed it. `by` is recorded. The caller must
 * have locked the contact. Does nothing if no form was used.
 */
export async function confirmSignUp(trx: Db, ref: ContactRef, by: string): Promise<void> {
  const { teamId, contactBookId, contactId } = ref;
  const { rows } = await sql<CamelRow<'forms', 'topic_ids'> & { formId: Row<'forms'>['id'] }>`
    select f.id as "formId", f.topic_ids as "topicIds" from contacts c
    join forms f on f.team_id = c.team_id and f.id = c.sign_up_form_id
    where c.team_id = ${teamId} and c.contact_book_id = ${contactBookId} and c.id = ${contactId}
      and c.sign_up_at >= c.subscription_changed_at
  `.execute(trx);
  await sql`
    update contacts set sign_up_form_id = null, sign_up_at = null
    where team_id = ${teamId} and contact_book_id = ${contactBookId} and id = ${contactId} and sign_up_at is not null
  `.execute(trx);
  if (!rows[0]) return;
  const { formId, topicIds } = rows[0];
  const consent = { ...formConsent(encodeId('frm', formId)), by };
  await sql`
    update contacts set consent = ${JSON.stringify(consent)}::jsonb || jsonb_build_object('at', rfc3339(now()))
    where team_id = ${teamId} and contact_book_id = ${contactBookId} and id = ${contactId}
  `.execute(trx);
  await addTopics(trx, ref, await lockTopics(trx, teamId, topicIds), by, 'again');
  await countForm(trx, { teamId, formId, confirmed: 1 });
}

/** Returns the topics that exist. They cannot be deleted until the transaction ends. */
async function lockTopics(trx: Db, teamId: number, topicIds: string[]): Promise<string[]> {
  if (topicIds.length === 0) return [];
  const { rows } = await sql<Row<'topics', 'id'>>`
    select id from topics where team_id = ${teamId} and id = any(${topicIds}::uuid[]) order by id for key share
  `.execute(trx);
  return rows.map(({ id }) => id);
}

async function withoutKnownValues(trx: Db, { teamId, contactBookId }: SignUpForm, given: SignUp) {
  const { rows } = await sql<
    Row<'contacts', OwnColumn> & {
      properties: Record<string, unknown>;
    }
  >`
    select ${sql.raw(OWN_COLUMNS)}, properties from contacts
    where team_id = ${teamId} and contact_book_id = ${contactBookId} and email_key = ${given.email.key}
      and subscription <> 'pending'
  `.execute(trx);
  const known = rows[0];
  if (!known) return given;
  return {
    email: given.email,
    ...givenOwnFields((name) => (known[OWN_FIELDS[name].column] ? undefined : given[name])),
    properties: Object.fromEntries(
      Object.entries(given.properties).filter(([name]) => propertyOf(known.properties, name) === undefined),
    ),
  };
}

async function readSignedUp(trx: Db, { teamId, contactBookId, contactId }: ContactRef): Promise<SignedUp> {
  const { rows } = await sql<SignedUp>`
    select subscription, sign_up_form_id is not null and ${AWAITS_CONFIRMATION} as waits from contacts
    where team_id = ${teamId} and contact_book_id = ${contactBookId} and id = ${contactId}
  `.execute(trx);
  return rows[0]!;
}

/** Returns true if the contact is not in one of the topics and may join it only by confirming. */
async function joinsByConfirming(
  trx: Db,
  { teamId, contactBookId, contactId }: ContactRef,
  topics: string[],
  doubleOptIn: boolean,
): Promise<boolean> {
  if (topics.length === 0) return false;
  const { rows } = await sql`
    select 1 from topics t
    left join contact_topics ct on ct.team_id = t.team_id and ct.contact_book_id = ${contactBookId}
      and ct.contact_id = ${contactId} and ct.topic_id = t.id
    where t.team_id = ${teamId} and t.id = any(${topics}::uuid[])
      and not coalesce(ct.subscribed, ${!doubleOptIn} or t.default_subscription = 'opt_out')
    limit 1
  `.execute(trx);
  return rows.length > 0;
}

async function noteSignUp(
  trx: Db,
  { teamId, contactBookId, contactId }: ContactRef,
  formId: string | null,
): Promise<void> {
  await sql`
    update contacts set sign_up_form_id = ${formId}, sign_up_at = now()
    where team_id = ${teamId} and contact_book_id = ${contactBookId} and id = ${contactId}
  `.execute(trx);
}

/** Topics that the contact has left stay left, unless the person joins them again. */
async function addTopics(
  trx: Db,
  { teamId, contactBookId, contactId }: ContactRef,
  topics: string[],
  by: string,
  left: 'kept' | 'again' = 'kept',
): Promise<void> {
  if (topics.length === 0) return;
  await sql`
    insert into contact_topics as ct (team_id, contact_book_id, contact_id, topic_id, subscribed, changed_by)
    select ${teamId}, ${contactBookId}, ${contactId}, topic_id, true, ${by}
    from unnest(${topics}::uuid[]) as chosen (topic_id) order by topic_id
    on conflict (team_id, contact_book_id, contact_id, topic_id) do update
      set subscribed = true, changed_at = excluded.changed_at, changed_by = excluded.changed_by
      where ${left === 'again'} and not ct.subscribed
  `.execute(trx);
}
