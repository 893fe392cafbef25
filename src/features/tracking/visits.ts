/** Writing visits down, many at once: all of them in one table, and for people all that follows from theirs. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database.ts';
import { tally } from '../analytics/tally.ts';
import { appendEvents, type NewEvent } from '../deliveries/settle.ts';
import type { EmailRef } from './links.ts';

/** Every visit, whoever it was. */
export interface Visits extends EmailRef {
  opens: number;
  clicks: number;
}

/** What people did with one email since it was last written down. */
export interface PeopleVisits extends EmailRef {
  opens: number;
  clicks: number;
  open: { at: Date; userAgent: string } | null;
  click: { at: Date; userAgent: string; url: string } | null;
}

const EVENT_EVERY_MS = 60_000;

interface EmailRow {
  team_id: number;
  id: string;
  tried: boolean;
  opened_at: Date | null;
  clicked_at: Date | null;
  open_event_at: Date | null;
  click_event_at: Date | null;
  click_event_url: string | null;
  contact_book_id: string | null;
  contact_id: string | null;
}

export async function countVisits(db: Db, visits: Visits[]): Promise<void> {
  await sql`
    insert into email_visits as v (team_id, email_id, opens, clicks)
    select e.team_id, e.id, n.opens, n.clicks
    from unnest(
      ${visits.map((visit) => visit.teamId)}::integer[], ${visits.map((visit) => visit.emailId)}::uuid[],
      ${visits.map((visit) => visit.opens)}::bigint[], ${visits.map((visit) => visit.clicks)}::bigint[]
    ) as n (team_id, email_id, opens, clicks)
    join emails e on e.team_id = n.team_id and e.id = n.email_id
    order by e.team_id, e.id
    on conflict (team_id, email_id) do update
      set opens = v.opens + excluded.opens, clicks = v.clicks + excluded.clicks
  `.execute(db);
}

/**
 * The first open and the first click of an email count; a click shows that it was opened, whether its pictures were
 * loaded or not. Returns the visits to emails whose first attempt is not written down yet: they are early, and have no
 * day to count on so far.
 */
export async function recordPeople(db: Db, visits: PeopleVisits[]): Promise<PeopleVisits[]> {
  return inTransaction(db, async (trx) => {
    const emails = new Map((await lockEmails(trx, visits)).map((row) => [`${row.team_id}/${row.id}`, row]));
    const known = visits.flatMap((visit) => {
      const email = emails.get(`${visit.teamId}/${visit.emailId}`);
      return email ? [{ visit, email }] : [];
    });
    const findings = known.filter(({ email }) => email.tried).map(({ visit, email }) => find(visit, email));
    if (findings.length > 0) {
      await markEmails(trx, findings);
      await keepCounts(trx, findings);
      await markContacts(trx, findings);
      await tally(
        trx,
        findings.map(({ teamId, emailId, isFirstOpen, isFirstClick }) => ({
          teamId,
          emailId,
          opened: isFirstOpen ? 1 : 0,
          clicked: isFirstClick ? 1 : 0,
        })),
      );
      const events = findings.flatMap((finding) => finding.events);
      if (events.length > 0) await appendEvents(trx, events);
    }
    return known.filter(({ email }) => !email.tried).map(({ visit }) => visit);
  });
}

interface Finding extends PeopleVisits {
  isFirstOpen: boolean;
  isFirstClick: boolean;
  contactBookId: string | null;
  contactId: string | null;
  events: NewEvent[];
}

function find(visit: PeopleVisits, email: EmailRow): Finding {
  const { teamId, emailId, open, click } = visit;
  const isFirstClick = click !== null && email.clicked_at === null;
  const isFirstOpen = (open !== null || click !== null) && email.opened_at === null;
  const events: NewEvent[] = [];
  const add = (status: 'OPENED' | 'CLICKED', at: Date, data: object) =>
    events.push({ teamId, emailId, status, recipient: null, data, at });
  if (open && isDue(open.at, email.open_event_at)) add('OPENED', open.at, { userAgent: open.userAgent });
  else if (isFirstOpen && click) add('OPENED', click.at, { userAgent: click.userAgent });
  if (click && (email.click_event_url !== click.url || isDue(click.at, email.click_event_at)))
    add('CLICKED', click.at, { userAgent: click.userAgent, link: click.url });
  const { contact_book_id: contactBookId, contact_id: contactId } = email;
  return { ...visit, isFirstOpen, isFirstClick, contactBookId, contactId, events };
}

function isDue(at: Date, last: Date | null): boolean {
  return last === null || at.getTime() - last.getTime() >= EVENT_EVERY_MS;
}

async function lockEmails(trx: Db, visits: PeopleVisits[]): Promise<EmailRow[]> {
  const { rows } = await sql<EmailRow>`
    select e.team_id, e.id, e.first_tried_on is not null as tried, e.opened_at, e.clicked_at,
      v.open_event_at, v.click_event_at, v.click_event_url, e.contact_book_id, e.contact_id
    from unnest(
      ${visits.map((visit) => visit.teamId)}::integer[], ${visits.map((visit) => visit.emailId)}::uuid[]
    ) as n (team_id, email_id)
    join emails e on e.team_id = n.team_id and e.id = n.email_id
    left join email_visits v on v.team_id = e.team_id and v.email_id = e.id
    order by e.team_id, e.id for no key update of e
  `.execute(trx);
  return rows;
}

/** As `settleEmails` has it: opens and clicks show while nobody bounced and everybody was delivered to. */
async function markEmails(trx: Db, findings: Finding[]): Promise<void> {
  const first = findings.filter((finding) => finding.isFirstOpen || finding.isFirstClick);
  if (first.length === 0) return;
  await sql`
    update emails e set updated_at = now(),
      opened_at = coalesce(e.opened_at, n.opened_at), clicked_at = coalesce(e.clicked_at, n.clicked_at),
      status = case when e.status not in ('DELIVERED', 'OPENED') then e.status
        when coalesce(e.clicked_at, n.clicked_at) is not null then 'CLICKED' else 'OPENED' end
    from unnest(
      ${first.map(({ teamId }) => teamId)}::integer[], ${first.map(({ emailId }) => emailId)}::uuid[],
      ${first.map(({ open, click }) => (open ?? click)!.at)}::timestamptz[],
      ${first.map(({ click }) => click?.at ?? null)}::timestamptz[]
    ) as n (team_id, email_id, opened_at, clicked_at)
    where e.team_id = n.team_id and e.id = n.email_id
  `.execute(trx);
}

async function keepCounts(trx: Db, findings: Finding[]): Promise<void> {
  const eventAt = ({ events }: Finding, status: string) =>
    events.find((event) => event.status === status)?.at ?? null;
  await sql`
    insert into email_visits as v
      (team_id, email_id, human_opens, human_clicks, open_event_at, click_event_at, click_event_url)
    select * from unnest(
      ${findings.map(({ teamId }) => teamId)}::integer[], ${findings.map(({ emailId }) => emailId)}::uuid[],
      ${findings.map(({ opens }) => opens)}::bigint[], ${findings.map(({ clicks }) => clicks)}::bigint[],
      ${findings.map((finding) => eventAt(finding, 'OPENED'))}::timestamptz[],
      ${findings.map((finding) => eventAt(finding, 'CLICKED'))}::timestamptz[],
      ${findings.map((finding) => (eventAt(finding, 'CLICKED') ? finding.click!.url : null))}::text[]
    ) as n (team_id, email_id, opens, clicks, open_event_at, click_event_at, click_event_url)
    order by team_id, email_id
    on conflict (team_id, email_id) do update set
      human_opens = v.human_opens + excluded.human_opens, human_clicks = v.human_clicks + excluded.human_clicks,
      open_event_at = coalesce(excluded.open_event_at, v.open_event_at),
      click_event_at = coalesce(excluded.click_event_at, v.click_event_at),
      click_event_url = coalesce(excluded.click_event_url, v.click_event_url)
  `.execute(trx);
}

/** The latest open and click of a contact, for segments; in the order in which contacts are locked everywhere. */
async function markContacts(trx: Db, findings: Finding[]): Promise<void> {
  const known = findings.filter(({ contactId }) => contactId !== null);
  if (known.length === 0) return;
  await sql`
    with visit as (
      select team_id, contact_book_id, contact_id, max(opened_at) as opened_at, max(clicked_at) as clicked_at
      from unnest(
        ${known.map(({ teamId }) => teamId)}::integer[], ${known.map(({ contactBookId }) => contactBookId)}::uuid[],
        ${known.map(({ contactId }) => contactId)}::uuid[],
        ${known.map(({ open, click }) => (open ?? click)!.at)}::timestamptz[],
        ${known.map(({ click }) => click?.at ?? null)}::timestamptz[]
      ) as v (team_id, contact_book_id, contact_id, opened_at, clicked_at)
      group by team_id, contact_book_id, contact_id
    ), locked as (
      select c.team_id, c.contact_book_id, c.id, v.opened_at, v.clicked_at
      from contacts c join visit v
        on v.team_id = c.team_id and v.contact_book_id = c.contact_book_id and v.contact_id = c.id
      order by c.contact_book_id, c.email_key for no key update of c
    )
    update contacts c set last_opened_at = greatest(c.last_opened_at, v.opened_at),
      last_clicked_at = greatest(c.last_clicked_at, v.clicked_at)
    from locked v where c.team_id = v.team_id and c.contact_book_id = v.contact_book_id and c.id = v.id
  `.execute(trx);
}
