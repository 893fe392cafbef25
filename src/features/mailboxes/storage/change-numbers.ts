/**
 * The change number (MODSEQ) of a mailbox. A transaction that changes messages or folders locks it, writes the next
 * number to everything it changes, and stores it. Only one transaction at a time holds the lock, so numbers become
 * visible in their order, and a client that has seen number n has seen every change up to n.
 *
 * Locks are taken in this order: threads by ID, emails by ID, change numbers by mailbox, then messages and folders.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';

/** The IDs are UUIDs, not public IDs. */
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
  const wanted = expected.getStore();
  if (wanted?.mailboxId === mailboxId && !wanted.isMet) {
    if (wanted.modseq + 1 !== rows[0].next) throw new ChangedMeanwhile();
    wanted.isMet = true;
  }
  return rows[0].next;
}

/** Thrown when the mailbox has a later change than the one for which a condition was checked. */
export class ChangedMeanwhile extends Error {}

/** An operation may make several changes. Only the first is compared. */
const expected = new AsyncLocalStorage<{ mailboxId: string; modseq: number; isMet: boolean }>();

/**
 * Runs an operation whose first change must be the next one after `modseq`. Otherwise the operation changes nothing and
 * throws ChangedMeanwhile. So a condition that was checked before still holds under the lock.
 */
export function asChangeAfter<Result>(
  { mailboxId }: MailboxRef,
  modseq: number,
  run: () => Promise<Result>,
): Promise<Result> {
  return expected.run({ mailboxId, modseq, isMet: false }, run);
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
