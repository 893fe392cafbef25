/** The first start makes the first team, its key and its owner's link; two processes that start together make one of each. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database.ts';
import { createApiKey, ensureApiKey } from '../api-keys/api-keys.ts';
import { createSetupLink, hasOwner } from '../people/setup.ts';
import { createTeam, findFirstTeam } from './teams.ts';

const LOCK_KEY = 7_163_402;

/** What the start screen tells. The secrets are there at the first start alone, to be shown this once. */
export interface FirstStart {
  /** Null also where the operator chose the key. */
  key: string | null;
  /** Of the link that makes the owner's account. */
  setupToken: string | null;
  /** Whether the first team has an owner. */
  hasOwner: boolean;
}

export async function prepareFirstTeam(db: Db, bootstrapApiKey: string | null): Promise<FirstStart> {
  return inTransaction(db, async (trx) => {
    await sql`select pg_advisory_xact_lock(${LOCK_KEY})`.execute(trx);
    const known = await findFirstTeam(trx);
    const team = known ?? (await createTeam(trx, 'My team'));
    if (bootstrapApiKey) await ensureApiKey(trx, team.id, 'Bootstrap', bootstrapApiKey);
    if (known) return { key: null, setupToken: null, hasOwner: await hasOwner(trx, team.id) };
    const made = bootstrapApiKey
      ? null
      : await createApiKey(trx, team.id, { name: 'First key', permission: 'full' });
    return { key: made?.key ?? null, setupToken: await createSetupLink(trx, team.id), hasOwner: false };
  });
}
