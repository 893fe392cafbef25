/**
 * Stores contacts that a command reads from another vendor. Contacts that already match are not changed, so a second
 * run changes nothing and sends no events. Nobody gets an email.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../../platform/database/database.ts';
import { newUuid } from '../../../../platform/ids.ts';
import type { Row } from '../../../../platform/database/rows.ts';
import { contactBookKey, requireContactBook } from '../../contact-books/contact-books.ts';
import { OWN_COLUMNS_OF_C } from '../../own-fields/own-columns.ts';
import { OWN_FIELD_NAMES, OWN_FIELDS, type OwnColumn } from '../../own-fields/own-fields.ts';
import { propertyOf } from '../property-names.ts';
import { upsertOrRefuse } from './import-batch.ts';
import { hasLeft, type ImportRow } from './import-rows.ts';
import type { RejectedRow } from './imports.schema.ts';
import type { UpsertInput } from '../upsert-contacts.ts';

const COMMAND = 'command';

export interface CommandImport {
  teamId: number;
  /** The UUID of the import. */
  id: string;
  bookKey: string;
  requestedBy: string;
  consent: 'confirmed' | 'none';
  consentNote: string;
}

/** The import is listed with the others of the book. It has no file, and its counts grow while the command runs. */
export async function beginCommandImport(
  db: Db,
  teamId: number,
  contactBookId: string,
  { consent, consentNote }: Pick<CommandImport, 'consent' | 'consentNote'>,
): Promise<CommandImport> {
  const bookKey = contactBookKey(contactBookId);
  await requireContactBook(db, teamId, bookKey);
  const id = newUuid();
  await sql`
    insert into contact_imports (
      team_id, contact_book_id, id, status, mapping, consent, consent_note, requested_by, finished_at
    )
    values (${teamId}, ${bookKey}, ${id}, 'DONE', '{}'::jsonb, ${consent}, ${consentNote}, ${COMMAND}, now())
  `.execute(db);
  return { teamId, id, bookKey, requestedBy: COMMAND, consent, consentNote };
}

/** Stores changed contacts in one transaction. `rows` come from `findChangedContacts`. */
export async function storeImportedContacts(
  db: Db,
  running: CommandImport,
  rows: ImportRow[],
): Promise<{ created: number; updated: number; refused: RejectedRow[] }> {
  return inTransaction(db, async (trx) => {
    const { created, tooLarge } = await upsertOrRefuse(trx, running, rows);
    const updated = rows.length - tooLarge.length - created;
    await sql`
      update contact_imports set rows_read = rows_read + ${rows.length}, rows_created = rows_created + ${created},
        rows_updated = rows_updated + ${updated}, rows_refused = rows_refused + ${tooLarge.length},
        updated_at = now(), finished_at = now()
      where team_id = ${running.teamId} and id = ${running.id}
    `.execute(trx);
    return { created, updated, refused: tooLarge };
  });
}

type KnownRow = Row<'contacts', 'email_key' | OwnColumn | 'properties' | 'subscription'> & {
  suppressed: boolean;
};

/** Splits contacts into new ones, ones that the import would change, and unchanged ones. */
export async function findChangedContacts(
  db: Db,
  teamId: number,
  contactBookId: string,
  contacts: { contact: UpsertInput; consent: CommandImport['consent'] }[],
): Promise<{ isNew: boolean[]; isChanged: boolean[] }> {
  const { rows } = await sql<KnownRow>`
    select c.email_key, ${OWN_COLUMNS_OF_C}, c.properties, c.subscription, exists (
      select from suppressions s where s.team_id = c.team_id and s.address_key = c.email_key
    ) as suppressed
    from contacts c
    where c.team_id = ${teamId} and c.contact_book_id = ${contactBookKey(contactBookId)}
      and c.email_key = any(${contacts.map(({ contact }) => contact.email.key)}::text[])
  `.execute(db);
  const known = new Map(rows.map((row) => [row.email_key, row]));
  const pairs = contacts.map((each) => ({ ...each, row: known.get(each.contact.email.key) }));
  return {
    isNew: pairs.map(({ row }) => row === undefined),
    isChanged: pairs.map(({ contact, consent, row }) => row !== undefined && differs(contact, consent, row)),
  };
}

/** Applies the same rules as the upsert. */
function differs(contact: UpsertInput, consent: CommandImport['consent'], row: KnownRow): boolean {
  return (
    OWN_FIELD_NAMES.some((name) => isOtherText(contact[name], row[OWN_FIELDS[name].column])) ||
    Object.entries(contact.properties ?? {}).some(
      ([name, value]) => (propertyOf(row.properties, name) ?? null) !== value,
    ) ||
    (hasLeft(contact) && row.subscription !== 'unsubscribed') ||
    (contact.subscribed !== false &&
      consent === 'confirmed' &&
      row.subscription === 'pending' &&
      !row.suppressed)
  );
}

/** A text that was not sent is kept. */
function isOtherText(sent: string | null | undefined, stored: string | null): boolean {
  return sent !== undefined && sent !== null && sent !== (stored ?? '');
}

/** Stores topic choices by address. Choices that contacts have made here are kept. */
export async function storeTopicChoices(
  db: Db,
  teamId: number,
  contactBookId: string,
  choices: { emailKey: string; topicKey: string; subscribed: boolean }[],
): Promise<number> {
  if (choices.length === 0) return 0;
  const { rows } = await sql`
    insert into contact_topics (team_id, contact_book_id, contact_id, topic_id, subscribed, changed_by)
    select c.team_id, c.contact_book_id, c.id, t.id, choice.subscribed, ${COMMAND}
    from unnest(
      ${choices.map(({ emailKey }) => emailKey)}::text[], ${choices.map(({ topicKey }) => topicKey)}::uuid[],
      ${choices.map(({ subscribed }) => subscribed)}::boolean[]
    ) as choice (email_key, topic_id, subscribed)
    join contacts c on c.team_id = ${teamId} and c.contact_book_id = ${contactBookKey(contactBookId)}
      and c.email_key = choice.email_key
    join topics t on t.team_id = c.team_id and t.id = choice.topic_id
    where choice.subscribed <> (t.default_subscription = 'opt_out')
    order by c.id, t.id
    on conflict do nothing
    returning 1
  `.execute(db);
  return rows.length;
}
