/**
 * Which messages of a mailbox were exchanged with others, so that they say whom it knows and who is in a thread. Those
 * that wait do not count, nor do those that a key with a send policy has stored itself: it could make anybody known.
 */
import { sql } from 'kysely';

/** `m` is a message that is not a draft, and `e` its email, if it has one. */
export const WAS_EXCHANGED = sql<boolean>`case
  when m.direction = 'out' and m.email_id is not null then e.status not in ('SCHEDULED', 'CANCELLED', 'SUPPRESSED')
  else m.raw_sha256 is not null and not exists (
    select from blobs b where b.team_id = m.team_id and b.sha256 = m.raw_sha256 and b.by_agent) end`;
