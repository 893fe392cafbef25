/** The first start makes the first team and its key; two processes that start together make one of each. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database.ts';
import { createApiKey, ensureApiKey } from '../api-keys/api-keys.ts';
import { createTeam, findFirstTeam } from './teams.ts';

const LOCK_KEY = 7_163_402;

/** Returns the new key, to be shown this once; null when there is nothing new to show. */
export async function prepareFirstTeam(db: Db, bootstrapApiKey: string | null): Promise<string | null> {
  return inTransaction(db, async (trx) => {
    await sql`select pg_advisory_xact_lock(${LOCK_KEY})`.execute(trx);
    const known = await findFirstTeam(trx);
    const team = known ?? (await createTeam(trx, 'My team'));
    if (bootstrapApiKey) {
      await ensureApiKey(trx, team.id, 'Bootstrap', bootstrapApiKey);
      return null;
    }
    if (known) return null;
    const { key } = await createApiKey(trx, team.id, { name: 'First key', permission: 'full' });
    return key;
  });
}
