/** A key with a send policy decides only when emails leave that it has submitted itself, since these were judged. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { decodeId } from '../../../platform/ids.ts';
import type { Caller } from '../../api/caller.ts';

/** `emailId` is a UUID. */
export async function refuseOthersEmail(
  db: Db,
  { teamId, by, policyIds }: Pick<Caller, 'teamId' | 'by' | 'policyIds'>,
  emailId: string,
): Promise<void> {
  if (policyIds.length === 0) return;
  const { rows } = await sql`
    select 1 from policy_sends
    where team_id = ${teamId} and email_id = ${emailId} and key_id = ${decodeId('key', by)}::uuid
  `.execute(db);
  if (rows.length > 0) return;
  throw new AppError(
    'FORBIDDEN',
    'An API key with a send policy can change the time only of emails that it has submitted itself.',
    { reason: 'blocked-by-policy' },
  );
}
