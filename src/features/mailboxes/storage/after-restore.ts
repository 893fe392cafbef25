/**
 * A restore returns mailboxes to an earlier state: messages that arrived later are gone, and their UIDs and change
 * numbers will be used again. Email apps must not mistake new messages for the ones that they remember, so all folders
 * get another UIDVALIDITY (RFC 9051 section 2.3.1.1), and JMAP clients with an older state have to start over.
 */
import type pg from 'pg';

/** More than the number of changes in a mailbox between a backup and its restore. */
const LEAP = 10_000_000;

/** The seconds are added so that two restores of one backup differ. */
export async function renewSyncStates(client: pg.ClientBase, backupMadeAt: string): Promise<void> {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(backupMadeAt)) / 1_000));
  await client.query('update folders set uid_validity = uid_validity + $1::bigint', [1 + seconds]);
  await client.query(
    'update mailbox_change_numbers set modseq = modseq + $1::bigint, forgotten_modseq = modseq + $1::bigint',
    [LEAP + seconds],
  );
}
