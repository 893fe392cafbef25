/** Deletes what the filter of a team has learned about a sender. The words of mail belong to nobody. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { hashSender } from './words.ts';

export async function forgetSender(
  db: Db,
  secret: Buffer,
  { teamId, addresses }: { teamId: number; addresses: string[] },
): Promise<void> {
  const hashes = addresses.map((address) => String(hashSender(secret, teamId, address)));
  await sql`delete from spam_words where team_id = ${teamId} and word = any(${hashes}::bigint[])`.execute(db);
}
