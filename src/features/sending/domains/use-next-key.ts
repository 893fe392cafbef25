import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';

/**
 * Starts to sign with the new key, if there is one. Workers notice it within a second. A domain that was never verified
 * has signed nothing, so the record of its old key is not needed.
 */
export async function useNextKey(trx: Db, teamId: number, id: number): Promise<void> {
  await sql`
    update domains set
      retired_selector = case when held then dkim_selector end,
      retired_public_key = case when held then public_key end,
      retired_at = case when held then now() end,
      dkim_selector = next_selector, public_key = next_public_key, private_key = next_private_key,
      record_status = case when held
        then record_status - 'nextDkim' || '{"dkim": "SUCCESS", "retiredDkim": "SUCCESS"}'
        else record_status - 'dkim' end,
      next_selector = null, next_public_key = null, next_private_key = null, next_since = null,
      updated_at = now()
    where team_id = ${teamId} and id = ${id} and next_selector is not null
  `.execute(trx);
}
