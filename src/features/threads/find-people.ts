/**
 * Whom somebody may mean who begins to type an address or a name: people of past mail, the last first, then contacts of
 * the team. Recent threads are read through; older mail and contacts are found by indexes, whatever their number.
 */
import { sql, type RawBuilder } from 'kysely';
import { parseMailbox } from '../../mail/address.ts';
import { escapeLike, type Db } from '../../platform/database.ts';
import type { Caller } from '../../platform/route.ts';
import { requireMailbox } from '../mailboxes/find-mailbox.ts';
import { toLexeme, wordsOf } from './search-words.ts';
import type { PersonToWriteTo } from './threads.schema.ts';

const AT_MOST = 10;
const RECENT_THREADS = 2_000;
/** The same person may be in several books. */
const CONTACTS = 40;
const OLD_MESSAGES = 500;
/** Comes behind everything that begins with what stands before it, in the order of bytes. */
const LAST_CHARACTER = '\u{10FFFF}';

interface Found {
  shown: string;
}

export async function findPeople(
  db: Db,
  caller: Caller,
  mailboxId: string,
  q: string,
): Promise<PersonToWriteTo[]> {
  const mailbox = await requireMailbox(db, caller, mailboxId);
  const typed = q.toLowerCase();
  const recent = await findRecent(db, caller, mailbox.id, typed);
  const isEnough = recent.length >= AT_MOST;
  const older = isEnough ? [] : await findInOldMail(db, caller, mailbox, typed);
  const people = new Map<string, PersonToWriteTo>();
  for (const { shown } of [...recent, ...older]) {
    const parsed = parseMailbox(shown);
    if (!parsed) continue;
    const known = people.get(parsed.key);
    people.set(parsed.key, { name: known?.name ?? parsed.name, address: known?.address ?? parsed.email });
  }
  return [...people.values()].slice(0, AT_MOST);
}

/** In recent mail; and contacts, of whom those come first with whom there was mail. */
async function findRecent(db: Db, caller: Caller, mailboxId: string, typed: string): Promise<Found[]> {
  const { rows } = await sql<Found>`
    with recent as materialized (
      select p.shown, p.key, max(t.last_message_at) as last from (
        select participants, participant_keys, last_message_at from threads
        where team_id = ${caller.teamId} and mailbox_id = ${mailboxId} and folder not in ('trash', 'spam')
        order by last_message_at desc, id desc limit ${RECENT_THREADS}
      ) t, unnest(t.participants, t.participant_keys) as p (shown, key)
      group by p.shown, p.key
    ), contact as materialized (${findContacts(caller, typed)})
    select shown from (
      select shown, last, 0 as rank, shown as sort from recent where ${beginsAWord(sql`shown`, typed)}
      union all
      select case when name = '' then email else name || ' <' || email || '>' end,
        (select max(last) from recent where key = email_key), rank, sort
      from contact
    ) found order by last desc nulls last, rank, sort limit ${CONTACTS}
  `.execute(db);
  return rows;
}

/** By address in each book, by name across all of them. A key that is bound to a domain reaches none. */
function findContacts(caller: Caller, typed: string): RawBuilder<unknown> {
  const fullName = sql`lower(coalesce(first_name || ' ', '') || coalesce(last_name, '')) collate "C"`;
  const lastName = sql`lower(last_name) collate "C"`;
  // As a range, which an index serves also where the plan was made before the text was known.
  const begins = (what: RawBuilder<unknown>) =>
    sql`${what} >= ${typed} collate "C" and ${what} < ${typed + LAST_CHARACTER} collate "C"`;
  const columns = sql`c.team_id, c.contact_book_id, c.email, c.email_key, c.first_name, c.last_name`;
  return sql`
    select email, email_key, rank, sort,
      replace(replace(trim(concat_ws(' ', first_name, last_name)), '<', ''), '>', '') as name
    from (
      (
        select ${columns}, 1 as rank, c.email_key as sort from contact_books b, lateral (
          select * from contacts where team_id = b.team_id and contact_book_id = b.id and ${begins(sql`email_key`)}
          order by email_key limit ${AT_MOST}
        ) c where b.team_id = ${caller.teamId}
      ) union all (
        select ${columns}, 2, ${fullName} from contacts c
        where team_id = ${caller.teamId} and (first_name is not null or last_name is not null) and ${begins(fullName)}
        order by ${fullName} limit ${CONTACTS}
      ) union all (
        select ${columns}, 3, ${lastName} from contacts c
        where team_id = ${caller.teamId} and first_name is not null and last_name is not null and ${begins(lastName)}
        order by ${lastName} limit ${CONTACTS}
      )
    ) c
    where ${caller.domainId === null}::boolean and exists (
      select 1 from contact_books b where b.team_id = c.team_id and b.id = c.contact_book_id)`;
}

/** What recent mail does not have, the words of all mail may: they are indexed with who wrote and to whom. */
async function findInOldMail(
  db: Db,
  caller: Caller,
  mailbox: { id: string; address_key: string },
  typed: string,
): Promise<Found[]> {
  const words = wordsOf(typed);
  if (words.length === 0) return [];
  const wanted = words
    .map((word) => `('${toLexeme(mailbox.id, 'f', word)}':* | '${toLexeme(mailbox.id, 't', word)}':*)`)
    .join(' & ');
  const { rows } = await sql<Found>`
    with found as materialized (
      select sender, to_addresses || cc_addresses || bcc_addresses as recipients, thread_id, created_at from messages
      where team_id = ${caller.teamId} and mailbox_id = ${mailbox.id} and search @@ ${wanted}::tsquery
      limit ${OLD_MESSAGES}
    )
    select shown from found m
    join threads t on t.team_id = ${caller.teamId} and t.id = m.thread_id and t.folder not in ('trash', 'spam'),
      unnest(sender || recipients) as shown
    where ${beginsAWord(sql`shown`, typed)} and position(${mailbox.address_key} in lower(shown)) = 0
    group by shown order by max(m.created_at) desc limit ${AT_MOST}
  `.execute(db);
  return rows;
}

/** Of an address as it is shown: the name, a later word of it, or the address in its brackets. */
function beginsAWord(shown: RawBuilder<unknown>, typed: string): RawBuilder<unknown> {
  const begins = `${escapeLike(typed)}%`;
  return sql`(lower(${shown}) like ${begins} or lower(${shown}) like ${`% ${begins}`}
    or lower(${shown}) like ${`%<${begins}`})`;
}
