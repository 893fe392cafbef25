/**
 * The contacts of a deleted book. Deleting a book removes its row, which hides everything in it at once. A job then
 * removes the contacts a batch at a time, because a million of them in one statement would hold locks for many seconds.
 * Ids of books are never used again, so nobody can add contacts to a book that is gone: an upsert locks the book's row.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../platform/database.ts';
import { deleteInBatches } from '../../../platform/delete-in-batches.ts';

const BATCH_SIZE = 2_000;

/**
 * True for a row whose book exists. Every statement that finds contacts without their book needs it. `row` is the name
 * that the statement gives to `contacts` or `contact_topics`.
 */
export function isInBook(row: string): RawBuilder<boolean> {
  const named = sql.table(row);
  return sql`exists (
    select from contact_books book where book.team_id = ${named}.team_id and book.id = ${named}.contact_book_id
  )`;
}

/**
 * The same for a statement about one book. PostgreSQL checks it once, and not for each row. It is a function, because
 * lists are planned for each request, and a subquery would be planned with them.
 */
export function bookExists(teamId: number, bookKey: string): RawBuilder<boolean> {
  return sql`contact_book_exists(${teamId}, ${bookKey})`;
}

/** Removes contacts before topics: a topic can be changed only for a contact that exists. */
export async function dropContactsOfBook(db: Db, teamId: number, bookKey: string): Promise<void> {
  for (const table of ['contacts', 'contact_topics']) {
    const rows = sql.table(table);
    await deleteInBatches(BATCH_SIZE, async (limit) => {
      const { numAffectedRows = 0n } = await sql`
        delete from ${rows} where ctid = any(array(
          select ctid from ${rows} where team_id = ${teamId} and contact_book_id = ${bookKey}
            and not ${isInBook(table)}
          limit ${limit}
        ))
      `.execute(db);
      return Number(numAffectedRows);
    });
  }
}
