/**
 * The change number (MODSEQ) of a mailbox. A transaction that changes messages or folders locks it, writes the next
 * number to everything it changes, and stores it. Only one transaction at a time holds the lock, so numbers become
 * visible in their order, and a client that has seen number n has seen every change up to n.
 *
 * Locks are taken in this order: threads by id, emails by id, change numbers by mailbox, then messages and folders.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database.ts';
import { notFound } from '../../../platform/errors.ts';

/** Internal ids. */
export interface MailboxRef {
  teamId: number;
  mailboxId: string;
}

/** Locks the change number until the end of the transaction and returns the next one. */
export async function lockChangeNumber(trx: Db, { teamId, mailboxId }: MailboxRef): Promise<number> {
  const { rows } = await sql<{ next: number }>`
    select modseq + 1 as next from mailbox_change_numbers
    where team_id = ${teamId} and mailbox_id = ${mailboxId} for update
  `.execute(trx);
  if (!rows[0]) throw notFound('Mailbox');
  return rows[0].next;
}

export async function storeChangeNumber(
  trx: Db,
  { teamId, mailboxId }: MailboxRef,
  modseq: number,
): Promise<void> {
  await sql`
    update mailbox_change_numbers set modseq = ${modseq} where team_id = ${teamId} and mailbox_id = ${mailboxId}
  `.execute(trx);
}
