/**
 * Takes runs that are due and moves each of them, a few in one transaction. The locks on their rows are the claim: if
 * the process dies, PostgreSQL frees them and nothing of the transaction has happened.
 */
import { groupBy } from '../../../platform/group-by.ts';
import { sql } from 'kysely';
import {
  databaseNow,
  inTransaction,
  statement,
  toJson,
  type Db,
} from '../../../platform/database/database.ts';
import type { Log } from '../../../platform/log.ts';
import { enqueue } from '../../jobs/jobs.ts';
import type { AutomationDefinition } from '../definition/automations.schema.ts';
import { countRuns } from '../runs/count-runs.ts';
import { endRuns } from '../runs/end-runs.ts';
import { RUN_COLUMNS, type RunRow } from '../runs/run-row.ts';
import { advanceRuns } from './advance-runs.ts';
import type { Advanced } from './advanced.ts';
import { canBeMended, noteHeld, releaseHeld, retryLater } from './hold-runs.ts';
import type { StepTools } from './send-step-email.ts';

/** Runs in one transaction. */
const BATCH = 100;

type DueRun = RunRow & {
  /** That of the live version, which all runs of the automation share. */
  ratePerMinute: number | null;
};

export interface EngineTools extends StepTools {
  db: Db;
  log: Log;
}

export interface RunDueResult {
  moved: number;
  hasSent: boolean;
}

/** Returns how many runs were looked at. Fewer than asked for means that none is left. */
export async function runDue(tools: EngineTools): Promise<RunDueResult> {
  const keys: { teamId: number; id: string }[] = [];
  const runBatch = (holdsFailures: boolean) =>
    inTransaction(tools.db, async (trx) => {
      const runs = await claimDue(trx, BATCH);
      keys.splice(0, keys.length, ...runs.map(({ teamId, id }) => ({ teamId, id })));
      return moveRuns(trx, runs, { ...tools, holdsFailures });
    });
  try {
    return await runBatch(false).catch((error: unknown) => {
      if (!canBeMended(error)) throw error;
      return runBatch(true);
    });
  } catch (error) {
    if (keys.length === 0) throw error;
    // One of them failed. Each gets a transaction of its own, so that the others go on.
    const result = { moved: keys.length, hasSent: false };
    for (const key of keys) if (await runOne(tools, key)) result.hasSent = true;
    return result;
  }
}

/**
 * Automations give their due runs in turn, so that one with many does not hold up others. A paused one gives none,
 * however many are due.
 */
async function claimDue(trx: Db, limit: number): Promise<DueRun[]> {
  const { rows } = await sql<DueRun>`
    with due as materialized (
      select d.team_id, d.id, (live.definition ->> 'ratePerMinute')::integer as rate
      from automations a join automation_versions live
        on live.team_id = a.team_id and live.automation_id = a.id and live.version = a.version
      cross join lateral (
        select r.team_id, r.id, r.due_at, row_number() over (order by r.due_at) as turn from automation_runs r
        where r.team_id = a.team_id and r.automation_id = a.id and r.status = 'ACTIVE' and r.due_at <= now()
        order by r.due_at limit ${limit}
      ) d
      where a.deleted_at is null and a.status in ('ACTIVE', 'CLOSED') and a.team_id not in (select id from teams where closed_at is not null)
        and (a.rate_minute is distinct from date_trunc('minute', now()) or a.rate_used < coalesce(
          (live.definition ->> 'ratePerMinute')::integer, 2147483647))
      order by d.turn, d.due_at limit ${limit}
    )
    select ${RUN_COLUMNS}, due.rate as "ratePerMinute"
    from due join automation_runs r on r.team_id = due.team_id and r.id = due.id
    where r.status = 'ACTIVE' and r.due_at <= now()
    order by r.due_at for update of r skip locked
  `.execute(trx);
  return rows;
}

async function moveRuns(trx: Db, runs: DueRun[], tools: EngineTools): Promise<RunDueResult> {
  if (runs.length === 0) return { moved: 0, hasSent: false };
  const allowed = await keepToRates(trx, runs);
  const definitions = await readDefinitions(trx, allowed);
  const now = await databaseNow(trx);
  const moving = allowed.map((run) => ({
    run,
    definition: definitions.get(`${run.automationId} ${run.version}`)!,
  }));
  const advanced = await advanceRuns(trx, moving, tools, now);
  await storeAdvanced(trx, advanced);
  await releaseHeld(trx, allowed, advanced);
  return { moved: runs.length, hasSent: advanced.some(({ hasSent }) => hasSent) };
}

/** By automation and version. The runs of one share the object. */
async function readDefinitions(trx: Db, runs: DueRun[]): Promise<Map<string, AutomationDefinition>> {
  const definitions = new Map<string, AutomationDefinition>();
  for (const [key, [run]] of groupBy(runs, ({ automationId, version }) => `${automationId} ${version}`)) {
    const { teamId, automationId, version } = run!;
    const { rows } = await sql<{ definition: AutomationDefinition }>`
      select definition from automation_versions
      where team_id = ${teamId} and automation_id = ${automationId} and version = ${version}
    `.execute(trx);
    definitions.set(key, rows[0]!.definition);
  }
  return definitions;
}

/** An automation with a rate moves so many runs in a minute. The others stay due. */
async function keepToRates(trx: Db, runs: DueRun[]): Promise<DueRun[]> {
  const allowed: DueRun[] = [];
  for (const ofOne of groupBy(runs, ({ automationId }) => automationId).values()) {
    const { teamId, automationId, ratePerMinute } = ofOne[0]!;
    if (ratePerMinute === null) {
      allowed.push(...ofOne);
      continue;
    }
    const { rows } = await sql<{ room: number }>`
      with room as (
        select team_id, id, case when rate_minute = date_trunc('minute', now()) then rate_used else 0 end as used
        from automations where team_id = ${teamId} and id = ${automationId} for update
      )
      update automations a set rate_minute = date_trunc('minute', now()),
        rate_used = least(room.used + ${ofOne.length}, ${ratePerMinute})
      from room where a.team_id = room.team_id and a.id = room.id
      returning least(${ofOne.length}, ${ratePerMinute} - room.used) as room
    `.execute(trx);
    allowed.push(...ofOne.slice(0, Math.max(0, rows[0]?.room ?? 0)));
  }
  return allowed;
}

async function storeAdvanced(trx: Db, advanced: Advanced[]): Promise<void> {
  const runs = advanced.map(({ run }) => ({
    teamId: run.teamId,
    id: run.id,
    step: run.step,
    visit: run.visit,
    enteredAt: run.enteredAt,
    dueAt: run.dueAt,
    waitingFor: run.waitingFor,
    heldBy: run.heldBy,
    attempts: run.attempts,
    stepsDone: run.stepsDone,
    memory: run.memory,
  }));
  await statement(trx)`
    update automation_runs r set step = n.step, visit = n.visit, entered_at = n."enteredAt", due_at = n."dueAt",
      waiting_for = n."waitingFor", held_by = n."heldBy", attempts = n.attempts, steps_done = n."stepsDone",
      memory = n.memory
    from json_to_recordset(${toJson(runs)}::json) as n ("teamId" integer, id uuid, step text, visit integer,
      "enteredAt" timestamptz, "dueAt" timestamptz, "waitingFor" text, "heldBy" text, attempts smallint,
      "stepsDone" integer, memory jsonb)
    where r.team_id = n."teamId" and r.id = n.id and r.status = 'ACTIVE'`;
  const done = advanced.flatMap((each) => each.done);
  if (done.length > 0)
    await statement(trx)`
      insert into automation_run_steps (team_id, run_id, no, step, type, version, result, email_id)
      select "teamId", "runId", no, step, type, version, result, "emailId"
      from json_to_recordset(${toJson(done)}::json) as d ("teamId" integer, "runId" uuid, no integer, step text,
        type text, version integer, result text, "emailId" uuid)`;
  await countRuns(
    trx,
    advanced.flatMap((each) => each.counted),
  );
  await endRuns(
    trx,
    advanced.flatMap(({ ended }) => ended ?? []),
  );
  await noteHeld(trx, advanced);
  for (const { run, webhook } of advanced)
    if (webhook)
      await enqueue(trx, 'call-automation-webhook', { teamId: run.teamId, runId: run.id, ...webhook });
}

/** Returns whether the run sent an email. */
async function runOne(tools: EngineTools, { teamId, id }: { teamId: number; id: string }): Promise<boolean> {
  try {
    return await inTransaction(tools.db, async (trx) => {
      const { rows } = await sql<DueRun>`
        select ${RUN_COLUMNS}, null::integer as "ratePerMinute" from automation_runs r
        where r.team_id = ${teamId} and r.id = ${id} and r.status = 'ACTIVE' and r.due_at <= now()
        for update of r skip locked
      `.execute(trx);
      return (await moveRuns(trx, rows, tools)).hasSent;
    });
  } catch (error) {
    await retryLater(tools, { teamId, id }, error);
    return false;
  }
}

/** How long until a run is due, at most `longestMs`. */
export async function untilNextRun(db: Db, longestMs: number): Promise<number> {
  const { rows } = await sql<{ ms: number | null }>`
    select extract(epoch from min(d.due_at) - clock_timestamp())::float8 * 1000 as ms
    from automations a cross join lateral (
      select due_at from automation_runs r
      where r.team_id = a.team_id and r.automation_id = a.id and r.status = 'ACTIVE' order by r.due_at limit 1
    ) d
    where a.deleted_at is null and a.status in ('ACTIVE', 'CLOSED')
  `.execute(db);
  const ms = rows[0]?.ms ?? null;
  return ms === null ? longestMs : Math.max(0, Math.min(longestMs, ms));
}
