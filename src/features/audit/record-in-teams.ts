/** Records what concerns a person rather than a team, in each of their teams. */
import type { Db } from '../../platform/database/database.ts';
import { recordAudit, type AuditRecord } from './record-audit.ts';

export async function recordInTeamsOf(
  trx: Db,
  secret: Buffer,
  userUuid: string,
  record: AuditRecord,
): Promise<void> {
  const teams = await trx
    .selectFrom('memberships')
    .select('team_id')
    .where('user_id', '=', userUuid)
    .orderBy('team_id')
    .execute();
  for (const { team_id } of teams) await recordAudit(trx, secret, team_id, record);
}
