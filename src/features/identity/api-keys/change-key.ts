/** Changes API keys for callers. A mailbox is added to a key like to a new one, by whoever may change its access. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { Caller } from '../../api/caller.ts';
import type { ApiKey, ApiKeyUpdate } from './api-keys.schema.ts';
import { updateApiKey } from './api-keys.ts';
import { needsMore, recordNewKey, requireMailboxes } from './create-key.ts';

export async function changeKeyFor(
  db: Db,
  caller: Caller,
  apiKeyId: string,
  { mailboxIds, ...update }: ApiKeyUpdate,
): Promise<ApiKey> {
  return inTransaction(db, async (trx) => {
    const before = await findMailboxes(trx, caller.teamId, apiKeyId);
    const wanted = mailboxIds && [...new Set(mailboxIds)];
    const added = (wanted ?? []).filter((id) => !before.includes(id));
    const addedKeys = await requireMailboxes(trx, caller, added);
    const keptKeys = (wanted ?? [])
      .filter((id) => before.includes(id))
      .flatMap((id) => decodeId('mbx', id) ?? []);
    const mailboxKeys = wanted && [...keptKeys, ...addedKeys];
    const key = await updateApiKey(trx, caller, apiKeyId, { ...update, mailboxKeys });
    if (wanted && key.permission === 'sending') throw needsMore();
    if (addedKeys.length > 0) await recordNewKey(trx, caller, addedKeys, key);
    return key;
  });
}

/** Locks the key. Whether the caller may change it is checked with the change. */
async function findMailboxes(trx: Db, teamId: number, apiKeyId: string): Promise<string[]> {
  const { rows } = await sql<Row<'api_keys', 'mailbox_ids'>>`
    select mailbox_ids from api_keys
    where team_id = ${teamId} and id = ${decodeId('key', apiKeyId)}::uuid for no key update
  `.execute(trx);
  return (rows[0]?.mailbox_ids ?? []).map((id) => encodeId('mbx', id));
}
