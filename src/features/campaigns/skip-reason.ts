/** Why a recipient of a campaign is skipped although it is in the ledger: asked at its release, and again when it is sent. */
import { sql, type RawBuilder } from 'kysely';

export type SkipReason = 'deleted' | 'unsubscribed' | 'suppressed' | 'left_topic';

/**
 * Null when the mail is to be sent. The statement left-joins `contacts` as c, by the id and the address of the ledger,
 * and `suppressions` as s. `isInTopic` is true where the campaign has no topic.
 */
export function skipReason(isInTopic: RawBuilder<boolean>): RawBuilder<SkipReason | null> {
  return sql<SkipReason | null>`case
    when c.id is null then 'deleted'
    when c.subscription <> 'subscribed' then 'unsubscribed'
    when s.address_key is not null then 'suppressed'
    when ${isInTopic} is not true then 'left_topic'
  end`;
}
