/** Finds the names of the authors of versions. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';

const USER = 'user:';

/** Maps `key_…` to the name of the API key and `user:usr_…` to the name of the person. Deleted ones are missing. */
export async function readAuthorNames(
  db: Db,
  teamId: number,
  authors: readonly (string | null)[],
): Promise<Map<string, string>> {
  const given = [...new Set(authors)].filter((author) => author !== null);
  const keys = given.map((author) => decodeId('key', author)).filter((id) => id !== null);
  const users = given
    .filter((author) => author.startsWith(USER))
    .map((author) => decodeId('usr', author.slice(USER.length)))
    .filter((id) => id !== null);
  if (keys.length + users.length === 0) return new Map();
  const { rows } = await sql<Row<'api_keys', 'id' | 'name'> & { isUser: boolean }>`
    select id, name, false as "isUser" from api_keys where team_id = ${teamId} and id = any(${keys}::uuid[])
    union all
    select id, name, true from users where id = any(${users}::uuid[])
  `.execute(db);
  return new Map(
    rows.map(({ id, name, isUser }) => [isUser ? USER + encodeId('usr', id) : encodeId('key', id), name]),
  );
}
