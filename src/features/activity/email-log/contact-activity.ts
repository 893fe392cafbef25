/** Lists the emails to the address of a contact with their outcomes, and the events that applications sent. Newest first. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { encodeId } from '../../../platform/ids.ts';
import {
  fromStart,
  readPageStart,
  toPage,
  type Page,
  type PageRequest,
  type PageStart,
} from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { mayReadEmail } from '../../api/mailbox-access.ts';
import { contactBookKey } from '../../audience/contact-books/contact-books.ts';
import { isInBook } from '../../audience/contact-books/deleted-books.ts';
import { contactKey } from '../../audience/contacts/contacts.ts';
import { fillSubjects } from '../../campaigns/fill-subjects.ts';
import type { EmailStatus } from '../../sending/emails/emails.schema.ts';
import type { ContactActivity } from './email-log.schema.ts';

type ActivityRow = Row<
  'emails',
  'id' | 'sender' | 'subject' | 'campaign_id' | 'scheduled_at' | 'opened_at' | 'clicked_at' | 'created_at'
> & { status: EmailStatus; campaign: Row<'campaigns'>['name'] | null };

type EventRow = Row<'custom_events', 'id' | 'name' | 'data' | 'occurred_at' | 'created_at'>;

export async function listContactActivity(
  db: Db,
  caller: Caller,
  { contactBookId, contactId }: { contactBookId: string; contactId: string },
  page: PageRequest,
): Promise<Page<ContactActivity>> {
  const { teamId } = caller;
  const start = readPageStart(page.cursor?.startsWith('evt_') ? 'evt' : 'eml', page);
  const { rows: contacts } = await sql<Row<'contacts', 'id' | 'email_key'>>`
    select id, email_key from contacts where team_id = ${teamId}
      and contact_book_id = ${contactBookKey(contactBookId)} and id = ${contactKey(contactId)} and ${isInBook('contacts')}
  `.execute(db);
  const [contact] = contacts;
  if (!contact) throw notFound('Contact');
  const emails = await readEmails(db, caller, contact.email_key, start, page.limit + 1);
  const events = await readEvents(db, teamId, contact, start, page.limit + 1);
  // The IDs of both begin with the time.
  const all = [...(await fillSubjects(db, teamId, emails)), ...events].toSorted((a, b) =>
    a.id < b.id ? 1 : -1,
  );
  return toPage(all.slice(0, page.limit + 1), page, (row) =>
    'name' in row ? presentEvent(row) : presentEmail(row),
  );
}

async function readEmails(
  db: Db,
  caller: Caller,
  emailKey: string,
  start: PageStart,
  limit: number,
): Promise<ActivityRow[]> {
  const { teamId } = caller;
  // Opens and clicks belong to the email as a whole, so they count only where this address was its only recipient.
  const { rows } = await sql<ActivityRow>`
    select e.id, e.sender, e.subject, e.campaign_id, p.name as campaign, e.scheduled_at, e.created_at,
      case when r.alone then e.status else r.status end as status,
      case when r.alone then e.opened_at end as opened_at, case when r.alone then e.clicked_at end as clicked_at
    from (
      select r.email_id, min(r.status) as status, not exists (
        select from all_email_recipients other where other.team_id = ${teamId} and other.email_id = r.email_id
          and other.address_key <> ${emailKey}
      ) as alone
      from all_email_recipients r
      where r.team_id = ${teamId} and r.address_key = ${emailKey} and ${fromStart(start, 'r.email_id')}
        -- Email that was taken back into a draft was never sent to this address. That of mailboxes that the caller
        -- cannot read is not shown.
        and not exists (
          select from emails undone where undone.team_id = ${teamId} and undone.id = r.email_id
            and ((undone.source = 'mailbox' and undone.status = 'CANCELLED') or not ${mayReadEmail(caller, 'undone')})
        )
      group by r.email_id order by r.email_id desc limit ${limit}
    ) r
    join all_emails e on e.team_id = ${teamId} and e.id = r.email_id
    left join campaigns p on p.team_id = ${teamId} and p.id = e.campaign_id
    order by e.id desc
  `.execute(db);
  return rows;
}

async function readEvents(
  db: Db,
  teamId: number,
  { id, email_key: emailKey }: Row<'contacts', 'id' | 'email_key'>,
  start: PageStart,
  limit: number,
): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    select id, name, data, occurred_at, created_at from custom_events
    where team_id = ${teamId} and (contact_id = ${id} or not is_of_book and address_key = ${emailKey})
      and ${fromStart(start, 'id')}
    order by id desc limit ${limit}
  `.execute(db);
  return rows;
}

function presentEmail(row: ActivityRow): ContactActivity {
  return {
    type: 'email',
    id: encodeId('eml', row.id),
    from: row.sender,
    subject: row.subject,
    status: row.status,
    campaign:
      row.campaign_id === null ? null : { id: encodeId('cmp', row.campaign_id), name: row.campaign ?? '' },
    scheduledAt: row.scheduled_at?.toISOString() ?? null,
    openedAt: row.opened_at?.toISOString() ?? null,
    clickedAt: row.clicked_at?.toISOString() ?? null,
    event: null,
    createdAt: row.created_at.toISOString(),
  };
}

function presentEvent(row: EventRow): ContactActivity {
  return {
    type: 'event',
    id: encodeId('evt', row.id),
    from: null,
    subject: null,
    status: null,
    campaign: null,
    scheduledAt: null,
    openedAt: null,
    clickedAt: null,
    event: { name: row.name, data: row.data, occurredAt: row.occurred_at.toISOString() },
    createdAt: row.created_at.toISOString(),
  };
}
