/** The states of an automation and its versions: what is live, and what becomes of runs when that changes. */
import { sql } from 'kysely';
import { inTransaction, lockNumber, type Db } from '../../platform/database/database.ts';
import { badRequest, conflict } from '../../platform/errors.ts';
import { encodeId } from '../../platform/ids.ts';
import type { Caller } from '../api/caller.ts';
import type { Facts } from '../instance/facts.ts';
import { recordEvents } from '../events/record-events.ts';
import type { Automation, AutomationDefinition } from './definition/automations.schema.ts';
import { endAllRuns, findAutomation, present, type AutomationRow } from './automations.ts';
import { requireValid } from './definition/check-definition.ts';
import { findEntered } from './engine/look-at-contacts.ts';
import { moveRuns } from './move-runs.ts';
import { takesPeople } from './runs/takes-people.ts';
import { readVersion } from './versions.ts';

type Publisher = Pick<Caller, 'teamId' | 'by'>;
type InstanceFacts = Pick<Facts, 'webhookAllowPrivate'>;

/** Each event starts a run of all of these, and each run keeps the data of its event. */
const MAX_OF_EVENT = 20;
/** These are evaluated every minute. */
const MAX_LOOKING = 50;

/** Makes the automation live. One that is CLOSED takes people again. */
export async function activateAutomation(
  db: Db,
  caller: Publisher,
  facts: InstanceFacts,
  automationId: string,
): Promise<Automation> {
  return inTransaction(db, async (trx) => {
    const row = await findAutomation(trx, caller.teamId, automationId, 'for update');
    if (row.status === 'ACTIVE') return present(row);
    if (row.status === 'PAUSED')
      throw conflict('Only a DRAFT or CLOSED automation can be activated. Resume this one.');
    if (row.status === 'DRAFT') {
      await requireValid(trx, facts, caller.teamId, row);
      await makeLive(trx, caller, row);
    } else {
      await requireFewLive(trx, row);
      await openFromHere(trx, row, (await readVersion(trx, row, row.version)).trigger);
    }
    return setStatus(trx, row, 'ACTIVE');
  });
}

export async function pauseAutomation(db: Db, teamId: number, automationId: string): Promise<Automation> {
  return inTransaction(db, async (trx) => {
    const row = await findAutomation(trx, teamId, automationId, 'for update');
    if (row.status === 'PAUSED') return present(row);
    if (row.status === 'DRAFT') throw conflict('Only a live automation can be paused. This one is DRAFT.');
    await sql`
      update automations set paused_at = now(), resumes_as = ${row.status}
      where team_id = ${teamId} and id = ${row.id}
    `.execute(trx);
    await recordChange(trx, row, 'automation.paused');
    return setStatus(trx, row, 'PAUSED');
  });
}

/** As ACTIVE or CLOSED, as before. `shift` gives waiting runs the time that was left when the automation was paused. */
export async function resumeAutomation(
  db: Db,
  teamId: number,
  automationId: string,
  overdue: 'shift' | 'now',
): Promise<Automation> {
  return inTransaction(db, async (trx) => {
    const row = await findAutomation(trx, teamId, automationId, 'for update');
    if (row.status !== 'PAUSED')
      throw conflict(`Only a PAUSED automation can be resumed. This automation is ${row.status}.`);
    if (overdue === 'shift')
      await sql`
        update automation_runs r set due_at = r.due_at + (now() - greatest(a.paused_at, r.started_at)),
          entered_at = r.entered_at + (now() - greatest(a.paused_at, r.started_at))
        from automations a
        where a.team_id = ${teamId} and a.id = ${row.id} and r.team_id = a.team_id and r.automation_id = a.id
          and r.status = 'ACTIVE' and r.due_at > greatest(a.paused_at, r.started_at)
      `.execute(trx);
    return setStatus(trx, row, row.resumesAs);
  });
}

export async function closeAutomation(db: Db, teamId: number, automationId: string): Promise<Automation> {
  return inTransaction(db, async (trx) => {
    const row = await findAutomation(trx, teamId, automationId, 'for update');
    if (row.status === 'DRAFT') throw conflict('Only a live automation can be closed. This one is DRAFT.');
    return setStatus(trx, row, 'CLOSED');
  });
}

async function setStatus(trx: Db, row: AutomationRow, status: AutomationRow['status']): Promise<Automation> {
  await sql`
    update automations set status = ${status}, updated_at = now(),
      paused_at = case when ${status} = 'PAUSED' then paused_at end
    where team_id = ${row.teamId} and id = ${row.id}
  `.execute(trx);
  return present(await findAutomation(trx, row.teamId, encodeId('aut', row.id)));
}

async function requireFewLive(trx: Db, { teamId, id, definition }: AutomationRow): Promise<void> {
  const { trigger } = definition;
  if (!trigger) return;
  await sql`select pg_advisory_xact_lock(${lockNumber(`live automations ${teamId}`)}::bigint)`.execute(trx);
  const event = eventOf(trigger);
  const { rows } = await sql<{ live: number }>`
    select count(*)::integer as live
    from automations a join automation_versions v on v.team_id = a.team_id and v.automation_id = a.id
      and v.version = a.version
    where a.team_id = ${teamId} and a.id <> ${id} and a.deleted_at is null and ${takesPeople('a')}
      and case when ${event}::text is null then a.looks_each_minute
        else v.definition -> 'trigger' ->> 'event' = ${event} end
  `.execute(trx);
  const { live } = rows[0]!;
  if (event !== null && live >= MAX_OF_EVENT)
    throw badRequest(`At most ${MAX_OF_EVENT} live automations can start with ${event}. Close one first.`);
  if (event === null && live >= MAX_LOOKING)
    throw badRequest(
      `At most ${MAX_LOOKING} live automations can start with a segment or a date. Close one first.`,
    );
}

async function makeLive(trx: Db, { by }: Publisher, row: AutomationRow): Promise<number> {
  const { teamId, id, version, definition } = row;
  await requireFewLive(trx, row);
  const before = version === 0 ? null : (await readVersion(trx, row, version)).trigger;
  const next = version + 1;
  await sql`
    insert into automation_versions (team_id, automation_id, version, definition, created_by)
    values (${teamId}, ${id}, ${next}, ${JSON.stringify(definition)}::jsonb, ${by})
  `.execute(trx);
  const looks = definition.trigger !== null && !('event' in definition.trigger);
  await sql`
    update automations set version = ${next}, has_draft = false, looks_each_minute = ${looks}, updated_at = now()
    where team_id = ${teamId} and id = ${id}
  `.execute(trx);
  await sql`delete from automation_members where team_id = ${teamId} and automation_id = ${id}`.execute(trx);
  // Events that were sent before a new version still start runs, if it starts with the same event.
  const event = eventOf(definition.trigger);
  if (event === null || event !== eventOf(before)) await openFromHere(trx, row, definition.trigger);
  await recordChange(trx, { teamId, id, version: next }, 'automation.published');
  return next;
}

function eventOf(trigger: AutomationDefinition['trigger']): string | null {
  return trigger && 'event' in trigger ? trigger.event : null;
}

/** What happened before this transaction starts no run: events, dates, and contacts that match the segment already. */
async function openFromHere(
  trx: Db,
  { teamId, id, contactBookId }: AutomationRow,
  trigger: AutomationDefinition['trigger'],
): Promise<void> {
  await sql`
    update automations set opened_xid = pg_current_xact_id(), looked_at = now()
    where team_id = ${teamId} and id = ${id}
  `.execute(trx);
  if (trigger && 'segmentId' in trigger)
    await findEntered(trx, { teamId, id, contactBookId }, trigger.segmentId);
}

async function recordChange(
  trx: Db,
  { teamId, id, version }: Pick<AutomationRow, 'teamId' | 'id' | 'version'>,
  type: 'automation.published' | 'automation.paused',
): Promise<void> {
  const notice = { automationId: encodeId('aut', id), version };
  await recordEvents(trx, teamId, [{ type, subjectId: id, notice }]);
}

/** Makes the draft live. Runs under way finish on their version, move to the new one by their step, or end. */
export async function publishAutomation(
  db: Db,
  caller: Publisher,
  facts: InstanceFacts,
  automationId: string,
  runs: 'finish' | 'move' | 'end',
): Promise<Automation> {
  return inTransaction(db, async (trx) => {
    const row = await findAutomation(trx, caller.teamId, automationId, 'for update');
    if (row.status === 'DRAFT') throw conflict('Only a live automation can be published. Activate this one.');
    if (!row.hasDraft) throw conflict('There are no changes to publish.');
    await requireValid(trx, facts, caller.teamId, row);
    const version = await makeLive(trx, caller, row);
    if (runs === 'end') await endAllRuns(trx, row, { status: 'EXITED', reason: 'replaced' });
    if (runs === 'move') await moveRuns(trx, row, version);
    return present(await findAutomation(trx, caller.teamId, automationId));
  });
}

/** Makes an old version the draft. */
export async function restoreAutomationVersion(
  db: Db,
  teamId: number,
  automationId: string,
  version: number,
): Promise<Automation> {
  return inTransaction(db, async (trx) => {
    const row = await findAutomation(trx, teamId, automationId, 'for update');
    const definition = await readVersion(trx, row, version);
    await sql`
      update automations set definition = ${JSON.stringify(definition)}::jsonb, has_draft = ${row.status !== 'DRAFT'},
        updated_at = now()
      where team_id = ${teamId} and id = ${row.id}
    `.execute(trx);
    return present(await findAutomation(trx, teamId, automationId));
  });
}
