/**
 * Conditions on the words of messages. The words are in message_words; those of messages from before that table are in
 * messages.search.
 *
 * PostgreSQL cannot tell how many messages have a word, so this looks first. If many of the newest and many of the oldest
 * messages have the words, the texts are compared one after the other: a list of the newest is soon complete, and the index
 * would read long lists. Otherwise the index finds the messages, also those with a word that only the newest have: a list that
 * such messages do not fill would end only after all others were compared.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import { MARKS, toSearchTerm, type SearchField, type SearchWord } from '../storage/search-words.ts';

/** The beginning of a word in one of the fields. */
export interface WantedWord {
  word: SearchWord;
  fields: readonly SearchField[];
  isNot?: boolean;
}

/** How many messages at each end of the mailbox are looked at. */
const SAMPLE = 100;
/** This many of them are many. */
const MANY = 5;
/** The statement that has the condition is planned better with the IDs, if they are no more than these. */
const FEW = 2_000;

/** Returns a condition on a message `m` of the mailbox. */
export async function findWords(
  db: Db,
  mailbox: MailboxRef,
  wanted: readonly WantedWord[],
): Promise<RawBuilder<boolean>> {
  const needed = wanted.filter(({ isNot }) => !isNot);
  const excluded = wanted.filter(({ isNot }) => isNot);
  if (needed.length === 0) return compareWords(mailbox, wanted);
  const query = toQuery(mailbox, needed);
  const hasMany = (order: 'asc' | 'desc') => sql`(
    select count(*) >= ${MANY} from (
      select id, team_id, search from messages
      where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} order by id ${sql.raw(order)} limit ${SAMPLE}
    ) m where ${compareWords(mailbox, needed)}
  )`;
  const { rows } = await sql<{ isCommon: boolean; ids: string[] | null }>`
    with looked as materialized (
      select case when ${hasMany('desc')} then ${hasMany('asc')} else false end as is_common
    )
    select is_common as "isCommon", case when not is_common then (
      select case when count(*) <= ${FEW} then coalesce(array_agg(id), '{}') end
      from messages_with_words(${query}::tsquery, ${FEW + 1}) as id
    ) end as ids
    from looked
  `.execute(db);
  const { isCommon, ids } = rows[0]!;
  if (isCommon) return compareWords(mailbox, wanted);
  const found =
    ids === null
      ? sql<boolean>`m.id in (select messages_with_words(${query}::tsquery, null))`
      : sql<boolean>`m.id in (select unnest(${ids}::uuid[]))`;
  return excluded.length === 0 ? found : sql<boolean>`(${found} and ${compareWords(mailbox, excluded)})`;
}

/** Compares the words of each message, without the index. */
function compareWords(mailbox: MailboxRef, wanted: readonly WantedWord[]): RawBuilder<boolean> {
  const conditions = wanted.map(({ word, fields, isNot = false }) => {
    const found = sql.join(
      fields.map((field) => sql`strpos(w.words, ${MARKS[field] + word}) > 0`),
      sql` or `,
    );
    return isNot ? sql`not (${found})` : sql`(${found})`;
  });
  return sql<boolean>`coalesce(
    (select ${sql.join(conditions, sql` and `)} from message_words w where w.team_id = m.team_id and w.message_id = m.id),
    m.search @@ ${toQuery(mailbox, wanted)}::tsquery, false)`;
}

function toQuery({ mailboxId }: MailboxRef, wanted: readonly WantedWord[]): string {
  return wanted
    .map(({ word, fields, isNot = false }) => {
      const terms = fields.map((field) => toSearchTerm(mailboxId, field, word)).join(' | ');
      return `${isNot ? '!' : ''}(${terms})`;
    })
    .join(' & ');
}
