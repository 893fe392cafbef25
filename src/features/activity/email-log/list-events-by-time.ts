/**
 * Lists events of emails in a time range, page by page along (created_at, id). Matches of a filter may be far apart, so
 * events are read in slices until the page is full or the range ends. No statement runs for long, and a page is empty
 * only at the end of the range.
 *
 * Events are ordered by time, not as in the stream (read-events.ts), so an event whose transaction commits late can
 * appear before events that were already read. A reader that must not miss any reads the last minutes again.
 */
import { sql, type RawBuilder } from 'kysely';
import { VARYING, type Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { EventType } from '../../events/event-types.ts';
import type { Caller } from '../../api/caller.ts';
import { mayReadEmail } from '../../api/mailbox-access.ts';
import { presentEmailLabels } from '../../events/present-email.ts';
import type { EmailLabels } from '../../sending/emails/emails.schema.ts';
import { campaignOfMessageId } from '../../sending/ledger/email-names.ts';

const SLICE = 20_000;

export interface EventPosition {
  /** The time is in UTC with microseconds: 2026-11-15T09:30:00.123456Z. */
  at: string;
  /** The UUID of the event. */
  id: Row<'emails'>['id'];
}

/** All conditions must hold. A tag is `name:value`. */
export interface EmailEventFilter {
  types: EventType[];
  /** Only events of emails that this domain sent, or that have this tag. */
  domain: { id: number; orTag: string };
  /** The range includes both ends. */
  since: Date | null;
  until: Date | null;
  /** The email has at least one tag of each group. */
  tagGroups: string[][];
  /** Only events of emails with this Message-ID, or with this tag. */
  email: { messageId: string } | { tag: string } | null;
  /** The normalised address of the recipient. */
  recipientKey: string | null;
}

export interface ListedEmailEvent extends CamelRow<'emails', 'message_id' | 'sender' | 'subject'> {
  position: EventPosition;
  type: EventType;
  /** Null when the event concerns the email as a whole. */
  recipient: string | null;
  data: Record<string, unknown> | null;
  emailId: string;
  to: Row<'emails'>['to_addresses'];
  labels: EmailLabels;
}

interface Range {
  order: 'asc' | 'desc';
  /** The page begins after this position in the given order. Null for the first page. */
  after: EventPosition | null;
  limit: number;
}

type FoundEvent = Omit<ListedEmailEvent, 'position' | 'emailId' | 'labels'> &
  EventPosition & { email_id: Row<'emails'>['id']; labels: EmailLabels | null };

/** `beforeSlice` is called before each slice, and may throw to end a search whose caller has gone. */
export async function listEmailEvents(
  db: Db,
  caller: Caller,
  filter: EmailEventFilter,
  { order, after, limit }: Range,
  beforeSlice: () => void,
): Promise<ListedEmailEvent[]> {
  const { teamId } = caller;
  const found: FoundEvent[] = [];
  for (let position = after; ;) {
    beforeSlice();
    const slice = sliceOf(teamId, filter, order, position);
    const { rows } = await sql<FoundEvent>`
      ${sql.raw(VARYING)} select ${POSITION}, ev.type, ev.recipient, ev.data - 'transcript' as data, e.id as email_id,
        e.message_id as "messageId", e.sender, e.to_addresses as "to", e.subject, e.labels
      from (select id, subject_id, type, recipient, data, created_at ${slice} limit ${SLICE}) ev
      join all_emails e on e.team_id = ${teamId} and e.id = ev.subject_id
      where ${sql.join([...conditionsOf(teamId, filter), mayReadEmail(caller, 'e')], sql` and `)}
      order by ev.created_at ${sql.raw(order)}, ev.id ${sql.raw(order)} limit ${limit - found.length}
    `.execute(db);
    found.push(...rows);
    if (found.length >= limit) break;
    const { rows: ends } = await sql<EventPosition>`
      ${sql.raw(VARYING)} select ${POSITION} from (select id, created_at ${slice} offset ${SLICE - 1} limit 1) ev
    `.execute(db);
    if (!ends[0]) break;
    position = ends[0];
  }
  return found.map(({ at, id, email_id, labels, ...event }) => ({
    ...event,
    position: { at, id },
    emailId: encodeId('eml', email_id),
    labels: presentEmailLabels(labels),
  }));
}

const POSITION = sql`to_char(ev.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, ev.id`;

/** Selects the events of the range after a position, in order, without a limit. */
function sliceOf(
  teamId: number,
  { types, since, until, email, recipientKey }: EmailEventFilter,
  order: 'asc' | 'desc',
  after: EventPosition | null,
): RawBuilder<unknown> {
  const conditions = [sql`team_id = ${teamId}`, sql`type = any(${types}::text[])`];
  if (since) conditions.push(sql`created_at >= ${since}::timestamptz`);
  if (until) conditions.push(sql`created_at <= ${until}::timestamptz`);
  if (after) {
    // The first condition alone lets PostgreSQL skip partitions.
    const sign = sql.raw(order === 'asc' ? '>' : '<');
    conditions.push(
      sql`created_at ${sign}= ${after.at}::timestamptz`,
      sql`(created_at, id) ${sign} (${after.at}::timestamptz, ${after.id}::uuid)`,
    );
  }
  if (email) conditions.push(sql`subject_id in (${findEmails(teamId, email)})`);
  if (recipientKey !== null)
    conditions.push(sql`subject_id in (
      select email_id from all_email_recipients where team_id = ${teamId} and address_key = ${recipientKey})`);
  const where = sql.join(conditions, sql` and `);
  const inOrder = sql`order by created_at ${sql.raw(order)}, id ${sql.raw(order)}`;
  // PostgreSQL uses the index of each table only if it is asked for both.
  const slices = ['events', 'campaign_events'].map(
    (source) => sql`(
      select id, subject_id, type, recipient, data, created_at from ${sql.table(source)} where ${where}
      ${inOrder} limit ${SLICE})`,
  );
  return sql`from (${sql.join(slices, sql` union all `)}) each ${inOrder}`;
}

function findEmails(teamId: number, email: NonNullable<EmailEventFilter['email']>): RawBuilder<unknown> {
  if ('tag' in email)
    return sql`select email_id from email_tags where team_id = ${teamId} and tag = ${email.tag}`;
  const { messageId } = email;
  return sql`
    select id from emails where team_id = ${teamId} and message_id = ${messageId}
    union all
    select id from campaign_emails
    where team_id = ${teamId} and campaign_id = ${campaignOfMessageId(messageId)} and message_id = ${messageId}`;
}

/** Conditions of `ev` and its email `e`. */
function conditionsOf(teamId: number, filter: EmailEventFilter): RawBuilder<unknown>[] {
  const hasTag = (tags: string[]) => sql`exists (
    select from email_tags t where t.team_id = ${teamId} and t.tag = any(${tags}::text[]) and t.email_id = e.id)`;
  const { domain, tagGroups, recipientKey } = filter;
  return [
    sql`(e.domain_id = ${domain.id} or ${hasTag([domain.orTag])})`,
    ...tagGroups.map(hasTag),
    ...(recipientKey === null
      ? []
      : [
          sql`(ev.recipient is null or exists (
            select from all_email_recipients r where r.team_id = ${teamId} and r.email_id = e.id
              and r.address_key = ${recipientKey} and r.address = ev.recipient))`,
        ]),
  ];
}
