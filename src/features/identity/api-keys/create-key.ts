/** Creates API keys for callers. A key that is limited to mailboxes may be made by whoever may change their access. */
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { AppError, badRequest } from '../../../platform/errors.ts';
import type { Caller } from '../../api/caller.ts';
import { requireChangeableAccess } from '../../mailboxes/access/access.ts';
import { recordActivity } from '../../mailboxes/activity/record-activity.ts';
import type { ApiKey, ApiKeyInput, CreatedApiKey } from './api-keys.schema.ts';
import { createApiKey } from './api-keys.ts';

export async function createKeyFor(db: Db, caller: Caller, input: ApiKeyInput): Promise<CreatedApiKey> {
  const { teamId } = caller;
  if (!input.mailboxIds) {
    if ((caller.person?.role ?? caller.makerRole) === 'member')
      throw new AppError('FORBIDDEN', 'Only owners and admins can do this.');
    return createApiKey(db, teamId, input, { maker: caller });
  }
  if (input.permission !== 'full' && !input.scopes) throw needsMore();
  const mailboxIds = [...new Set(input.mailboxIds)];
  return inTransaction(db, async (trx) => {
    const mailboxKeys = await requireMailboxes(trx, caller, mailboxIds);
    const created = await createApiKey(trx, teamId, { ...input, mailboxKeys }, { maker: caller });
    await recordNewKey(trx, caller, mailboxKeys, created);
    return created;
  });
}

/** A key that only sends has no use for mailboxes. */
export function needsMore(): AppError {
  return badRequest('A key that is limited to mailboxes needs permission: "full" or scopes.');
}

/** Returns the UUIDs of mailboxes whose access the caller may change. */
export async function requireMailboxes(trx: Db, caller: Caller, mailboxIds: string[]): Promise<string[]> {
  const mailboxKeys: string[] = [];
  for (const mailboxId of mailboxIds)
    mailboxKeys.push((await requireChangeableAccess(trx, caller, mailboxId)).id);
  return mailboxKeys;
}

/** Tells in the activity of mailboxes which key has got access to them. */
export function recordNewKey(
  trx: Db,
  caller: Caller,
  mailboxKeys: string[],
  { id, name }: Pick<ApiKey, 'id' | 'name'>,
): Promise<void> {
  const data = { key_id: id, name };
  return recordActivity(
    trx,
    caller,
    mailboxKeys.map((mailboxId) => ({ mailboxId, threadId: null, type: 'key_created' as const, data })),
  );
}
