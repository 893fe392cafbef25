/**
 * Subscriptions to folders that do not exist. An email app that deletes a folder stays subscribed to its name until it
 * unsubscribes (RFC 9051 section 6.3.7). When a folder gets that name again, it is subscribed.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { MailboxRef } from './change-numbers.ts';
import { normalizeName } from './folder-names.ts';

/** Only the latest names are kept. A client could otherwise fill the table by creating and deleting folders. */
const MAX_NAMES = 1_000;

export async function listSubscribedNames(db: Db, { teamId, mailboxId }: MailboxRef): Promise<string[]> {
  const { rows } = await sql<Row<'subscribed_names', 'name'>>`
    select name from subscribed_names where team_id = ${teamId} and mailbox_id = ${mailboxId} order by name
  `.execute(db);
  return rows.map(({ name }) => name);
}

export async function keepSubscriptions(
  trx: Db,
  { teamId, mailboxId }: MailboxRef,
  names: readonly string[],
): Promise<void> {
  const own = sql`team_id = ${teamId} and mailbox_id = ${mailboxId}`;
  await sql`
    insert into subscribed_names (team_id, mailbox_id, name)
    select ${teamId}, ${mailboxId}, name from unnest(${names}::text[]) as name on conflict do nothing
  `.execute(trx);
  await sql`
    delete from subscribed_names where ${own} and name in (
      select name from subscribed_names where ${own} order by created_at desc, name offset ${MAX_NAMES})
  `.execute(trx);
}

/** Removes the names from the list, and returns those that were in it. */
export async function takeSubscriptions(
  db: Db,
  { teamId, mailboxId }: MailboxRef,
  names: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<Row<'subscribed_names', 'name'>>`
    delete from subscribed_names
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and name = any(${names.map(normalizeName)}::text[])
    returning name
  `.execute(db);
  return rows.map(({ name }) => name);
}
