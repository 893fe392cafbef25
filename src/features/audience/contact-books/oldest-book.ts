/** The oldest contact book of a team, for clients that do not name a book. */
import { sql } from 'kysely';
import { inTransaction, lockNumber, type Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import { contactBookInput } from './contact-books.schema.ts';
import { createContactBook } from './contact-books.ts';

export async function findOldestBook(db: Db, teamId: number): Promise<string | null> {
  const row = await db
    .selectFrom('contact_books')
    .select('id')
    .where('team_id', '=', teamId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row ? encodeId('cbk', row.id) : null;
}

/** Creates a book if the team has none. The lock prevents concurrent requests from creating two. */
export async function ensureBook(db: Db, teamId: number, name: string): Promise<string> {
  const found = await findOldestBook(db, teamId);
  if (found !== null) return found;
  return inTransaction(db, async (trx) => {
    await sql`select pg_advisory_xact_lock(${lockNumber(`oldest book ${teamId}`)}::bigint)`.execute(trx);
    const meanwhile = await findOldestBook(trx, teamId);
    return meanwhile ?? (await createContactBook(trx, teamId, contactBookInput.parse({ name }))).id;
  });
}
