/**
 * Sends the confirmation emails of double opt-in. One transaction marks a batch of contacts as asked and submits
 * their emails, so a contact gets at most one in ten minutes, and a retried job skips contacts it has already asked. An
 * address gets at most three in an hour, however many books of the team it is added to.
 * Suppressed addresses are skipped. Without a verified domain nothing is sent.
 */
import { AS_SERVER } from '../../api/caller.ts';
import { sql } from 'kysely';
import { parseMailbox, type NamedAddress } from '../../../mail/mime/address.ts';
import { databaseNow, inTransaction, type Db } from '../../../platform/database/database.ts';
import type { Facts } from '../../instance/facts.ts';
import type { RunningJob } from '../../../platform/jobs/jobs.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { JobPayloads } from '../../jobs/jobs.ts';
import { countAsked } from '../contacts/imports/cancel-import.ts';
import { ASKED_RECENTLY, AWAITS_CONFIRMATION } from '../contacts/confirmations.ts';
import { TAGGED_COLUMNS, type TaggedContact } from '../own-fields/own-columns.ts';
import { findHeldDomain, findLinkHost } from '../../sending/domains/find-domain.ts';
import { AUTOMATIC, findNoReply, toMailbox } from '../../sending/emails/own-mail.ts';
import type { Priority } from '../../sending/emails/priority.ts';
import type { Submission } from '../../sending/emails/submission.ts';
import { submitAll } from '../../sending/emails/submit.ts';
import { hashAddress, publicLinksOf } from '../../content/links/links.ts';
import { getBrand } from '../../content/brand/brand.ts';
import { compileConfirmation, type ConfirmationTexts } from './confirmation-mail.ts';
import { DAY_MS } from '../../../platform/durations.ts';

const VALID_MS = 7 * DAY_MS;
/** Contacts per transaction. Keeps row locks short. */
const MAX_BATCH_CONTACTS = 200;
/** Characters of rendered content per transaction. Keeps memory bounded for books with long content. */
const MAX_BATCH_CHARACTERS = 4_000_000;

interface DueContact extends CamelRow<'contacts', 'id' | 'email'>, TaggedContact {
  addressKey: Row<'contacts'>['email_key'];
}

export async function sendConfirmations(
  db: Db,
  facts: Facts,
  payload: JobPayloads['send-confirmations'],
  job: RunningJob<JobPayloads['send-confirmations']>,
  priority: Priority,
): Promise<void> {
  const { teamId, contactBookId, contactIds, importId } = payload;
  const book = await findBook(db, teamId, contactBookId);
  const from = book && (await findSender(db, teamId, book.from));
  if (!book || !from) {
    if (importId) await countAsked(db, teamId, importId, contactIds.length);
    return;
  }
  const links = publicLinksOf(facts).under(await findLinkHost(db, teamId, from.domain));
  const mail = await compileConfirmation(book, await getBrand(db, teamId));
  const fitting = Math.floor(MAX_BATCH_CHARACTERS / book.content.length);
  const batchSize = Math.min(Math.max(fitting, 1), MAX_BATCH_CONTACTS);
  for (let at = 0; at < contactIds.length; at += batchSize) {
    const batch = contactIds.slice(at, at + batchSize);
    const rest = contactIds.slice(at + batchSize);
    const mayContinue = await inTransaction(db, async (trx) => {
      // Lock order: book, import, contacts, as in deleting a book and in import batches.
      if (!(await lockBook(trx, teamId, contactBookId))) return false;
      if (importId && !(await countAsked(trx, teamId, importId, batch.length))) return false;
      const due = await claimDue(trx, teamId, contactBookId, batch);
      const expiresAt = new Date((await databaseNow(trx)).getTime() + VALID_MS);
      const submissions = due.map((contact): Submission => {
        const { id: contactId, addressKey } = contact;
        const addressHash = hashAddress(addressKey);
        const url = links.confirm({ teamId, contactBookId, contactId, addressHash, expiresAt });
        return {
          source: 'system',
          priority,
          caller: { teamId, ...AS_SERVER },
          content: {
            kind: 'fields',
            email: { from, to: [toMailbox(contact.email)], ...mail.render(contact, url), headers: AUTOMATIC },
          },
        };
      });
      if (submissions.length > 0) await submitAll(trx, teamId, submissions);
      await job.saveRemaining(trx, rest.length === 0 ? null : { ...payload, contactIds: rest });
      return true;
    });
    if (!mayContinue) return;
    facts.wakeDeliveryWorkers();
  }
}

/** Returns false if the book was deleted. */
async function lockBook(trx: Db, teamId: number, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from contact_books where team_id = ${teamId} and id = ${id} for key share
  `.execute(trx);
  return rows.length > 0;
}

async function findBook(
  db: Db,
  teamId: number,
  id: string,
): Promise<(ConfirmationTexts & { from: string | null }) | undefined> {
  return db
    .selectFrom('contact_books')
    .select([
      'name as bookName',
      'double_opt_in_from as from',
      'double_opt_in_subject as subject',
      'double_opt_in_content as content',
    ])
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The book's own sender if the team holds its domain, otherwise no-reply on the team's oldest domain. */
async function findSender(
  db: Db,
  teamId: number,
  wanted: string | null,
): Promise<(NamedAddress & { given: string }) | null> {
  const own = wanted === null ? null : parseMailbox(wanted);
  if (own && (await findHeldDomain(db, teamId, own.domain)) !== undefined) return { ...own, given: wanted! };
  return findNoReply(db, teamId);
}

/** How many confirmation emails an address gets in an hour, from all books of the team together. */
const MOST_PER_ADDRESS = 3;

/**
 * Locks the contacts of these addresses in all books, in a statement of its own, so that the next one sees what others
 * have sent meanwhile.
 */
async function lockAddresses(trx: Db, teamId: number, bookId: string, ids: string[]): Promise<void> {
  await sql`
    select other.confirmation_sent_at from contacts c
    join contact_books b on b.team_id = c.team_id
    join contacts other on other.team_id = b.team_id and other.contact_book_id = b.id and other.email_key = c.email_key
    where c.team_id = ${teamId} and c.contact_book_id = ${bookId} and c.id = any(${ids}::uuid[])
    order by other.email_key, other.contact_book_id for update of other
  `.execute(trx);
}

async function claimDue(trx: Db, teamId: number, bookId: string, ids: string[]): Promise<DueContact[]> {
  await lockAddresses(trx, teamId, bookId, ids);
  const { rows } = await sql<DueContact>`
    with due as (
      select id from contacts c
      where team_id = ${teamId} and contact_book_id = ${bookId} and id = any(${ids}::uuid[])
        and ${AWAITS_CONFIRMATION}
        and not ${sql.raw(ASKED_RECENTLY.text)}
        and (
          select count(*) from contact_books b
          join contacts other
            on other.team_id = b.team_id and other.contact_book_id = b.id and other.email_key = c.email_key
          where b.team_id = c.team_id
            and other.confirmation_sent_at between clock_timestamp() - interval '1 hour' and clock_timestamp()
        ) < ${MOST_PER_ADDRESS}
        and not exists (
          select 1 from suppressions s where s.team_id = c.team_id and s.address_key = c.email_key
        )
      order by email_key for update
    )
    update contacts c set confirmation_sent_at = now() from due
    where c.team_id = ${teamId} and c.contact_book_id = ${bookId} and c.id = due.id
    returning c.id, c.email, c.email_key as "addressKey", ${TAGGED_COLUMNS}
  `.execute(trx);
  return rows;
}
