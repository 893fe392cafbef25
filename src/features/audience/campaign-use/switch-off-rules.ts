/**
 * Switches off rules of mailboxes because something that they name is gone. The team's notices show the reason. This
 * file is not in `mailboxes`, because deleting a segment switches off the rules that ask for it.
 */
import { sql, type RawBuilder } from 'kysely';
import { toJson, type Db } from '../../../platform/database/database.ts';

export async function switchOffRules(trx: Db, which: RawBuilder<unknown>, reason: string): Promise<void> {
  await sql`
    update mailbox_rules set enabled = false, disabled_reason = ${reason}, disabled_at = now()
    where ${which} and enabled
  `.execute(trx);
}

/**
 * Switches off the rules that have one of these conditions or actions. Each has only the fields that matter. Without a
 * mailbox, all rules of the team are meant.
 */
export async function switchOffNaming(
  trx: Db,
  { teamId, mailboxId }: { teamId: number; mailboxId?: string },
  [column, parts]: ['conditions' | 'actions', Record<string, string>[]],
  reason: string,
): Promise<void> {
  if (parts.length === 0) return;
  const where = mailboxId === undefined ? sql`true` : sql`mailbox_id = ${mailboxId}`;
  const names = sql`exists (
    select from jsonb_array_elements(${toJson(parts)}::jsonb) as gone
    where ${sql.ref(column)} @> jsonb_build_array(gone))`;
  await switchOffRules(trx, sql`team_id = ${teamId} and ${where} and ${names}`, reason);
}
