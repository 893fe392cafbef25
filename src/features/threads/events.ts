/** What happens in a mailbox, written down for those who listen. */
import { sql } from 'kysely';
import type { Db } from '../../platform/database.ts';

export async function noteThreadsChanged(
  trx: Db,
  teamId: number,
  mailboxId: string,
  threadIds: string[],
): Promise<void> {
  await sql`
    insert into mailbox_events (team_id, mailbox_id, type, thread_id)
    select ${teamId}, ${mailboxId}, 'thread.changed', id from unnest(${threadIds}::uuid[]) as id
  `.execute(trx);
}
