import { sql, type RawBuilder } from 'kysely';

/**
 * SQL condition on `contacts` (as `alias`): the contact is subscribed to the topic, by choice or by default. Null for
 * a topic that does not exist, so it matches nobody.
 */
export function topicCondition(
  teamId: number | RawBuilder<number>,
  topic: string | RawBuilder<string>,
  alias = 'c',
): RawBuilder<boolean> {
  const byDefault = sql`(
    select t.default_subscription = 'opt_out' from topics t where t.team_id = ${teamId} and t.id = ${topic}::uuid
  )`;
  return sql<boolean>`((exists (
    select 1 from contact_topics ct
    where ct.team_id = ${teamId} and ct.topic_id = ${topic}::uuid
      and ct.contact_book_id = ${sql.ref(`${alias}.contact_book_id`)} and ct.contact_id = ${sql.ref(`${alias}.id`)}
      and ct.subscribed <> ${byDefault}
  )) <> ${byDefault})`;
}
