import { sql } from 'kysely';

/** Matches an email `e` that is scheduled from a mailbox. Uses waits_until, which is indexed, unlike the status. */
export const WAITS_IN_MAILBOX = sql`e.waits_until is not null and e.source = 'mailbox'`;
