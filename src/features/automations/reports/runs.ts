/** Lists runs, shows one with its history, and lets people act on it. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { conflict, notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import {
  fromStart,
  orderOf,
  readPageStart,
  toPage,
  type Page,
  type PageRequest,
} from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { AutomationDefinition } from '../definition/automations.schema.ts';
import { findAutomation } from '../automations.ts';
import { findStep } from '../definition/graph.ts';
import { nextStep } from '../definition/ways.ts';
import { countRuns } from '../runs/count-runs.ts';
import { endRuns } from '../runs/end-runs.ts';
import { enterStep } from '../runs/enter-step.ts';
import { presentEvent, RUN_COLUMNS, type RunRow, type RunStatus } from '../runs/run-row.ts';
import type { AutomationRun, AutomationRunDetails, ContactRun } from './runs.schema.ts';

type ShownRow = RunRow & {
  reason: Row<'automation_runs'>['reason'];
  endedAt: Row<'automation_runs'>['ended_at'];
  email: Row<'contacts'>['email'] | null;
  isPaused: boolean;
};

const SHOWN = sql`${RUN_COLUMNS}, r.reason, r.ended_at as "endedAt", c.email, a.status = 'PAUSED' as "isPaused"`;
const FROM = sql`automation_runs r join automations a on a.team_id = r.team_id and a.id = r.automation_id
  left join contacts c on c.team_id = r.team_id and c.contact_book_id = r.contact_book_id and c.id = r.contact_id`;

interface RunFilter {
  status?: RunStatus | readonly RunStatus[] | undefined;
  contactId?: string | undefined;
  step?: string | undefined;
}

export async function listRuns(
  db: Db,
  teamId: number,
  automationId: string,
  { status, contactId, step, ...page }: PageRequest & RunFilter,
): Promise<Page<AutomationRun>> {
  const { id } = await findAutomation(db, teamId, automationId);
  const start = readPageStart('run', page);
  const { rows } = await sql<ShownRow>`
    select ${SHOWN} from ${FROM}
    where r.team_id = ${teamId} and r.automation_id = ${id} and ${fromStart(start, 'r.id')}
      ${status === undefined ? sql`` : sql`and r.status = any(${[status].flat()}::text[])`}
      ${contactId === undefined ? sql`` : sql`and r.contact_id = ${decodeId('con', contactId)}`}
      ${step === undefined ? sql`` : sql`and r.step = ${step}`}
    order by r.id ${orderOf(start)} limit ${page.limit + 1}
  `.execute(db);
  return toPage(rows, page, present);
}

/** The runs of a contact in all automations, newest first. */
export async function listRunsOfContact(
  db: Db,
  teamId: number,
  { contactId, status, ...page }: PageRequest & { contactId: string; status?: RunStatus | undefined },
): Promise<Page<ContactRun>> {
  const start = readPageStart('run', page);
  const { rows } = await sql<ShownRow & { automationName: Row<'automations'>['name'] }>`
    select ${SHOWN}, a.name as "automationName" from ${FROM}
    where r.team_id = ${teamId} and r.contact_id = ${decodeId('con', contactId)} and ${fromStart(start, 'r.id')}
      and r.automation_id in (select id from automations where team_id = ${teamId} and deleted_at is null)
      ${status === undefined ? sql`` : sql`and r.status = ${status}`}
    order by r.id ${orderOf(start)} limit ${page.limit + 1}
  `.execute(db);
  return toPage(rows, page, ({ automationName, ...row }) => ({ ...present(row), automationName }));
}

export async function listRunsOfContacts(
  db: Db,
  teamId: number,
  automationKey: string,
  contactIds: string[],
): Promise<AutomationRun[]> {
  const { rows } = await sql<ShownRow>`
    select ${SHOWN} from ${FROM}
    where r.team_id = ${teamId} and r.automation_id = ${automationKey} and r.contact_id = any(${contactIds}::uuid[])
    order by r.id desc limit 50
  `.execute(db);
  return rows.map(present);
}

type HistoryRow = Row<'automation_run_steps', 'step' | 'type' | 'version' | 'at' | 'result' | 'email_id'>;

export async function getRun(db: Db, teamId: number, runId: string): Promise<AutomationRunDetails> {
  const key = decodeId('run', runId);
  if (!key) throw notFound('Run');
  const { rows } = await sql<ShownRow>`
    select ${SHOWN} from ${FROM} where r.team_id = ${teamId} and r.id = ${key}
  `.execute(db);
  const run = rows[0];
  if (!run) throw notFound('Run');
  const { rows: steps } = await sql<HistoryRow>`
    select step, type, version, at, result, email_id from automation_run_steps
    where team_id = ${teamId} and run_id = ${key} order by no
  `.execute(db);
  return {
    ...present(run),
    event: run.event && presentEvent(run.event),
    history: steps.map(({ step, type, version, at, result, email_id }) => ({
      key: step,
      type,
      version,
      at: at.toISOString(),
      result,
      emailId: email_id && encodeId('eml', email_id),
    })),
  };
}

/** The steps that the run follows, and the one at which it failed. */
export async function readRunSteps(
  db: Db,
  teamId: number,
  runId: string,
): Promise<Pick<AutomationDefinition, 'steps' | 'triggerKey'> & { failedAt: string | null }> {
  const { rows } = await sql<{ definition: AutomationDefinition; failedAt: string | null }>`
    select v.definition, r.memory ->> 'failedAt' as "failedAt" from automation_runs r
    join automation_versions v on v.team_id = r.team_id and v.automation_id = r.automation_id and v.version = r.version
    where r.team_id = ${teamId} and r.id = ${decodeId('run', runId)}
  `.execute(db);
  if (!rows[0]) throw notFound('Run');
  return { ...rows[0].definition, failedAt: rows[0].failedAt };
}

function present(row: ShownRow): AutomationRun {
  return {
    id: encodeId('run', row.id),
    automationId: encodeId('aut', row.automationId),
    version: row.version,
    contactId: encodeId('con', row.contactId),
    email: row.email,
    status: row.status,
    reason: row.reason,
    step: row.step,
    heldBy: row.heldBy ?? (row.isPaused && row.status === 'ACTIVE' ? 'paused' : null),
    dueAt: row.dueAt?.toISOString() ?? null,
    startedAt: row.startedAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
  };
}

type LockedRun = RunRow & { definition: AutomationDefinition };

async function lockRun(trx: Db, teamId: number, runId: string): Promise<LockedRun> {
  const { rows } = await sql<LockedRun>`
    select ${RUN_COLUMNS}, v.definition from automation_runs r
    join automation_versions v on v.team_id = r.team_id and v.automation_id = r.automation_id and v.version = r.version
    where r.team_id = ${teamId} and r.id = ${decodeId('run', runId)} for update of r
  `.execute(trx);
  if (!rows[0]) throw notFound('Run');
  return rows[0];
}

export async function cancelRun(db: Db, teamId: number, runId: string): Promise<AutomationRunDetails> {
  return inTransaction(db, async (trx) => {
    const { id, automationId, contactId, status } = await lockRun(trx, teamId, runId);
    if (status !== 'ACTIVE') throw conflict(`Only an ACTIVE run can be cancelled. This run is ${status}.`);
    await endRuns(trx, [{ teamId, id, automationId, contactId, status: 'CANCELLED', reason: 'cancelled' }]);
    return getRun(trx, teamId, runId);
  });
}

/** Moves a run on that waits in a delay or for an event. A wait takes the way of its timeout. */
export async function skipWait(db: Db, teamId: number, runId: string): Promise<AutomationRunDetails> {
  return inTransaction(db, async (trx) => {
    const run = await lockRun(trx, teamId, runId);
    const step = findStep(run.definition, run.step);
    if (run.status !== 'ACTIVE' || !step || (step.type !== 'delay' && step.type !== 'wait'))
      throw conflict('Only an ACTIVE run that waits in a delay or for an event can skip it.');
    const way = step.type === 'wait' ? 'timeout' : '';
    const next = nextStep(run.definition.steps, step, way);
    await sql`
      insert into automation_run_steps (team_id, run_id, no, step, type, version, result)
      values (${teamId}, ${run.id}, ${run.stepsDone + 1}, ${step.key}, ${step.type}, ${run.version}, 'skipped by a person')
    `.execute(trx);
    await sql`
      update automation_runs set ${enterStep(next)}, due_at = now(), steps_done = steps_done + 1
      where team_id = ${teamId} and id = ${run.id}
    `.execute(trx);
    const { automationId } = run;
    await countRuns(trx, [
      { teamId, automationId, step: step.key, name: 'done' },
      ...(way === '' ? [] : [{ teamId, automationId, step: step.key, name: `way:${way}` }]),
      ...(next === null ? [] : [{ teamId, automationId, step: next, name: 'entered' }]),
    ]);
    return getRun(trx, teamId, runId);
  });
}

/** Tries the step of a held run again now, and that of a FAILED run. */
export async function retryRun(db: Db, teamId: number, runId: string): Promise<AutomationRunDetails> {
  return inTransaction(db, async (trx) => {
    const run = await lockRun(trx, teamId, runId);
    if (run.status === 'FAILED') {
      const { rows } = await sql<{ step: string | null }>`
        select memory ->> 'failedAt' as step from automation_runs where team_id = ${teamId} and id = ${run.id}
      `.execute(trx);
      const step = rows[0]?.step ?? run.definition.steps[0]?.key ?? null;
      await sql`
        update automation_runs set status = 'ACTIVE', reason = null, ended_at = null, attempts = 0, due_at = now(),
          step = ${step}, entered_at = now(), held_by = null
        where team_id = ${teamId} and id = ${run.id}
      `.execute(trx);
      const { automationId } = run;
      await countRuns(trx, [{ teamId, automationId, step: '', name: 'retried' }]);
      return getRun(trx, teamId, runId);
    }
    if (run.status !== 'ACTIVE' || run.heldBy === null)
      throw conflict('Only a run that is FAILED or held can be retried.');
    await sql`
      update automation_runs set attempts = 0, due_at = now(), held_by = null, memory = memory - 'heldUntil'
      where team_id = ${teamId} and id = ${run.id}
    `.execute(trx);
    return getRun(trx, teamId, runId);
  });
}
