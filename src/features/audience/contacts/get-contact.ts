/** Reads one contact with its subscription, its other books, and whether it is suppressed. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { isInBook } from '../contact-books/deleted-books.ts';
import { contactBookKey } from '../contact-books/contact-books.ts';
import { contactKey } from './contacts.ts';
import type { ContactDetails } from './contacts.schema.ts';
import { CONTACT_COLUMNS, presentContact, type ContactRow } from './present-contact.ts';

type DetailsRow = ContactRow &
  Row<
    'contacts',
    | 'email_key'
    | 'subscription_changed_at'
    | 'subscription_changed_by'
    | 'confirmation_sent_at'
    | 'last_opened_at'
    | 'last_clicked_at'
  > & {
    reason: Row<'suppressions'>['reason'] | null;
    suppressed_at: Row<'suppressions'>['created_at'] | null;
    referrals: number;
  };

export async function getContact(
  db: Db,
  teamId: number,
  contactBookId: string,
  contactId: string,
): Promise<ContactDetails> {
  const { rows } = await sql<DetailsRow>`
    select ${CONTACT_COLUMNS}, c.email_key, c.subscription_changed_at, c.subscription_changed_by,
      c.confirmation_sent_at, c.last_opened_at, c.last_clicked_at, s.reason, s.created_at as suppressed_at, (
        select coalesce(sum(g.joined), 0)::float8 from contact_book_growth g
        where g.team_id = c.team_id and g.contact_book_id = c.contact_book_id and g.source = 'referral'
          and g.source_id = ${contactId}
      ) as referrals
    from contacts c left join suppressions s on s.team_id = c.team_id and s.address_key = c.email_key
    where c.team_id = ${teamId} and c.contact_book_id = ${contactBookKey(contactBookId)}
      and c.id = ${contactKey(contactId)} and ${isInBook('c')}
  `.execute(db);
  if (!rows[0]) throw notFound('Contact');
  const {
    email_key,
    subscription_changed_at,
    subscription_changed_by,
    confirmation_sent_at,
    last_opened_at,
    last_clicked_at,
    reason,
    suppressed_at,
    referrals,
    ...row
  } = rows[0];
  return {
    ...presentContact(row),
    subscription: {
      state: row.subscription,
      changedAt: subscription_changed_at.toISOString(),
      changedBy: subscription_changed_by,
    },
    confirmationSentAt: confirmation_sent_at?.toISOString() ?? null,
    lastOpenedAt: last_opened_at?.toISOString() ?? null,
    lastClickedAt: last_clicked_at?.toISOString() ?? null,
    referrals,
    suppression: reason && suppressed_at ? { reason, createdAt: suppressed_at.toISOString() } : null,
    books: await listBooksOf(db, teamId, email_key),
  };
}

/** The contacts with this address in all books of the team, oldest book first. */
async function listBooksOf(db: Db, teamId: number, emailKey: string): Promise<ContactDetails['books']> {
  const { rows } = await sql<
    Row<'contact_books', 'id' | 'name' | 'emoji'> & { contact_id: Row<'contacts'>['id']; subscribed: boolean }
  >`
    select b.id, b.name, b.emoji, c.id as contact_id, c.subscription = 'subscribed' as subscribed
    from contact_books b
    join contacts c on c.team_id = b.team_id and c.contact_book_id = b.id and c.email_key = ${emailKey}
    where b.team_id = ${teamId} order by b.id
  `.execute(db);
  return rows.map(({ id, name, emoji, contact_id, subscribed }) => ({
    contactBookId: encodeId('cbk', id),
    contactId: encodeId('con', contact_id),
    name,
    emoji,
    subscribed,
  }));
}
