/** Releases the brake of a domain. Campaigns stay paused until someone resumes them; automations go on. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { conflict } from '../../../platform/errors.ts';
import { keepToDomain } from '../../api/bound-keys.ts';
import type { Caller } from '../../api/caller.ts';
import { HELD_BY_BRAKE } from '../../automations/engine/hold-for-brake.ts';
import { recordEvents } from '../../events/record-events.ts';
import type { Facts } from '../../instance/facts.ts';
import type { Domain } from '../../sending/domains/domains.schema.ts';
import { getDomain } from '../../sending/domains/domains.ts';
import { totalsOf } from './count-mail.ts';

export async function releaseBrake(
  db: Db,
  caller: Caller,
  facts: Facts,
  { id, reason }: { id: number; reason: string },
): Promise<Domain> {
  keepToDomain(caller, id);
  const { teamId } = caller;
  return inTransaction(db, async (trx) => {
    const before = await getDomain(trx, caller, facts, id);
    const { rows } = await sql`
      update domains set brake = 'OFF', brake_since = null, brake_cause = null, brake_released_at = now(),
        brake_release_reason = ${reason},
        brake_baseline = ${totalsOf(sql`domains.team_id`, sql`domains.id`)}
      where team_id = ${teamId} and id = ${id} and brake = 'ON' returning id
    `.execute(trx);
    if (rows.length === 0) throw conflict('The brake of this domain is not on.');
    const domain = await getDomain(trx, caller, facts, id);
    await sql`
      update automation_runs set due_at = now(), held_by = null
      where team_id = ${teamId} and status = 'ACTIVE' and held_by = ${HELD_BY_BRAKE}
    `.execute(trx);
    const notice = { id, name: domain.name, reason, brake: before.brake };
    await recordEvents(trx, teamId, [
      { type: 'domain.brake_released', subjectId: null, data: { domainId: id }, notice },
    ]);
    return domain;
  });
}
