/** Fills in the merge tags in the subjects of campaign emails, which are stored as the author wrote them. */
import { sql } from 'kysely';
import { isInBook } from '../audience/contact-books/deleted-books.ts';
import { contactField } from '../audience/own-fields/contact-tags.ts';
import { TAGGED_COLUMNS, type TaggedContact } from '../audience/own-fields/own-columns.ts';
import { hasBlocks } from '../../mail/html/merge-tags.ts';
import { languagesOf, type Translations } from '../content/translations.ts';
import { isFeedName, readFeedValue, type FeedValues } from './feed-values.ts';
import { languageFor } from './languages.ts';
import { compileText } from '../../mail/mime/compose/message-template.ts';
import type { Db } from '../../platform/database/database.ts';
import type { Row } from '../../platform/database/rows.ts';

type Email = Row<'emails', 'id' | 'subject' | 'campaign_id'>;
interface Recipient extends TaggedContact {
  translations: Translations | null;
  feed: FeedValues | null;
  emailId: Row<'emails'>['id'];
  email: Row<'email_recipients'>['address'];
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
  const translated = await findTranslated(db, teamId, emails);
  const isFilled = (email: Email) => hasTags(email) || translated.has(email.campaign_id ?? '');
  const ids = emails.filter(isFilled).map(({ id }) => id);
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
    const recipient = isFilled(email) ? recipients.get(email.id) : undefined;
    if (!recipient) return email;
    const { translations } = recipient;
    const language = languageFor(languagesOf(translations), recipient);
    const subject = language === null ? email.subject : translations![language]!.subject;
    return { ...email, subject: fill(subject, recipient) };
  });
}

function hasTags({ campaign_id, subject }: Email): boolean {
  return campaign_id !== null && (subject.includes('{{') || hasBlocks(subject));
}

/** Returns the campaigns with translations, whose emails may have another subject than the one that is stored. */
async function findTranslated(db: Db, teamId: number, emails: Email[]): Promise<Set<string>> {
  const ids = [...new Set(emails.flatMap(({ campaign_id }) => campaign_id ?? []))];
  if (ids.length === 0) return new Set();
  const { rows } = await sql<Row<'campaigns', 'id'>>`
    select id from campaigns where team_id = ${teamId} and id = any(${ids}::uuid[]) and translations is not null
  `.execute(db);
  return new Set(rows.map(({ id }) => id));
}

function resolve(name: string): (recipient: Recipient) => unknown {
  const ofContact = contactField(name, ({ email }: Recipient) => email);
  if (!isFeedName(name)) return ofContact;
  return (recipient) => (recipient.feed ? readFeedValue(recipient.feed, name) : ofContact(recipient));
}

async function readRecipients(db: Db, teamId: number, emailIds: string[]): Promise<Recipient[]> {
  const { rows } = await sql<Recipient>`
    select e.id as "emailId", r.address as email, ${TAGGED_COLUMNS}, p.translations, p.feed
    from all_emails e
    join campaigns p on p.team_id = e.team_id and p.id = e.campaign_id
    join all_email_recipients r on r.team_id = e.team_id and r.email_id = e.id and r.no = 0
    left join contacts c on c.team_id = e.team_id and c.contact_book_id = e.contact_book_id and c.id = e.contact_id
      and c.email_key = r.address_key and ${isInBook('c')}
    where e.team_id = ${teamId} and e.id = any(${emailIds}::uuid[])
  `.execute(db);
  return rows;
}
