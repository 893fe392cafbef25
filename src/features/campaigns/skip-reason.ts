/** Why a recipient in the ledger is skipped. Checked at release and again before sending. */
import { sql, type RawBuilder } from 'kysely';

export type SkipReason = 'deleted' | 'unsubscribed' | 'suppressed' | 'left_topic';

/**
 * Null when the email should be sent. The statement must left-join `contacts` as c, by the ID and the address
 * of the ledger, and `suppressions` as s. `isInTopic` must be true when the campaign has no topic.
 */
export function skipReason(isInTopic: RawBuilder<boolean>): RawBuilder<SkipReason | null> {
  return sql<SkipReason | null>`case
    when c.id is null then 'deleted'
    when c.subscription <> 'subscribed' then 'unsubscribed'
    when s.address_key is not null then 'suppressed'
    when ${isInTopic} is not true then 'left_topic'
  end`;
}
