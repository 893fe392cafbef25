/** Fills in the merge tags in the subjects of campaign emails, which are stored as the author wrote them. */
import { sql } from 'kysely';
import { isInBook } from '../audience/contact-books/deleted-books.ts';
import { contactField } from '../audience/contacts/contact-tags.ts';
import { compileText } from '../../mail/mime/compose/message-template.ts';
import type { Db } from '../../platform/database/database.ts';
import type { CamelRow, Row } from '../../platform/database/rows.ts';

type Email = Row<'emails', 'id' | 'subject' | 'campaign_id'>;
interface Recipient extends CamelRow<'contacts', 'first_name' | 'last_name'> {
  emailId: Row<'emails'>['id'];
  email: Row<'email_recipients'>['address'];
  properties: Record<string, unknown>;
}

/**
 * Returns the emails with the subjects that their recipients got. If the contact was deleted, tags have their
 * fallbacks.
 */
export async function fillSubjects<Found extends Email>(
  db: Db,
  teamId: number,
  emails: Found[],
): Promise<Found[]> {
  const ids = emails.filter(hasTags).map(({ id }) => id);
  if (ids.length === 0) return emails;
  const recipients = new Map(
    (await readRecipients(db, teamId, ids)).map((recipient) => [recipient.emailId, recipient]),
  );
  const compiled = new Map<string, (recipient: Recipient) => string>();
  const fill = (subject: string, recipient: Recipient) => {
    const render = compiled.get(subject) ?? compileText(subject, 'plain', resolve);
    compiled.set(subject, render);
    return render(recipient);
  };
  return emails.map((email) => {
    const recipient = hasTags(email) ? recipients.get(email.id) : undefined;
    return recipient ? { ...email, subject: fill(email.subject, recipient) } : email;
  });
}

function hasTags({ campaign_id, subject }: Email): boolean {
  return campaign_id !== null && subject.includes('{{');
}

function resolve(name: string): (recipient: Recipient) => string | null {
  return contactField(name, ({ email }: Recipient) => email);
}

async function readRecipients(db: Db, teamId: number, emailIds: string[]): Promise<Recipient[]> {
  const { rows } = await sql<Recipient>`
    select e.id as "emailId", r.address as email, c.first_name as "firstName", c.last_name as "lastName",
      coalesce(c.properties, '{}') as properties
    from all_emails e
    join all_email_recipients r on r.team_id = e.team_id and r.email_id = e.id and r.no = 0
    left join contacts c on c.team_id = e.team_id and c.contact_book_id = e.contact_book_id and c.id = e.contact_id
      and c.email_key = r.address_key and ${isInBook('c')}
    where e.team_id = ${teamId} and e.id = any(${emailIds}::uuid[])
  `.execute(db);
  return rows;
}
