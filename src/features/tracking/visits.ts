/** Writing visits down, many at once: all of them in one table, and for people all that follows from theirs. */
import { inTransaction, statement, toArray, toJson, type Db } from '../../platform/database.ts';
import { COUNT_CHANGES } from '../analytics/tally.ts';
import { EVENT_COLUMNS, toEventRow, TYPED_EVENT_COLUMNS, type NewEvent } from '../deliveries/settle.ts';
import type { EmailRef } from './links.ts';

/** The visits to one email since it was last written down. */
export interface Visits extends EmailRef {
  /** Everybody's. */
  opens: number;
  clicks: number;
  people: PeopleVisits | null;
}

export interface PeopleVisits {
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
  opened: boolean;
  clicked: boolean;
  /** In milliseconds: a time as text would have to be read for each. */
  open_event_ms: number | null;
  click_event_ms: number | null;
  click_event_url: string | null;
  contact_book_id: string | null;
  contact_id: string | null;
}

/**
 * The first open and the first click of an email by a person count; a click shows that it was opened, whether its
 * pictures were loaded or not. Returns the emails whose first attempt is not written down yet: what people did with
 * them is early, and has no day to count on so far.
 */
export async function recordVisits(db: Db, visits: Visits[]): Promise<Visits[]> {
  if (visits.every(({ people }) => people === null)) {
    await keepCounts(db, visits, new Map());
    return [];
  }
  return inTransaction(db, async (trx) => {
    const ofPeople = visits.filter(hasPeople);
    const emails = await lockEmails(trx, ofPeople);
    const findings = new Map<Visits, Finding>();
    const early: Visits[] = [];
    for (const visit of ofPeople) {
      const email = emails.get(keyOf(visit.teamId, visit.emailId));
      if (!email) continue;
      if (email.tried) findings.set(visit, find(visit, email));
      else early.push(visit);
    }
    const found = [...findings.values()];
    await markEmails(trx, found);
    await keepCounts(trx, visits, findings);
    await markContacts(trx, found);
    return early;
  });
}

type VisitsOfPeople = Visits & { people: PeopleVisits };

function hasPeople(visits: Visits): visits is VisitsOfPeople {
  return visits.people !== null;
}

interface Finding extends EmailRef {
  people: PeopleVisits;
  isFirstOpen: boolean;
  isFirstClick: boolean;
  contactBookId: string | null;
  contactId: string | null;
  events: NewEvent[];
}

function keyOf(teamId: number, emailId: string): string {
  return `${teamId}/${emailId}`;
}

function find({ teamId, emailId, people }: VisitsOfPeople, email: EmailRow): Finding {
  const { open, click } = people;
  const isFirstOpen = (open !== null || click !== null) && !email.opened;
  const events: NewEvent[] = [];
  const add = (status: 'OPENED' | 'CLICKED', at: Date, data: object) =>
    events.push({ teamId, emailId, status, recipient: null, data, at });
  if (open && isDue(open.at, email.open_event_ms)) add('OPENED', open.at, { userAgent: open.userAgent });
  else if (isFirstOpen && click) add('OPENED', click.at, { userAgent: click.userAgent });
  if (click && (email.click_event_url !== click.url || isDue(click.at, email.click_event_ms)))
    add('CLICKED', click.at, { userAgent: click.userAgent, link: click.url });
  return {
    teamId,
    emailId,
    people,
    isFirstOpen,
    isFirstClick: click !== null && !email.clicked,
    contactBookId: email.contact_book_id,
    contactId: email.contact_id,
    events,
  };
}

function isDue(at: Date, lastMs: number | null): boolean {
  return lastMs === null || at.getTime() - lastMs >= EVENT_EVERY_MS;
}

async function lockEmails(trx: Db, visits: VisitsOfPeople[]): Promise<Map<string, EmailRow>> {
  const rows = await statement<EmailRow>(trx)`
    select e.team_id, e.id, e.first_tried_on is not null as tried, e.opened_at is not null as opened,
      e.clicked_at is not null as clicked, v.click_event_url, e.contact_book_id, e.contact_id,
      (extract(epoch from v.open_event_at) * 1000)::float8 as open_event_ms,
      (extract(epoch from v.click_event_at) * 1000)::float8 as click_event_ms
    from unnest(
      ${toArray(visits, (visit) => visit.teamId)}::integer[], ${toArray(visits, (visit) => visit.emailId)}::uuid[]
    ) as n (team_id, email_id)
    join emails e on e.team_id = n.team_id and e.id = n.email_id
    left join email_visits v on v.team_id = e.team_id and v.email_id = e.id
    order by e.team_id, e.id for no key update of e`;
  return new Map(rows.map((row) => [keyOf(row.team_id, row.id), row]));
}

/**
 * The email's status, the counters and the events. As `SETTLE_TURNS` has it: opens and clicks show while nobody bounced
 * and everybody was delivered to.
 */
async function markEmails(trx: Db, findings: Finding[]): Promise<void> {
  const first = findings.filter((finding) => finding.isFirstOpen || finding.isFirstClick);
  const events = findings.flatMap((finding) => finding.events);
  if (first.length === 0 && events.length === 0) return;
  await statement(trx)`
    with first as (
      select * from unnest(
        ${toArray(first, ({ teamId }) => teamId)}::integer[], ${toArray(first, ({ emailId }) => emailId)}::uuid[],
        ${toArray(first, ({ people }) => (people.open ?? people.click)!.at)}::timestamptz[],
        ${toArray(first, ({ people }) => people.click?.at ?? null)}::timestamptz[],
        ${toArray(first, ({ isFirstOpen }) => Number(isFirstOpen))}::integer[],
        ${toArray(first, ({ isFirstClick }) => Number(isFirstClick))}::integer[]
      ) as f (team_id, email_id, opened_at, clicked_at, opened, clicked)
    ), change as (
      update emails e set updated_at = now(),
        opened_at = coalesce(e.opened_at, f.opened_at), clicked_at = coalesce(e.clicked_at, f.clicked_at),
        status = case when e.status not in ('DELIVERED', 'OPENED') then e.status
          when coalesce(e.clicked_at, f.clicked_at) is not null then 'CLICKED' else 'OPENED' end
      from first f
      where e.team_id = f.team_id and e.id = f.email_id
      returning e.team_id, e.domain_id, e.campaign_id, e.first_tried_on as day, false as is_copy, f.opened, f.clicked,
        0 as sent, 0 as delivered, 0 as bounced, 0 as hard_bounced, 0 as complained
    ), ${COUNT_CHANGES}
    insert into email_events (${EVENT_COLUMNS})
    select ${EVENT_COLUMNS} from json_to_recordset(${toJson(events.map(toEventRow))}::json) as e (${TYPED_EVENT_COLUMNS})`;
}

/** One row for each email, whoever visited it. */
async function keepCounts(db: Db, visits: Visits[], findings: Map<Visits, Finding>): Promise<void> {
  const eventAt = (visit: Visits, status: string) =>
    findings.get(visit)?.events.find((event) => event.status === status)?.at ?? null;
  await statement(db)`
    insert into email_visits as v (team_id, email_id, opens, clicks, human_opens, human_clicks,
      open_event_at, click_event_at, click_event_url)
    select e.team_id, e.id, n.opens, n.clicks, n.human_opens, n.human_clicks,
      n.open_event_at, n.click_event_at, n.click_event_url
    from unnest(
      ${toArray(visits, ({ teamId }) => teamId)}::integer[], ${toArray(visits, ({ emailId }) => emailId)}::uuid[],
      ${toArray(visits, ({ opens }) => opens)}::bigint[], ${toArray(visits, ({ clicks }) => clicks)}::bigint[],
      ${toArray(visits, (visit) => findings.get(visit)?.people.opens ?? 0)}::bigint[],
      ${toArray(visits, (visit) => findings.get(visit)?.people.clicks ?? 0)}::bigint[],
      ${toArray(visits, (visit) => eventAt(visit, 'OPENED'))}::timestamptz[],
      ${toArray(visits, (visit) => eventAt(visit, 'CLICKED'))}::timestamptz[],
      ${visits.map((visit) => (eventAt(visit, 'CLICKED') ? visit.people!.click!.url : null))}::text[]
    ) as n (team_id, email_id, opens, clicks, human_opens, human_clicks, open_event_at, click_event_at, click_event_url)
    join emails e on e.team_id = n.team_id and e.id = n.email_id
    order by e.team_id, e.id
    on conflict (team_id, email_id) do update set
      opens = v.opens + excluded.opens, clicks = v.clicks + excluded.clicks,
      human_opens = v.human_opens + excluded.human_opens, human_clicks = v.human_clicks + excluded.human_clicks,
      open_event_at = coalesce(excluded.open_event_at, v.open_event_at),
      click_event_at = coalesce(excluded.click_event_at, v.click_event_at),
      click_event_url = coalesce(excluded.click_event_url, v.click_event_url)`;
}

/** The latest open and click of a contact, for segments; in the order in which contacts are locked everywhere. */
async function markContacts(trx: Db, findings: Finding[]): Promise<void> {
  const known = findings.filter(({ contactId }) => contactId !== null);
  if (known.length === 0) return;
  await statement(trx)`
    with visit as (
      select team_id, contact_book_id, contact_id, max(opened_at) as opened_at, max(clicked_at) as clicked_at
      from unnest(
        ${toArray(known, ({ teamId }) => teamId)}::integer[], ${toArray(known, ({ contactBookId }) => contactBookId)}::uuid[],
        ${toArray(known, ({ contactId }) => contactId)}::uuid[],
        ${toArray(known, ({ people }) => (people.open ?? people.click)!.at)}::timestamptz[],
        ${toArray(known, ({ people }) => people.click?.at ?? null)}::timestamptz[]
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
    from locked v where c.team_id = v.team_id and c.contact_book_id = v.contact_book_id and c.id = v.id`;
}
