/** Creates the first team, its API key and its owner's setup link. Several processes may start at the same time. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { createApiKey, ensureApiKey } from '../../identity/api-keys/api-keys.ts';
import { createSetupLink, hasOwner } from '../../identity/people/setup.ts';
import { createTeam, findFirstTeam } from './teams.ts';

const LOCK_KEY = 7_163_402;

/** Shown at startup. The secrets are set only on the very first start and cannot be shown again. */
export interface FirstStart {
  /** Also null when the operator set BOOTSTRAP_API_KEY. */
  key: string | null;
  /** Token of the link that creates the owner's account. */
  setupToken: string | null;
  hasOwner: boolean;
}

export async function prepareFirstTeam(db: Db, bootstrapApiKey: string | null): Promise<FirstStart> {
  return inTransaction(db, async (trx) => {
    await sql`select pg_advisory_xact_lock(${LOCK_KEY})`.execute(trx);
    const existing = await findFirstTeam(trx);
    const team = existing ?? (await createTeam(trx, 'My team'));
    if (bootstrapApiKey) await ensureApiKey(trx, team.id, 'Bootstrap', bootstrapApiKey);
    if (existing) return { key: null, setupToken: null, hasOwner: await hasOwner(trx, team.id) };
    const created = bootstrapApiKey
      ? null
      : await createApiKey(trx, team.id, { name: 'First key', permission: 'full' });
    return { key: created?.key ?? null, setupToken: await createSetupLink(trx, team.id), hasOwner: false };
  });
}
