/**
 * Lists of emails: newest first, page by page along their ids. What a filter or a search lets through may be far
 * apart, and nothing is indexed for it but the recipients' addresses: so one page looks at a bounded number of emails.
 * Where it found too few in them it gives what it has, and a cursor for who wants to look further back.
 */
import { sql, type RawBuilder } from 'kysely';
import { parseAddress } from '../../mail/address.ts';
import { keepToDomain } from '../../platform/bound-keys.ts';
import { escapeLike, type Db } from '../../platform/database.ts';
import { encodeId } from '../../platform/ids.ts';
import { readCursor, toPage, type Page } from '../../platform/pages.ts';
import type { Caller } from '../../platform/route.ts';
import type { EmailListItem, EmailQuery } from './emails.schema.ts';
import { EMAIL_COLUMNS, presentListItem, type EmailRow } from './emails.ts';

const MOST_LOOKED_AT = 20_000;

export async function listEmails(db: Db, caller: Caller, query: EmailQuery): Promise<Page<EmailListItem>> {
  const { limit } = query;
  const walk = walkOf(caller.teamId, query);
  const filters = filtersOf(caller, query);
  const { rows } = await sql<EmailRow>`
    select ${EMAIL_COLUMNS} from ${walk.emails}
    where team_id = ${caller.teamId} ${sql.join(filters, sql` `)}
    order by id desc limit ${limit + 1}
  `.execute(db);
  const page = toPage(rows, limit, presentListItem);
  if (page.next_cursor !== null || filters.length === 0) return page;
  const { rows: ends } = await sql<{ id: string }>`
    ${walk.ids} offset ${MOST_LOOKED_AT - 1} limit 1
  `.execute(db);
  return { ...page, next_cursor: ends[0] ? encodeId('eml', ends[0].id) : null };
}

interface Walk {
  /** The emails that a page looks at. */
  emails: RawBuilder<unknown>;
  /** All that there are from where it begins, newest first. */
  ids: RawBuilder<unknown>;
}

function walkOf(teamId: number, { cursor, search }: EmailQuery): Walk {
  const before = readCursor('eml', cursor);
  const address = addressIn(search);
  if (address === null) {
    const along = sql`from emails where team_id = ${teamId} ${before ? sql`and id < ${before}` : sql``} order by id desc`;
    return {
      emails: sql`(select ${EMAIL_COLUMNS} ${along} limit ${MOST_LOOKED_AT}) as looked_at`,
      ids: sql`select id ${along}`,
    };
  }
  const ids = sql`
    select email_id as id from email_recipients
    where team_id = ${teamId} and address_key = ${address} ${before ? sql`and email_id < ${before}` : sql``}
    order by email_id desc`;
  return { emails: sql`(${ids} limit ${MOST_LOOKED_AT}) as looked_at join emails using (id)`, ids };
}

function filtersOf(caller: Caller, { status, domainId, search }: EmailQuery): RawBuilder<unknown>[] {
  const filters: RawBuilder<unknown>[] = [];
  if (domainId !== undefined) keepToDomain(caller, domainId);
  const domain = caller.domainId ?? domainId;
  if (domain !== undefined) filters.push(sql`and domain_id = ${domain}`);
  if (status) filters.push(sql`and status = ${status}`);
  const words = search === undefined || addressIn(search) ? [] : search.toLowerCase().match(/\S+/g);
  if (words && words.length > 0) {
    const patterns = words.map((word) => `%${escapeLike(word)}%`);
    filters.push(sql`
      and lower(subject || ' ' || array_to_string(to_addresses || cc_addresses || bcc_addresses, ' '))
        like all (${patterns}::text[])`);
  }
  return filters;
}

/** A whole address is looked up among the recipients, however long ago; anything else is looked for in the emails. */
function addressIn(search: string | undefined): string | null {
  return parseAddress(search ?? '')?.key ?? null;
}
