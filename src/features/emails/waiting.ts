import { sql } from 'kysely';

/** Of an email `e`: it waits to leave from a mailbox. By the column that is indexed, as its status is not. */
export const WAITS_IN_MAILBOX = sql`e.waits_until is not null and e.source = 'mailbox'`;
