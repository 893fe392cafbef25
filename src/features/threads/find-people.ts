/**
 * Whom somebody may mean who begins to type an address: people of recent mail first, by address or name, then contacts
 * by address, which an index finds in books of any size.
 */
import { sql } from 'kysely';
import { parseMailbox } from '../../mail/address.ts';
import type { Db } from '../../platform/database.ts';
import type { Caller } from '../../platform/route.ts';
import { requireMailbox } from '../mailboxes/find-mailbox.ts';
import type { PersonToWriteTo } from './threads.schema.ts';

const AT_MOST = 10;
const RECENT_THREADS = 2_000;

export async function findPeople(
  db: Db,
  caller: Caller,
  mailboxId: string,
  q: string,
): Promise<PersonToWriteTo[]> {
  const mailbox = await requireMailbox(db, caller, mailboxId);
  const begins = `${q.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
  const { rows } = await sql<{ shown: string }>`
    select shown from (
      select 1 as rank, person as shown, max(last_message_at) as last
      from (
        select participants, last_message_at from threads
        where team_id = ${caller.teamId} and mailbox_id = ${mailbox.id} and folder not in ('trash', 'spam')
        order by last_message_at desc, id desc limit ${RECENT_THREADS}
      ) recent, unnest(participants) as person
      where lower(person) like ${begins} or lower(person) like ${`% ${begins}`} or lower(person) like ${`%<${begins}`}
      group by person order by last desc limit ${AT_MOST}
    ) people
    union all
    select case when found.name = '' then email else found.name || ' <' || email || '>' end from contact_books b, lateral (
      select email, replace(replace(trim(concat_ws(' ', first_name, last_name)), '<', ''), '>', '') as name from contacts c
      where c.team_id = b.team_id and c.contact_book_id = b.id and c.email_key like ${begins}
      order by c.email_key limit ${AT_MOST}
    ) found
    where b.team_id = ${caller.teamId} and ${caller.domainId === null}::boolean
  `.execute(db);
  const people = new Map<string, PersonToWriteTo>();
  for (const { shown } of rows) {
    const parsed = parseMailbox(shown);
    if (parsed && !people.has(parsed.key))
      people.set(parsed.key, { name: parsed.name, address: parsed.email });
  }
  return [...people.values()].slice(0, AT_MOST);
}
