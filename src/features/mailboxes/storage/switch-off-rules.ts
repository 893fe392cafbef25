/** Switches rules off because something that they name is gone. The team's notices show the reason. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { switchOffNaming, switchOffRules } from '../../audience/campaign-use/switch-off-rules.ts';
import type { MailboxRef } from './change-numbers.ts';

export function switchOff(trx: Db, teamId: number, ruleId: string, reason: string): Promise<void> {
  return switchOffRules(trx, sql`team_id = ${teamId} and id = ${ruleId}`, reason);
}

/** Rules would go on setting the keyword, which would look like a label that nobody has made. */
export function switchOffLabelling(trx: Db, mailbox: MailboxRef, keyword: string): Promise<void> {
  return switchOffNaming(
    trx,
    mailbox,
    ['actions', [{ type: 'label', value: keyword }]],
    'The label that it sets is gone.',
  );
}

export const FOLDER_GONE = 'The folder that it moves messages to is gone.';

export function switchOffMoving(trx: Db, mailbox: MailboxRef, folderIds: readonly string[]): Promise<void> {
  const moves = folderIds.map((value) => ({ type: 'move', value }));
  return switchOffNaming(trx, mailbox, ['actions', moves], FOLDER_GONE);
}

export const REPLY_GONE = 'The saved reply that it uses is gone.';

export function switchOffReplying(trx: Db, mailbox: MailboxRef, saved_reply_id: string): Promise<void> {
  const actions = ['reply', 'draft'].map((type) => ({ type, saved_reply_id }));
  return switchOffNaming(trx, mailbox, ['actions', actions], REPLY_GONE);
}

export const ASSIGNEE_GONE = 'The person that it assigns to has no access to the mailbox any more.';

/** Without a mailbox, it is about all of the team. */
export function switchOffAssigning(
  trx: Db,
  where: { teamId: number; mailboxId?: string },
  userIds: readonly string[],
): Promise<void> {
  const assigns = userIds.map((user_id) => ({ type: 'assign', user_id }));
  return switchOffNaming(trx, where, ['actions', assigns], ASSIGNEE_GONE);
}

/** For addresses of the team's mailboxes, whose owners were not asked. */
export function switchOffForwarding(trx: Db, teamId: number, addressKeys: readonly string[]): Promise<void> {
  const forwards = sql`exists (
    select from jsonb_to_recordset(actions) as act (type text, "to" text)
    where act.type = 'forward' and lower(act."to") = any(${addressKeys}::text[]))`;
  const reason = 'The mailbox that it forwards to is gone.';
  return switchOffRules(trx, sql`team_id = ${teamId} and ${forwards}`, reason);
}
