/**
 * Deletes the contacts of a deleted book. Deleting a book removes its row, which immediately hides everything in it. A
 * job then deletes the contacts in batches, because a million of them in one statement would hold locks for many
 * seconds. IDs of books are never reused, and an upsert locks the book's row, so nobody can add contacts to a deleted
 * book.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { deleteInBatches, deleteSomeRows } from '../../../platform/database/delete-in-batches.ts';

const BATCH_SIZE = 2_000;

/**
 * True for a row whose book exists. Every statement that finds contacts without their book needs it. `row` is the alias
 * of `contacts` or `contact_topics` in the statement.
 */
export function isInBook(row: string): RawBuilder<boolean> {
  const named = sql.table(row);
  return sql`exists (
    select from contact_books book where book.team_id = ${named}.team_id and book.id = ${named}.contact_book_id
  )`;
}

/**
 * The same for a statement about one book. PostgreSQL checks it once instead of for each row. It is an SQL function,
 * because lists are planned for each request, and a subquery would be planned with them.
 */
export function bookExists(teamId: number, bookKey: string): RawBuilder<boolean> {
  return sql`contact_book_exists(${teamId}, ${bookKey})`;
}

/** Removes contacts before topics and hours, because topics can be changed only for contacts that exist. */
export async function dropContactsOfBook(db: Db, teamId: number, bookKey: string): Promise<void> {
  for (const table of ['contacts', 'contact_topics', 'contact_hours'] as const) {
    const isDropped = sql<boolean>`team_id = ${teamId} and contact_book_id = ${bookKey} and not ${isInBook(table)}`;
    await deleteInBatches(BATCH_SIZE, (limit) => deleteSomeRows(db, table, isDropped, limit));
  }
}
