/** The people who may read a mailbox: those who can be assigned, mentioned and notified. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';

/** Returns their names by their UUIDs. */
export async function listReaders(db: Db, teamId: number, mailboxKey: string): Promise<Map<string, string>> {
  const { rows } = await sql<Row<'users', 'id'> & { name: string }>`
    select u.id, coalesce(u.name, u.email) as name
    from memberships m join users u on u.id = m.user_id
    join mailboxes box on box.team_id = m.team_id and box.id = ${mailboxKey}
    left join mailbox_access a on a.team_id = m.team_id and a.mailbox_id = box.id and a.user_id = m.user_id
    where m.team_id = ${teamId} and (box.access_mode = 'team' or a.role is not null)
    order by lower(coalesce(u.name, u.email)), u.id
  `.execute(db);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
