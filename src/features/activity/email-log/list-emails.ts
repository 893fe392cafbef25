/**
 * Lists emails newest first, page by page along their IDs. Matches of a filter or search may be far apart, and only
 * recipients' addresses are indexed, so one page scans a limited number of emails. A page with too few matches
 * returns what it found and a cursor to continue.
 */
import { sql, type RawBuilder } from 'kysely';
import { parseAddress } from '../../../mail/mime/address.ts';
import { keepToDomain } from '../../api/bound-keys.ts';
import { escapeLike, type Db } from '../../../platform/database/database.ts';
import { encodeId, uuidAt } from '../../../platform/ids.ts';
import {
  fromStart,
  orderOf,
  readPageStart,
  toPage,
  type Page,
  type PageRequest,
  type PageStart,
} from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { mayReadEmail } from '../../api/mailbox-access.ts';
import { hidesMailboxes } from './hidden-mail.ts';
import { fillSubjects } from '../../campaigns/fill-subjects.ts';
import type { EmailListItem, EmailQuery } from '../../sending/emails/emails.schema.ts';
import { EMAIL_COLUMNS, presentListItem, type EmailRow } from '../../sending/emails/emails.ts';

const MAX_SCANNED = 20_000;
const CLOCK_SKEW_MS = 10 * 60_000;

type Query = PageRequest & Partial<EmailQuery>;

export async function listEmails(db: Db, caller: Caller, query: Query): Promise<Page<EmailListItem>> {
  const start = readPageStart('eml', query);
  const scan = scanOf(caller.teamId, query, start);
  const filters = filtersOf(caller, query);
  if (await hidesMailboxes(db, caller)) filters.push(sql`and ${mayReadEmail(caller, 'e')}`);
  const { rows } = await sql<EmailRow>`
    select ${EMAIL_COLUMNS} from (select * from ${scan.emails}) e
    where team_id = ${caller.teamId} ${sql.join(filters, sql` `)}
    order by id ${orderOf(start)} limit ${query.limit + 1}
  `.execute(db);
  const shown = await fillSubjects(db, caller.teamId, rows);
  const page = toPage(shown, query, presentListItem);
  if (page.next_cursor !== null || filters.length === 0) return page;
  const { rows: ends } = await sql<Row<'emails', 'id'>>`
    ${scan.ids} offset ${MAX_SCANNED - 1} limit 1
  `.execute(db);
  return { ...page, next_cursor: ends[0] ? encodeId('eml', ends[0].id) : null };
}

interface Scan {
  /** The emails that one page scans. */
  emails: RawBuilder<unknown>;
  /** The IDs of all emails after the cursor, in the order of the page. */
  ids: RawBuilder<unknown>;
}

function scanOf(teamId: number, query: Query, start: PageStart): Scan {
  const { search, tag } = query;
  const address = addressIn(search);
  const range = (column: string) => sql`${fromStart(start, column)} ${inTime(query, column)}`;
  const order = orderOf(start);
  if (tag !== undefined)
    return scanIndex(sql`email_tags where team_id = ${teamId} and tag = ${tag}`, range, order);
  if (address !== null)
    return scanIndex(
      sql`all_email_recipients where team_id = ${teamId} and address_key = ${address}`,
      range,
      order,
    );
  // Each of the two has an index in this order, which PostgreSQL does not use for the view of both.
  const from = (table: string, columns: RawBuilder<unknown>) => sql`(
    select ${columns} from ${sql.table(table)} where team_id = ${teamId} and ${range('id')}
    order by id ${order} limit ${MAX_SCANNED}
  )`;
  const both = (columns: RawBuilder<unknown>) =>
    sql`(${from('emails', columns)} union all ${from('campaign_emails', columns)}) as each`;
  return {
    emails: sql`(select * from ${both(EMAIL_COLUMNS)} order by id ${order} limit ${MAX_SCANNED}) as scanned`,
    ids: sql`select id from ${both(sql`id`)} order by id ${order}`,
  };
}

/** `matches` is a table with email IDs in `email_id`, followed by a where clause. */
function scanIndex(
  matches: RawBuilder<unknown>,
  range: (column: string) => RawBuilder<unknown>,
  order: RawBuilder<unknown>,
): Scan {
  const ids = sql`select email_id as id from ${matches} and ${range('email_id')} order by email_id ${order}`;
  return { emails: sql`(${ids} limit ${MAX_SCANNED}) as scanned join all_emails using (id)`, ids };
}

/**
 * IDs are in the order of time, so a time range is a range of the index. The range is a little wider than asked,
 * because processes create IDs by their own clocks, and the database sets created_at, which decides.
 */
function inTime({ since, until }: Query, column: string): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = [];
  if (since) conditions.push(sql`and ${sql.ref(column)} >= ${uuidAt(since.getTime() - CLOCK_SKEW_MS)}::uuid`);
  if (until) conditions.push(sql`and ${sql.ref(column)} < ${uuidAt(until.getTime() + CLOCK_SKEW_MS)}::uuid`);
  return sql.join(conditions, sql` `);
}

function filtersOf(caller: Caller, query: Query): RawBuilder<unknown>[] {
  const { status, domainId, search, tag, since, until, undone } = query;
  const filters: RawBuilder<unknown>[] = [];
  if (since) filters.push(sql`and created_at >= ${since}`);
  if (until) filters.push(sql`and created_at < ${until}`);
  if (domainId !== undefined) keepToDomain(caller, domainId);
  const domains = domainId === undefined ? caller.domainIds : [domainId];
  if (domains) filters.push(sql`and domain_id = any (${domains}::integer[])`);
  if (status) filters.push(sql`and status = ${status}`);
  if (undone !== undefined)
    filters.push(sql`and (source = 'mailbox' and status = 'CANCELLED') = ${undone}::boolean`);
  const isIndexed = tag === undefined && addressIn(search) !== null;
  const words = search === undefined || isIndexed ? [] : search.toLowerCase().match(/\S+/g);
  if (words && words.length > 0) {
    const patterns = words.map((word) => `%${escapeLike(word)}%`);
    filters.push(sql`
      and lower(subject || ' ' || array_to_string(to_addresses || cc_addresses || bcc_addresses, ' '))
        like all (${patterns}::text[])`);
  }
  return filters;
}

/** A complete address is looked up in the index of recipients. Any other search scans the emails. */
function addressIn(search: string | undefined): string | null {
  return parseAddress(search ?? '')?.key ?? null;
}
