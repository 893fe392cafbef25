import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { badRequest, notFound } from '../../../platform/errors.ts';

type LimitedTable =
  | 'saved_replies'
  | 'app_passwords'
  | 'mailbox_addresses'
  | 'mailbox_signatures'
  | 'mailbox_blocks'
  | 'mailbox_rules'
  | 'mailbox_labels';

/** Locks the mailbox's row, so that concurrent creates are counted one after the other. */
export async function refuseTooMany(
  trx: Db,
  mailbox: { teamId: number; id: string },
  { table, most, message }: { table: LimitedTable; most: number; message: string },
): Promise<void> {
  const { rows: locked } = await sql`
    select 1 from mailboxes where team_id = ${mailbox.teamId} and id = ${mailbox.id} for no key update
  `.execute(trx);
  if (locked.length === 0) throw notFound('Mailbox');
  const { rows } = await sql<{ count: number }>`
    select count(*) from ${sql.table(table)} where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.id}
  `.execute(trx);
  if (rows[0]!.count >= most) throw badRequest(message);
}
