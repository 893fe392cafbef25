/**
 * Completes an address or name that a person types: people from past mail, most recent first, then contacts of the
 * team. Recent threads are scanned; older mail and contacts are found by indexes.
 */
import { sql, type RawBuilder } from 'kysely';
import { parseMailbox } from '../../../mail/mime/address.ts';
import { escapeLike, type Db } from '../../../platform/database/database.ts';
import { isBound } from '../../api/bound-keys.ts';
import type { Caller } from '../../api/caller.ts';
import { requireMailbox } from '../mailboxes/find-mailbox.ts';
import { findWords } from '../search/find-words.ts';
import { wordsOf } from '../storage/search-words.ts';
import type { PersonToWriteTo } from './threads.schema.ts';

const MAX_PEOPLE = 10;
const RECENT_THREADS = 2_000;
/** More than MAX_PEOPLE, because the same person may be in several books. */
const MAX_CONTACTS = 40;
const MAX_OLD_MESSAGES = 500;
/** Appended to a prefix, it sorts after all texts with that prefix. */
const LAST_CHARACTER = '\u{10FFFF}';

interface PersonRow {
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
  const isEnough = recent.length >= MAX_PEOPLE;
  const older = isEnough ? [] : await findInOldMail(db, caller, mailbox, typed);
  const people = new Map<string, PersonToWriteTo>();
  for (const { shown } of [...recent, ...older]) {
    const parsed = parseMailbox(shown);
    if (!parsed) continue;
    const known = people.get(parsed.key);
    people.set(parsed.key, { name: known?.name ?? parsed.name, address: known?.address ?? parsed.email });
  }
  return [...people.values()].slice(0, MAX_PEOPLE);
}

/** People from recent mail and contacts. Contacts with recent mail come first. */
async function findRecent(db: Db, caller: Caller, mailboxId: string, typed: string): Promise<PersonRow[]> {
  const { rows } = await sql<PersonRow>`
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
    ) found order by last desc nulls last, rank, sort limit ${MAX_CONTACTS}
  `.execute(db);
  return rows;
}

/** Searches addresses in each book and names across all books. A key that is bound to a domain finds no contacts. */
function findContacts(caller: Caller, typed: string): RawBuilder<unknown> {
  const fullName = sql`lower(coalesce(first_name || ' ', '') || coalesce(last_name, '')) collate "C"`;
  const lastName = sql`lower(last_name) collate "C"`;
  // Uses a range instead of LIKE, because an index serves a range even in a generic plan.
  const begins = (what: RawBuilder<unknown>) =>
    sql`${what} >= ${typed} collate "C" and ${what} < ${typed + LAST_CHARACTER} collate "C"`;
  const columns = sql`c.team_id, c.contact_book_id, c.email, c.email_key, c.first_name, c.last_name`;
  return sql`
    select email, email_key, rank, sort,
      replace(replace(trim(concat_ws(' ', first_name, last_name)), '<', ''), '>', '') as name
    from (
      (
        select ${columns}, 1 as rank, c.email_key as sort from contact_books b, lateral (
          select ${columns} from contacts c
          where c.team_id = b.team_id and c.contact_book_id = b.id and ${begins(sql`email_key`)}
          order by c.email_key limit ${MAX_PEOPLE}
        ) c where b.team_id = ${caller.teamId}
      ) union all (
        select ${columns}, 2, ${fullName} from contacts c
        where team_id = ${caller.teamId} and (first_name is not null or last_name is not null) and ${begins(fullName)}
        order by ${fullName} limit ${MAX_CONTACTS}
      ) union all (
        select ${columns}, 3, ${lastName} from contacts c
        where team_id = ${caller.teamId} and first_name is not null and last_name is not null and ${begins(lastName)}
        order by ${lastName} limit ${MAX_CONTACTS}
      )
    ) c
    where ${!isBound(caller)}::boolean and exists (
      select 1 from contact_books b where b.team_id = c.team_id and b.id = c.contact_book_id)`;
}

/** Searches older mail by the indexed words of senders and recipients. */
async function findInOldMail(
  db: Db,
  caller: Caller,
  mailbox: { id: string; address_key: string },
  typed: string,
): Promise<PersonRow[]> {
  const words = wordsOf(typed);
  if (words.length === 0) return [];
  const wanted = words.map((word) => ({ word, fields: ['f', 't'] as const }));
  const { rows } = await sql<PersonRow>`
    with found as materialized (
      select sender, to_addresses || cc_addresses || bcc_addresses as recipients, thread_id, created_at from messages m
      where team_id = ${caller.teamId} and mailbox_id = ${mailbox.id} and ${await findWords(db, { teamId: caller.teamId, mailboxId: mailbox.id }, wanted)}
      limit ${MAX_OLD_MESSAGES}
    )
    select shown from found m
    join threads t on t.team_id = ${caller.teamId} and t.id = m.thread_id and t.folder not in ('trash', 'spam'),
      unnest(sender || recipients) as shown
    where ${beginsAWord(sql`shown`, typed)} and position(${mailbox.address_key} in lower(shown)) = 0
    group by shown order by max(m.created_at) desc limit ${MAX_PEOPLE}
  `.execute(db);
  return rows;
}

/** Matches the beginning of the name, of a later word in it, or of the address in brackets. */
function beginsAWord(shown: RawBuilder<unknown>, typed: string): RawBuilder<unknown> {
  const begins = `${escapeLike(typed)}%`;
  return sql`(lower(${shown}) like ${begins} or lower(${shown}) like ${`% ${begins}`}
    or lower(${shown}) like ${`%<${begins}`})`;
}
