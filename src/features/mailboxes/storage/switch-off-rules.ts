/** Switches rules off because something that they name is gone. The team's notices show the reason. */
import { sql, type RawBuilder } from 'kysely';
import { toJson, type Db } from '../../../platform/database/database.ts';
import type { MailboxRef } from './change-numbers.ts';

export function switchOff(trx: Db, teamId: number, ruleId: string, reason: string): Promise<void> {
  return switchOffAll(trx, sql`team_id = ${teamId} and id = ${ruleId}`, reason);
}

/** Rules would go on setting the keyword, which would look like a label that nobody has made. */
export function switchOffLabelling(
  trx: Db,
  { teamId, mailboxId }: MailboxRef,
  keyword: string,
): Promise<void> {
  const setsIt = sql`team_id = ${teamId} and mailbox_id = ${mailboxId}
    and actions @> ${toJson([{ type: 'label', value: keyword }])}::jsonb`;
  return switchOffAll(trx, setsIt, 'The label that it sets is gone.');
}

async function switchOffAll(trx: Db, which: RawBuilder<unknown>, reason: string): Promise<void> {
  await sql`
    update mailbox_rules set enabled = false, disabled_reason = ${reason}, disabled_at = now()
    where ${which} and enabled
  `.execute(trx);
}
