/** Switches a rule off because something that it names is gone. The team's notices show the reason. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';

export async function switchOff(trx: Db, teamId: number, ruleId: string, reason: string): Promise<void> {
  await sql`
    update mailbox_rules set enabled = false, disabled_reason = ${reason}, disabled_at = now()
    where team_id = ${teamId} and id = ${ruleId} and enabled
  `.execute(trx);
}
