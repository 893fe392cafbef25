/** What vendors' webhooks tell of events of threads beside their payload: addresses of people, and labels. */
import { sql } from 'kysely';
import type { Db } from '../../platform/database/database.ts';
import { decodeId, encodeId } from '../../platform/ids.ts';
import type { Row } from '../../platform/database/rows.ts';

/** Returns the addresses of members of the team by their IDs (`usr_…`). */
export async function readMemberEmails(
  db: Db,
  teamId: number,
  userIds: readonly unknown[],
): Promise<Map<string, string>> {
  const keys = userIds.flatMap((id) => (typeof id === 'string' ? (decodeId('usr', id) ?? []) : []));
  if (keys.length === 0) return new Map();
  const { rows } = await sql<Row<'users', 'id' | 'email'>>`
    select u.id, u.email from memberships m join users u on u.id = m.user_id
    where m.team_id = ${teamId} and m.user_id = any(${keys}::uuid[])
  `.execute(db);
  return new Map(rows.map(({ id, email }) => [encodeId('usr', id), email]));
}

export interface LabelFacts {
  id: string;
  name: string;
  color: string;
}

/** Returns the labels of a mailbox by their keywords. Keywords of email apps have none. */
export async function readLabelFacts(
  db: Db,
  teamId: number,
  mailboxId: unknown,
): Promise<Map<string, LabelFacts>> {
  const key = typeof mailboxId === 'string' ? decodeId('mbx', mailboxId) : null;
  const { rows } = await sql<Row<'mailbox_labels', 'id' | 'keyword' | 'name' | 'color'>>`
    select id, keyword, name, color from mailbox_labels where team_id = ${teamId} and mailbox_id = ${key}
  `.execute(db);
  return new Map(
    rows.map(({ id, keyword, name, color }) => [keyword, { id: encodeId('lab', id), name, color }]),
  );
}
