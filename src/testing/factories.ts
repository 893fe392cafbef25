import type { Db } from '../platform/database/database.ts';
import type { Row } from '../platform/database/rows.ts';

/** Inserts a domain that is already verified. */
export async function addDomain(
  db: Db,
  teamId: number,
  name: string,
  status: Row<'domains'>['status'] = 'SUCCESS',
): Promise<number> {
  const { id } = await db
    .insertInto('domains')
    .values({
      team_id: teamId,
      name,
      status,
      held: status === 'SUCCESS',
      public_key: '',
      private_key: Buffer.alloc(0),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
