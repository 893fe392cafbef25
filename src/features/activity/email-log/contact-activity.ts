/** Lists the emails to the address of a contact with their outcomes, newest first. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { encodeId } from '../../../platform/ids.ts';
import { fromStart, readPageStart, toPage, type Page, type PageRequest } from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { mayReadEmail } from '../../api/mailbox-access.ts';
import { contactBookKey } from '../../audience/contact-books/contact-books.ts';
import { isInBook } from '../../audience/contact-books/deleted-books.ts';
import { contactKey } from '../../audience/contacts/contacts.ts';
import { fillSubjects } from '../../campaigns/fill-subjects.ts';
import type { EmailStatus } from '../../sending/emails/emails.schema.ts';
import type { ContactEmail } from './email-log.schema.ts';

type ActivityRow = Row<
  'emails',
  'id' | 'sender' | 'subject' | 'campaign_id' | 'scheduled_at' | 'opened_at' | 'clicked_at' | 'created_at'
> & { status: EmailStatus; campaign: Row<'campaigns'>['name'] | null };

export async function listContactActivity(
  db: Db,
  caller: Caller,
  { contactBookId, contactId }: { contactBookId: string; contactId: string },
  page: PageRequest,
): Promise<Page<ContactEmail>> {
  const { teamId } = caller;
  const start = readPageStart('eml', page);
  const { rows: contacts } = await sql<Row<'contacts', 'email_key'>>`
    select email_key from contacts where team_id = ${teamId}
      and contact_book_id = ${contactBookKey(contactBookId)} and id = ${contactKey(contactId)} and ${isInBook('contacts')}
  `.execute(db);
  if (!contacts[0]) throw notFound('Contact');
  // Opens and clicks belong to the email as a whole, so they count only where this address was its only recipient.
  const { rows } = await sql<ActivityRow>`
    select e.id, e.sender, e.subject, e.campaign_id, p.name as campaign, e.scheduled_at, e.created_at,
      case when r.alone then e.status else r.status end as status,
      case when r.alone then e.opened_at end as opened_at, case when r.alone then e.clicked_at end as clicked_at
    from (
      select r.email_id, min(r.status) as status, not exists (
        select from all_email_recipients other where other.team_id = ${teamId} and other.email_id = r.email_id
          and other.address_key <> ${contacts[0].email_key}
      ) as alone
      from all_email_recipients r
      where r.team_id = ${teamId} and r.address_key = ${contacts[0].email_key} and ${fromStart(start, 'r.email_id')}
        -- Email that was taken back into a draft was never sent to this address. That of mailboxes that the caller
        -- cannot read is not shown.
        and not exists (
          select from emails undone where undone.team_id = ${teamId} and undone.id = r.email_id
            and ((undone.source = 'mailbox' and undone.status = 'CANCELLED') or not ${mayReadEmail(caller, 'undone')})
        )
      group by r.email_id order by r.email_id desc limit ${page.limit + 1}
    ) r
    join all_emails e on e.team_id = ${teamId} and e.id = r.email_id
    left join campaigns p on p.team_id = ${teamId} and p.id = e.campaign_id
    order by e.id desc
  `.execute(db);
  return toPage(await fillSubjects(db, teamId, rows), page, present);
}

function present(row: ActivityRow): ContactEmail {
  return {
    id: encodeId('eml', row.id),
    from: row.sender,
    subject: row.subject,
    status: row.status,
    campaign:
      row.campaign_id === null ? null : { id: encodeId('cmp', row.campaign_id), name: row.campaign ?? '' },
    scheduledAt: row.scheduled_at?.toISOString() ?? null,
    openedAt: row.opened_at?.toISOString() ?? null,
    clickedAt: row.clicked_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  };
}
