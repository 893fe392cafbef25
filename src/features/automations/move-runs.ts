/** Moves the runs under way to a new version by their steps, and foretells where each of them goes. */
import { sql } from 'kysely';
import type { Db } from '../../platform/database/database.ts';
import type { CamelRow, Row } from '../../platform/database/rows.ts';
import type { AutomationRow } from './automations.ts';
import { findStep } from './definition/graph.ts';
import { nextStep, waysOf } from './definition/ways.ts';
import { countRuns } from './runs/count-runs.ts';
import { endRuns } from './runs/end-runs.ts';
import { enterStep } from './runs/enter-step.ts';
import { readVersion } from './versions.ts';

/** Runs that follow the same version and are at the same step. */
export interface Position extends Row<'automation_runs', 'version'> {
  step: NonNullable<Row<'automation_runs'>['step']>;
  waiting: number;
}

/** A run keeps its step. One whose step was removed goes to the first step after it that is still there. */
export async function moveRuns(trx: Db, row: AutomationRow, version: number): Promise<void> {
  for (const position of await readPositions(trx, row)) {
    if (position.version === version) continue;
    const to = await findTarget(trx, row, position);
    if (to === null) await endRemoved(trx, row, position);
    else await move(trx, row, { position, to, version });
  }
}

async function endRemoved(
  trx: Db,
  { teamId, id: automationId }: AutomationRow,
  { version, step }: Position,
): Promise<void> {
  const { rows } = await sql<CamelRow<'automation_runs', 'id' | 'contact_id'>>`
    select id, contact_id as "contactId" from automation_runs
    where team_id = ${teamId} and automation_id = ${automationId} and status = 'ACTIVE' and version = ${version}
      and step = ${step} order by id for update
  `.execute(trx);
  await endRuns(
    trx,
    rows.map((run) => ({
      teamId,
      automationId,
      ...run,
      status: 'EXITED' as const,
      reason: 'step_removed',
    })),
  );
}

interface Move {
  position: Position;
  to: string;
  version: number;
}

async function move(
  trx: Db,
  { teamId, id: automationId, definition }: AutomationRow,
  { position, to, version }: Move,
): Promise<void> {
  const isSame = to === position.step;
  // The step decides anew when it is due, because a delay may have another length.
  const { numAffectedRows = 0n } = await sql`
    update automation_runs set version = ${version}, exits_on_reply = ${definition.exitOn.includes('replied')},
      exits_on_unsubscribe = ${definition.exitOn.includes('unsubscribed')},
      ${isSame ? sql`` : sql`${enterStep(to, { keepsHold: true })},`}
      due_at = case when memory ? 'heldUntil' then due_at else now() end
    where team_id = ${teamId} and automation_id = ${automationId} and status = 'ACTIVE'
      and version = ${position.version} and step = ${position.step}
  `.execute(trx);
  const times = Number(numAffectedRows);
  if (!isSame && times > 0)
    await countRuns(trx, [{ teamId, automationId, step: to, name: 'entered', times }]);
}

/** Returns the key of the step to which the runs of a position move, or null if they end. */
export async function findTarget(
  db: Db,
  row: AutomationRow,
  { version, step }: Position,
): Promise<string | null> {
  const old = await readVersion(db, row, version);
  const seen = new Set<string>();
  const open = [step];
  for (let at = open.shift(); at !== undefined; at = open.shift()) {
    if (seen.has(at)) continue;
    seen.add(at);
    if (findStep(row.definition, at)) return at;
    const left = findStep(old, at);
    if (left) open.push(...waysOf(left).flatMap((way) => nextStep(old.steps, left, way) ?? []));
  }
  return null;
}

export async function readPositions(
  db: Db,
  { teamId, id }: Pick<AutomationRow, 'teamId' | 'id'>,
): Promise<Position[]> {
  const { rows } = await sql<Position>`
    select version, step, count(*) as waiting from automation_runs
    where team_id = ${teamId} and automation_id = ${id} and status = 'ACTIVE' and step is not null
    group by version, step order by version, step
  `.execute(db);
  return rows;
}
