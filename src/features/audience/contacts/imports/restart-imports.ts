/** Resumes imports that have lost their job, and fails those whose job was given up. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../../platform/database/database.ts';
import type { CamelRow } from '../../../../platform/database/rows.ts';
import { finishImport, IMPORT_JOB_KEY, runImportLater } from './import-batch.ts';

const GIVEN_UP = 'The import failed repeatedly and was stopped. Upload the remaining rows again.';

interface LostImport extends CamelRow<'contact_imports', 'team_id' | 'id'> {
  /** The job has used up its attempts. */
  hasFailed: boolean;
}

export async function restartLostImports(db: Db): Promise<void> {
  for (const { teamId, id } of await findLost(db)) {
    await inTransaction(db, async (trx) => {
      await sql`select from contact_imports where team_id = ${teamId} and id = ${id} for update`.execute(trx);
      const [lost] = await findLost(trx, id);
      if (lost?.hasFailed) await finishImport(trx, teamId, id, GIVEN_UP);
      else if (lost) await runImportLater(trx, teamId, id);
    });
  }
}

/** Finds unfinished imports without a waiting or running job. Skips imports that made progress within a minute. */
async function findLost(db: Db, id: string | null = null): Promise<LostImport[]> {
  const { rows } = await sql<LostImport>`
    select i.team_id as "teamId", i.id, j.id is not null as "hasFailed"
    from contact_imports i
    left join jobs j on j.key = ${IMPORT_JOB_KEY} || i.id
    where i.status in ('PENDING', 'RUNNING') and i.updated_at < now() - interval '1 minute'
      and (${id}::uuid is null or i.id = ${id}::uuid)
      and (j.id is null or (j.leased_by is null and j.attempts >= j.max_attempts))
  `.execute(db);
  return rows;
}
