import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Caller } from '../../api/caller.ts';
import { mayRead } from '../../api/mailbox-access.ts';

/** Whether the team has a mailbox that the caller cannot read, so that lists of emails must leave out its mail. */
export async function hidesMailboxes(db: Db, caller: Caller): Promise<boolean> {
  const { rows } = await sql`
    select 1 from mailboxes box where box.team_id = ${caller.teamId} and not (${mayRead(caller, 'box')}) limit 1
  `.execute(db);
  return rows.length > 0;
}
