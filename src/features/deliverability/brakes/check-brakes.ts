/**
 * Puts the brake on domains whose mail bounces or is reported as spam too often, and warns before. The brake pauses the
 * running campaigns of the domain; those that start later find it (campaigns/states.ts), and so do marketing emails of
 * automations (automations/engine/hold-for-brake.ts). It stays until someone releases it. A warning ends by itself.
 * Delivery workers ask for a check after each bounce and complaint (jobs/check-brakes-later.ts), and a check of all
 * domains follows every ten minutes.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { pause } from '../../campaigns/states.ts';
import { recordEvents } from '../../events/record-events.ts';
import { notClosed } from '../../instance/closed-teams.ts';
import {
  BRAKE_COLUMNS,
  describeCause,
  presentBrake,
  type BrakeCause,
} from '../../sending/domains/domain-brake.ts';
import { countRecentMail } from './count-mail.ts';
import { judgeMail, type Verdict } from './judge-mail.ts';

/** Checks all domains of the team. */
export async function checkBrakes(db: Db, teamId: number): Promise<void> {
  const { rows } = await sql<Row<'domains', 'id' | 'brake'>>`
    select id, brake from domains where team_id = ${teamId} and brake <> 'ON' and (held or brake <> 'OFF') order by id
  `.execute(db);
  if (rows.length === 0) return;
  const counted = await countRecentMail(
    db,
    teamId,
    rows.map(({ id }) => id),
  );
  for (const { id, brake } of rows) {
    const verdict = judgeMail(counted.get(id) ?? []);
    if (verdict?.status !== 'ON' && brake === (verdict?.status ?? 'OFF')) continue;
    await inTransaction(db, (trx) => applyVerdict(trx, teamId, id, verdict));
  }
}

/** Teams that have sent anything since yesterday, and those with a warning. */
export async function checkAllBrakes(db: Db): Promise<void> {
  const { rows } = await sql<{ teamId: Row<'teams'>['id'] }>`
    select t.id as "teamId" from teams t
    where t.closed_at is null and (
      exists (select from daily_counts c where c.team_id = t.id and c.day >= (now() at time zone 'utc')::date - 1)
      or exists (select from domains d where d.team_id = t.id and d.brake = 'WARNING')
    )
    order by t.id
  `.execute(db);
  for (const { teamId } of rows) await checkBrakes(db, teamId);
}

async function applyVerdict(trx: Db, teamId: number, id: number, verdict: Verdict | null): Promise<void> {
  const { rows } = await sql<Row<'domains', 'id' | 'name' | (typeof BRAKE_COLUMNS)[number]>>`
    update domains set brake = ${verdict?.status ?? 'OFF'}, brake_since = case when ${verdict !== null} then now() end,
      brake_cause = ${verdict && JSON.stringify(verdict.cause)}::jsonb
    where team_id = ${teamId} and id = ${id} and brake <> 'ON' and brake <> ${verdict?.status ?? 'OFF'} and ${notClosed}
    returning id, name, ${sql.join(BRAKE_COLUMNS.map((column) => sql.ref(column)))}
  `.execute(trx);
  const row = rows[0];
  if (!row || !verdict) return;
  if (verdict.status === 'ON') await pauseCampaigns(trx, { teamId, id, name: row.name }, verdict.cause);
  const type = verdict.status === 'ON' ? 'domain.braked' : 'domain.warned';
  const notice = { id, name: row.name, brake: presentBrake(row) };
  await recordEvents(trx, teamId, [{ type, subjectId: null, data: { domainId: id }, notice }]);
}

async function pauseCampaigns(
  trx: Db,
  { teamId, id, name }: { teamId: number; id: number; name: string },
  cause: BrakeCause,
): Promise<void> {
  const { rows } = await sql<Row<'campaigns', 'id'>>`
    select id from campaigns
    where team_id = ${teamId} and domain_id = ${id} and status = 'RUNNING' and deleted_at is null order by id
  `.execute(trx);
  const reason = `The brake of ${name} stopped it: ${describeCause(cause)} Resume the campaign once the brake is released.`;
  for (const campaign of rows) await pause(trx, teamId, campaign.id, reason);
}
