/** Creates API keys for callers. A key that is limited to mailboxes may be made by whoever may change their access. */
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { AppError, badRequest } from '../../../platform/errors.ts';
import type { Caller } from '../../api/caller.ts';
import { requireChangeableAccess } from '../../mailboxes/access/access.ts';
import { recordActivity } from '../../mailboxes/activity/record-activity.ts';
import type { ApiKeyInput, CreatedApiKey } from './api-keys.schema.ts';
import { createApiKey } from './api-keys.ts';

export async function createKeyFor(db: Db, caller: Caller, input: ApiKeyInput): Promise<CreatedApiKey> {
  const { teamId } = caller;
  if (!input.mailboxIds) {
    if ((caller.person?.role ?? caller.makerRole) === 'member')
      throw new AppError('FORBIDDEN', 'Only owners and admins can do this.');
    return createApiKey(db, teamId, input, { maker: caller });
  }
  if (input.permission !== 'full' && !input.scopes)
    throw badRequest('A key that is limited to mailboxes needs permission: "full" or scopes.');
  const mailboxIds = [...new Set(input.mailboxIds)];
  return inTransaction(db, async (trx) => {
    const mailboxKeys: string[] = [];
    for (const mailboxId of mailboxIds)
      mailboxKeys.push((await requireChangeableAccess(trx, caller, mailboxId)).id);
    const created = await createApiKey(trx, teamId, { ...input, mailboxKeys }, { maker: caller });
    const data = { key_id: created.id, name: created.name };
    await recordActivity(
      trx,
      caller,
      mailboxKeys.map((mailboxId) => ({ mailboxId, threadId: null, type: 'key_created' as const, data })),
    );
    return created;
  });
}
