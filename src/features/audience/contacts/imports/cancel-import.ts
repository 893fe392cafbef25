/** Cancels an import and its waiting confirmations. The row lock serialises this with a batch being stored. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../../platform/database/database.ts';
import { conflict } from '../../../../platform/errors.ts';
import { decodeId } from '../../../../platform/ids.ts';
import { getImport } from './imports.ts';
import type { ContactImport } from './imports.schema.ts';

export async function cancelImport(
  db: Db,
  teamId: number,
  contactBookId: string,
  importId: string,
): Promise<ContactImport> {
  return inTransaction(db, async (trx) => {
    const found = await getImport(trx, teamId, contactBookId, importId);
    const id = decodeId('imp', importId);
    const { rows } = await sql`
      update contact_imports set status = 'CANCELLED', confirmations_waiting = 0,
        finished_at = coalesce(finished_at, now()), updated_at = now()
      where team_id = ${teamId} and id = ${id}
        and (status in ('PENDING', 'RUNNING') or status in ('DONE', 'FAILED') and confirmations_waiting > 0)
      returning 1
    `.execute(trx);
    if (rows.length === 0 && found.status !== 'CANCELLED') {
      // Another request may have cancelled it since it was read.
      const current = await getImport(trx, teamId, contactBookId, importId);
      if (current.status !== 'CANCELLED') throw conflict('This import has already finished.');
      return current;
    }
    await sql`
      delete from contact_import_chunks where team_id = ${teamId} and import_id = ${id}
    `.execute(trx);
    return getImport(trx, teamId, contactBookId, importId);
  });
}

/**
 * Counts contacts of an import that were asked to confirm. Returns false if the import was cancelled or deleted. Call
 * it before locking the contacts, because batches lock the import first.
 */
export async function countAsked(db: Db, teamId: number, id: string, people: number): Promise<boolean> {
  const { rows } = await sql`
    update contact_imports set confirmations_waiting = greatest(0, confirmations_waiting - ${people}),
      updated_at = now()
    where team_id = ${teamId} and id = ${id} and status <> 'CANCELLED'
    returning 1
  `.execute(db);
  return rows.length > 0;
}
