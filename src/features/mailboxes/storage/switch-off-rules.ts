/** Switches rules off because something that they name is gone. The team's notices show the reason. */
import { sql, type RawBuilder } from 'kysely';
import { toJson, type Db } from '../../../platform/database/database.ts';
import type { MailboxRef } from './change-numbers.ts';

export function switchOff(trx: Db, teamId: number, ruleId: string, reason: string): Promise<void> {
  return switchOffAll(trx, sql`team_id = ${teamId} and id = ${ruleId}`, reason);
}

/** Rules would go on setting the keyword, which would look like a label that nobody has made. */
export function switchOffLabelling(trx: Db, mailbox: MailboxRef, keyword: string): Promise<void> {
  return switchOffNaming(
    trx,
    mailbox,
    [{ type: 'label', value: keyword }],
    'The label that it sets is gone.',
  );
}

export const FOLDER_GONE = 'The folder that it moves messages to is gone.';

export function switchOffMoving(trx: Db, mailbox: MailboxRef, folderIds: readonly string[]): Promise<void> {
  const moves = folderIds.map((value) => ({ type: 'move', value }));
  return switchOffNaming(trx, mailbox, moves, FOLDER_GONE);
}

export const REPLY_GONE = 'The saved reply that it uses is gone.';

export function switchOffReplying(trx: Db, mailbox: MailboxRef, saved_reply_id: string): Promise<void> {
  const actions = ['reply', 'draft'].map((type) => ({ type, saved_reply_id }));
  return switchOffNaming(trx, mailbox, actions, REPLY_GONE);
}

export const ASSIGNEE_GONE = 'The person that it assigns to has no access to the mailbox any more.';

/** Without a mailbox, it is about all of the team. */
export function switchOffAssigning(
  trx: Db,
  where: { teamId: number; mailboxId?: string },
  userIds: readonly string[],
): Promise<void> {
  const assigns = userIds.map((user_id) => ({ type: 'assign', user_id }));
  return switchOffNaming(trx, where, assigns, ASSIGNEE_GONE);
}

/** For addresses of the team's mailboxes, whose owners were not asked. */
export function switchOffForwarding(trx: Db, teamId: number, addressKeys: readonly string[]): Promise<void> {
  const forwards = sql`exists (
    select from jsonb_to_recordset(actions) as act (type text, "to" text)
    where act.type = 'forward' and lower(act."to") = any(${addressKeys}::text[]))`;
  const reason = 'The mailbox that it forwards to is gone.';
  return switchOffAll(trx, sql`team_id = ${teamId} and ${forwards}`, reason);
}

/** Each of the actions is what rules have, without the fields that do not matter. */
async function switchOffNaming(
  trx: Db,
  { teamId, mailboxId }: { teamId: number; mailboxId?: string },
  actions: Record<string, string>[],
  reason: string,
): Promise<void> {
  if (actions.length === 0) return;
  const where = mailboxId === undefined ? sql`true` : sql`mailbox_id = ${mailboxId}`;
  const names = sql`exists (
    select from jsonb_array_elements(${toJson(actions)}::jsonb) as gone where actions @> jsonb_build_array(gone))`;
  await switchOffAll(trx, sql`team_id = ${teamId} and ${where} and ${names}`, reason);
}

async function switchOffAll(trx: Db, which: RawBuilder<unknown>, reason: string): Promise<void> {
  await sql`
    update mailbox_rules set enabled = false, disabled_reason = ${reason}, disabled_at = now()
    where ${which} and enabled
  `.execute(trx);
}
