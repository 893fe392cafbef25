/**
 * Lists events of emails, newest first: the bounces of a team, its opens and clicks, or all events of one email.
 * list-events-by-time.ts lists all events in a time range, which needs another index.
 */
import { sql } from 'kysely';
import { parseMailbox } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { uuidsOf } from '../../../platform/id-numbers.ts';
import { encodeId } from '../../../platform/ids.ts';
import { readCursor, type Page } from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { mayReadEmail } from '../../api/mailbox-access.ts';
import { presentEmailHead, presentEmailLabels } from '../../events/present-email.ts';
import type { EmailLabels } from '../../sending/emails/emails.schema.ts';
import { findEmail } from '../../sending/emails/emails.ts';

/** The types that have an index by team (events_outcomes). Others are listed only for one email. */
type OutcomeType = 'email.bounced' | 'email.complained' | 'email.opened' | 'email.clicked';

export interface EmailEventItem extends EmailLabels {
  id: string;
  type: string;
  emailId: string;
  /** For opens and clicks, the first recipient of the email, because a link does not tell who followed it. */
  recipient: string;
  data: Record<string, unknown>;
  createdAt: string;
  from: string;
  subject: string;
}

type EventRow = Row<'events', 'id' | 'type' | 'recipient' | 'created_at'> &
  Row<'emails', 'sender' | 'subject' | 'to_addresses'> & {
    email_id: Row<'emails'>['id'];
    data: Record<string, unknown> | null;
    labels: EmailLabels | null;
  };

const EVENTS = sql`
  select h.id, h.type, h.recipient, h.data, h.created_at, e.id as email_id, e.sender, e.subject, e.to_addresses, e.labels
  from events h join emails e on e.team_id = h.team_id and e.id = h.subject_id`;

const ALL_EVENTS = sql`
  select h.id, h.type, h.recipient, h.data, h.created_at, e.id as email_id, e.sender, e.subject, e.to_addresses, e.labels
  from all_events h join all_emails e on e.team_id = h.team_id and e.id = h.subject_id`;

export async function listOutcomes(
  db: Db,
  caller: Caller,
  { types, limit, cursor }: { types: OutcomeType[]; limit: number; cursor?: string | undefined },
): Promise<Page<EmailEventItem>> {
  const { teamId, domainIds } = caller;
  const before = readCursor('evt', cursor);
  // One index scan for each type, because an index on (type, id) gives the order of the IDs only within a type.
  const scans = types.map(
    (type) => sql`(
      ${EVENTS} where h.team_id = ${teamId} and h.type = ${sql.lit(type)}
        and (${before}::uuid is null or h.id < ${before}::uuid)
        and (${domainIds}::integer[] is null or e.domain_id = any (${domainIds}::integer[])) and ${mayReadEmail(caller, 'e')}
      order by h.id desc limit ${limit + 1}
    )`,
  );
  const { rows } = await sql<EventRow>`
    select * from (${sql.join(scans, sql` union all `)}) h order by id desc limit ${limit + 1}
  `.execute(db);
  const items = rows.slice(0, limit).map(present);
  return { items, next_cursor: rows.length > limit ? items.at(-1)!.id : null };
}

/** Lists all events of one email, oldest first. */
export async function listEventsOf(db: Db, caller: Caller, emailId: string): Promise<EmailEventItem[]> {
  const { id } = await findEmail(db, caller, emailId);
  const { rows } = await sql<EventRow>`
    ${ALL_EVENTS} where h.team_id = ${caller.teamId} and h.subject_id = ${id} and e.id = ${id} order by h.id
  `.execute(db);
  return rows.map(present);
}

/** Finds a bounce or complaint by the number of its ID. */
export async function getBounce(db: Db, caller: Caller, number: number): Promise<EmailEventItem> {
  const { teamId, domainIds } = caller;
  const uuids = uuidsOf(number);
  const { rows } = await sql<EventRow>`
    ${EVENTS} where h.team_id = ${teamId} and h.type in ('email.bounced', 'email.complained')
      and h.id between ${uuids?.first ?? null}::uuid and ${uuids?.last ?? null}::uuid
      and (${domainIds}::integer[] is null or e.domain_id = any (${domainIds}::integer[])) and ${mayReadEmail(caller, 'e')}
    limit 1
  `.execute(db);
  if (!rows[0]) throw notFound('Bounce', 'no-such-bounce');
  return present(rows[0]);
}

function present(row: EventRow): EmailEventItem {
  const { from, to, subject } = presentEmailHead(row);
  const first = to[0] ?? '';
  return {
    id: encodeId('evt', row.id),
    type: row.type,
    emailId: encodeId('eml', row.email_id),
    recipient: row.recipient ?? parseMailbox(first)?.email ?? first,
    data: row.data ?? {},
    createdAt: row.created_at.toISOString(),
    from,
    subject,
    ...presentEmailLabels(row.labels),
  };
}
