/** Adds variables to a contact book, so that segments, merge tags and forms offer them. */
import { sql } from 'kysely';
import { propertyKey } from '../../../../mail/html/tag-names.ts';
import type { Db } from '../../../../platform/database/database.ts';
import type { Row } from '../../../../platform/database/rows.ts';
import { MAX_VARIABLES } from '../../contact-books/contact-books.schema.ts';
import { isVariableName } from '../../contact-books/variable-names.ts';
import { isMembership } from '../../segments/membership.ts';

/** Returns the names that are missing in the list and can be variables. */
function missingVariables(known: readonly string[], names: Iterable<string>): string[] {
  const keys = new Set(known.map(propertyKey));
  const missing: string[] = [];
  for (const name of names) {
    if (!isVariableName(name) || isMembership(name) || keys.has(propertyKey(name))) continue;
    keys.add(propertyKey(name));
    missing.push(name);
  }
  return missing.slice(0, Math.max(0, MAX_VARIABLES - known.length));
}

/**
 * Adds the names that the book does not have yet. Names that cannot be variables are left out. Returns all variables of
 * the book, or null if it does not exist. The book is locked only if it changes.
 */
export async function addBookVariables(
  trx: Db,
  teamId: number,
  bookKey: string,
  names: readonly string[],
): Promise<string[] | null> {
  const read = async (lock: 'for update' | '') => {
    const { rows } = await sql<Row<'contact_books', 'variables'>>`
      select variables from contact_books where team_id = ${teamId} and id = ${bookKey} ${sql.raw(lock)}
    `.execute(trx);
    return rows[0]?.variables ?? null;
  };
  const before = await read('');
  if (before === null || missingVariables(before, names).length === 0) return before;
  const known = await read('for update');
  if (known === null) return null;
  const variables = [...known, ...missingVariables(known, names)];
  await sql`
    update contact_books set variables = ${variables}::text[], updated_at = now()
    where team_id = ${teamId} and id = ${bookKey}
  `.execute(trx);
  return variables;
}
