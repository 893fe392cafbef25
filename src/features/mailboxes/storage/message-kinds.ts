/** Conditions that distinguish drafts from other messages. */
import { sql, type RawBuilder } from 'kysely';

type MessagesTable = 'm' | 'messages' | 'own';

/** Matches messages that can be edited and sent. The condition is written like that of the index on drafts. */
export function isDraft(table: MessagesTable): RawBuilder<boolean> {
  const m = sql.table(table);
  return sql`(${m}.direction = 'out' and ${m}.email_id is null and ${m}.draft)`;
}

/** Matches messages that were written here and are not drafts: sent and waiting ones. */
export function isSentOrWaiting(table: MessagesTable): RawBuilder<boolean> {
  const m = sql.table(table);
  return sql`(${m}.direction = 'out' and (${m}.email_id is not null or not ${m}.draft))`;
}
