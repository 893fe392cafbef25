/** Finds which messages of an import are already in a mailbox. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';

/** Returns the delivery keys that messages of the mailbox already have, in hexadecimal. */
export async function findStoredKeys(
  db: Db,
  { teamId, mailboxId }: MailboxRef,
  keys: readonly Buffer[],
): Promise<Set<string>> {
  const { rows } = await sql<{ key: NonNullable<Row<'messages'>['delivery_key']> }>`
    select delivery_key as key from messages
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and delivery_key = any(${keys}::bytea[])
  `.execute(db);
  return new Set(rows.map(({ key }) => key.toString('hex')));
}
