/** The folder of snoozed messages. It is created with the first thread that is snoozed. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { recordFolderChange } from '../../events/live-updates.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';

/** Tried in this order, because people may have a folder with the first name. */
const NAMES = ['Snoozed', 'Snoozed threads', ...Array.from({ length: 98 }, (_, no) => `Snoozed (${no + 2})`)];

/** The caller has locked the change number, and stores it. */
export async function keepSnoozedFolder(trx: Db, mailbox: MailboxRef, modseq: number): Promise<void> {
  const { teamId, mailboxId } = mailbox;
  const own = sql`team_id = ${teamId} and mailbox_id = ${mailboxId}`;
  const { rows } = await sql<Row<'folders', 'id'>>`
    insert into folders (team_id, mailbox_id, id, name, uid_validity, modseq, created_modseq, changed_modseq, subscribed)
    select f.team_id, f.mailbox_id, 'snoozed', (
        select name from unnest(${NAMES}::text[]) with ordinality as wanted (name, no)
        where not exists (select from folders taken where taken.team_id = ${teamId} and taken.mailbox_id = ${mailboxId}
          and taken.name = wanted.name)
        order by no limit 1
      ), f.uid_validity + ${modseq}, ${modseq}, ${modseq}, ${modseq}, true
    from folders f where f.team_id = ${teamId} and f.mailbox_id = ${mailboxId} and f.id = 'inbox'
      and not exists (select from folders where ${own} and id = 'snoozed')
    returning id
  `.execute(trx);
  if (rows.length > 0) await recordFolderChange(trx, mailbox);
}
