/**
 * The confirmation mails of a double opt-in. Who is due is decided by one update in the transaction that also submits
 * the mails, all of them at once: however often a contact is posted and by whomever, it is asked once in ten minutes.
 * A job that runs again asks only those whom it has not asked. Suppressed addresses are not asked, and while the team
 * has no verified domain nobody is.
 */
import { sql } from 'kysely';
import { parseMailbox, type Mailbox } from '../../mail/address.ts';
import { databaseNow, inTransaction, type Db } from '../../platform/database.ts';
import type { Facts } from '../../platform/facts.ts';
import type { JobPayloads, RunningJob } from '../../platform/jobs.ts';
import { countAsked } from '../contacts/cancel-import.ts';
import { MINUTES_BETWEEN_CONFIRMATIONS } from '../contacts/confirmations.ts';
import type { Contact } from '../contacts/contacts.schema.ts';
import { findHeldDomain } from '../domains/find-domain.ts';
import { AUTOMATIC, findNoReply, toMailbox } from '../emails/own-mail.ts';
import type { Priority } from '../emails/priority.ts';
import type { Submission } from '../emails/submission.ts';
import { submitAll } from '../emails/submit.ts';
import { hashAddress, publicLinksOf } from '../tracking/links.ts';
import { compileConfirmation, type ConfirmationTexts } from './confirmation-mail.ts';

const VALID_MS = 7 * 24 * 60 * 60 * 1000;
/** In one transaction and one statement: the locks of so many are short enough for everybody else. */
const PEOPLE_AT_ONCE = 200;
/** Of the book's text, which each of them gets. */
const CHARACTERS_AT_ONCE = 4_000_000;

interface DueContact {
  id: string;
  email: string;
  addressKey: string;
  firstName: string | null;
  lastName: string | null;
  properties: Contact['properties'];
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
  const links = publicLinksOf(facts);
  const mail = await compileConfirmation(book);
  const share = Math.floor(CHARACTERS_AT_ONCE / book.content.length);
  const atOnce = Math.min(Math.max(share, 1), PEOPLE_AT_ONCE);
  for (let at = 0; at < contactIds.length; at += atOnce) {
    const chunk = contactIds.slice(at, at + atOnce);
    const rest = contactIds.slice(at + atOnce);
    const mayGoOn = await inTransaction(db, async (trx) => {
      // The book, the import, the contacts: in the order in which a deletion of the book and a batch lock them.
      if (!(await holdBook(trx, teamId, contactBookId))) return false;
      if (importId && !(await countAsked(trx, teamId, importId, chunk.length))) return false;
      const due = await claimDue(trx, teamId, contactBookId, chunk);
      const expiresAt = new Date((await databaseNow(trx)).getTime() + VALID_MS);
      const submissions = due.map((contact): Submission => {
        const { id: contactId, addressKey } = contact;
        const addressHash = hashAddress(addressKey);
        const url = links.confirm({ teamId, contactBookId, contactId, addressHash, expiresAt });
        return {
          source: 'system',
          priority,
          caller: { teamId, domainId: null },
          content: {
            kind: 'fields',
            email: { from, to: [toMailbox(contact.email)], ...mail.render(contact, url), headers: AUTOMATIC },
          },
        };
      });
      if (submissions.length > 0) await submitAll(trx, teamId, submissions);
      await job.keep(trx, rest.length === 0 ? null : { ...payload, contactIds: rest });
      return true;
    });
    if (!mayGoOn) return;
    facts.wakeCouriers();
  }
}

/** False when the book was deleted. */
async function holdBook(trx: Db, teamId: number, id: string): Promise<boolean> {
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
      'double_opt_in_from as from',
      'double_opt_in_subject as subject',
      'double_opt_in_content as content',
    ])
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The book's own sender while its domain is held, else nobody in particular of the oldest domain. */
async function findSender(
  db: Db,
  teamId: number,
  wanted: string | null,
): Promise<(Mailbox & { given: string }) | null> {
  const own = wanted === null ? null : parseMailbox(wanted);
  if (own && (await findHeldDomain(db, teamId, own.domain)) !== undefined) return { ...own, given: wanted! };
  return findNoReply(db, teamId);
}

async function claimDue(trx: Db, teamId: number, bookId: string, ids: string[]): Promise<DueContact[]> {
  const { rows } = await sql<DueContact>`
    with due as (
      select id from contacts c
      where team_id = ${teamId} and contact_book_id = ${bookId} and id = any(${ids}::uuid[])
        and subscription = 'pending'
        and coalesce(confirmation_sent_at not between
          now() - make_interval(mins => ${MINUTES_BETWEEN_CONFIRMATIONS}::integer) and now(), true)
        and not exists (
          select 1 from suppressions s where s.team_id = c.team_id and s.address_key = c.email_key
        )
      order by email_key for update
    )
    update contacts c set confirmation_sent_at = now() from due
    where c.team_id = ${teamId} and c.contact_book_id = ${bookId} and c.id = due.id
    returning c.id, c.email, c.email_key as "addressKey", c.first_name as "firstName", c.last_name as "lastName",
      c.properties
  `.execute(trx);
  return rows;
}
