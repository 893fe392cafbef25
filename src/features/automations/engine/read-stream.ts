/**
 * The automations' reader of the event stream. Each event starts runs, wakes runs that wait for it, and moves runs to
 * goals. One process reads at a time: it locks the position, and stores the new one in the transaction that acts on the
 * events. So every event is acted on once, whatever fails.
 *
 * All teams share the stream. So a batch ends after two seconds, and an event that cannot be acted on is logged and
 * skipped, unless the database itself is the reason.
 */
import { sql } from 'kysely';
import { inTransaction, statement, type Db } from '../../../platform/database/database.ts';
import { isStatementTimeout, isTeamClosed, toAppError } from '../../../platform/database/database-errors.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log.ts';
import { findEnd, readEvents, type StreamPosition } from '../../events/read-events.ts';
import type { AutomationDefinition, StepOfType } from '../definition/automations.schema.ts';
import { countRuns } from '../runs/count-runs.ts';
import { enterStep } from '../runs/enter-step.ts';
import { contactsOf, exitRunsOfEvents } from '../runs/exit-runs.ts';
import { matchesFilter, matchingContacts } from '../runs/match-filter.ts';
import { RUN_COLUMNS, type RunRow } from '../runs/run-row.ts';
import { startRuns, type LiveAutomation } from '../runs/start-runs.ts';
import { takesPeople } from '../runs/takes-people.ts';
import { toStreamEvents, type StreamEvent } from './stream-events.ts';

const READER = 'automations';
const BATCH = 500;
const LONGEST_BATCH_MS = 2_000;

/** Returns how many events were read, or null if another process is reading. */
export async function readStream(db: Db, log: Log): Promise<number | null> {
  try {
    return await readOnce(db, actOn);
  } catch (error) {
    if (isOfDatabase(error)) throw error;
    return readOnce(db, (trx, event, concerned) => actOrSkip(trx, event, concerned, log));
  }
}

async function readOnce(db: Db, act: typeof actOn): Promise<number | null> {
  return inTransaction(db, async (trx) => {
    const { rows } = await sql<{ xid: string | null; id: Row<'stream_readers'>['event_id'] }>`
      select xid::text, event_id as id from stream_readers where name = ${READER} for update skip locked
    `.execute(trx);
    if (!rows[0]) return (await addReader(trx)) ? 0 : null;
    const after = rows[0].xid === null ? await findEnd(trx) : { xid: rows[0].xid, id: rows[0].id };
    const recorded = await readEvents(trx, { after, limit: BATCH });
    if (recorded.length === 0 && rows[0].xid !== null) return 0;
    const unread = await actOnAll(trx, await toStreamEvents(trx, recorded), act);
    await storePosition(trx, unread ?? recorded.at(-1)?.position ?? after);
    return recorded.length;
  });
}

/** Returns the position of the last event that was acted on if there was no time for the rest. */
async function actOnAll(
  trx: Db,
  events: StreamEvent[],
  act: typeof actOn,
): Promise<StreamPosition | undefined> {
  if (events.length === 0) return undefined;
  const concerned = { automations: await findTriggered(trx, events), heard: await findHeard(trx, events) };
  const endsAt = performance.now() + LONGEST_BATCH_MS;
  for (const [at, event] of events.entries()) {
    if (at > 0 && performance.now() > endsAt) return events[at - 1]!.position;
    await act(trx, event, concerned);
  }
  return undefined;
}

/** True if the event is not the reason: the database is away or busy, or has another schema. */
function isOfDatabase(error: unknown): boolean {
  if (isStatementTimeout(error) || isTeamClosed(error)) return false;
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return toAppError(error).code === 'UNAVAILABLE' || (typeof code === 'string' && code.startsWith('42'));
}

async function actOrSkip(trx: Db, event: StreamEvent, concerned: Concerned, log: Log): Promise<void> {
  await sql`savepoint before_event`.execute(trx);
  try {
    await actOn(trx, event, concerned);
    await sql`release savepoint before_event`.execute(trx);
  } catch (error) {
    if (isOfDatabase(error)) throw error;
    await sql`rollback to savepoint before_event`.execute(trx);
    const { teamId, name, id } = event;
    log.error(
      { err: error, teamId, event: name, eventId: encodeId('evt', id) },
      'automations: an event was skipped, because it cannot be acted on',
    );
  }
}

/** A restored database may lack the reader. It begins at the end. */
async function addReader(trx: Db): Promise<boolean> {
  const end = await findEnd(trx);
  const { numAffectedRows = 0n } = await sql`
    insert into stream_readers (name, xid, event_id) values (${READER}, ${end.xid}::xid8, ${end.id}) on conflict do nothing
  `.execute(trx);
  return numAffectedRows > 0n;
}

async function storePosition(trx: Db, { xid, id }: StreamPosition): Promise<void> {
  await statement(trx)`
    update stream_readers set xid = ${xid}::text::xid8, event_id = ${id}::uuid where name = ${READER}`;
}

type TriggeredAutomation = LiveAutomation & { event: string; openedXid: string | null };

/** Who may have to do with the events of a batch. */
interface Concerned {
  /** Those that some of the events start. */
  automations: TriggeredAutomation[];
  /** Team and name of each event that some run may hear. */
  heard: Set<string>;
}

async function actOn(trx: Db, event: StreamEvent, { automations, heard }: Concerned): Promise<void> {
  const own = automations.filter((automation) => isStartedBy(automation, event));
  const isHeard = heard.has(`${event.teamId} ${event.name}`);
  if (own.length === 0 && !isHeard) return;
  const contactIds =
    event.contactIds.length > 0 ? event.contactIds : await contactsOf(trx, event.teamId, event);
  if (contactIds.length === 0) return;
  if (own.length > 0 && (await mayStart(trx, event)))
    for (const automation of own) await startFor(trx, automation, event, contactIds);
  if (isHeard) await tellRuns(trx, event, contactIds);
}

/** The reader may lag behind: what happened before the activation starts nothing. */
function isStartedBy({ teamId, event: name, openedXid }: TriggeredAutomation, event: StreamEvent): boolean {
  if (teamId !== event.teamId || name !== event.name) return false;
  return openedXid === null || BigInt(event.position.xid) > BigInt(openedXid);
}

async function findTriggered(trx: Db, events: StreamEvent[]): Promise<TriggeredAutomation[]> {
  const { rows } = await sql<TriggeredAutomation>`
    select a.team_id as "teamId", a.id, a.contact_book_id as "contactBookId", a.version, v.definition,
      v.definition -> 'trigger' ->> 'event' as event, a.opened_xid::text as "openedXid"
    from automations a join automation_versions v on v.team_id = a.team_id and v.automation_id = a.id
      and v.version = a.version
    where a.team_id = any(${[...new Set(events.map(({ teamId }) => teamId))]}::integer[]) and a.deleted_at is null
      and ${takesPeople('a')}
      and v.definition -> 'trigger' ->> 'event' = any(${[...new Set(events.map(({ name }) => name))]}::text[])
    order by a.id
  `.execute(trx);
  return rows;
}

function keysOf({ teamId, name }: StreamEvent): string[] {
  return [name, SHORT_NAMES.get(name) ?? name].map((each) => `${teamId} ${each}`);
}

/** Most events concern no run, so the names are compared before anybody's runs are read. */
async function findHeard(trx: Db, events: StreamEvent[]): Promise<Set<string>> {
  const { rows } = await sql<{ key: string }>`
    select distinct concat(v.team_id, ' ', name) as key
    from automation_versions v cross join jsonb_array_elements_text(v.listens_to) as name
    where v.team_id = any(${[...new Set(events.map(({ teamId }) => teamId))]}::integer[])
  `.execute(trx);
  const asked = new Set(rows.map(({ key }) => key));
  return new Set(
    events
      .filter((event) => keysOf(event).some((key) => asked.has(key)))
      .map(({ teamId, name }) => `${teamId} ${name}`),
  );
}

async function startFor(
  trx: Db,
  automation: TriggeredAutomation,
  event: StreamEvent,
  contactIds: string[],
): Promise<void> {
  const { trigger } = automation.definition;
  const filter = trigger && 'event' in trigger ? trigger.where : null;
  const values = { runId: null, event: event.data, outputs: {} };
  const matching = await matchingContacts(trx, automation, contactIds, filter, values);
  const cause = { id: event.isCustom ? event.id : null, name: event.name, data: event.data };
  await startRuns(
    trx,
    automation,
    matching.map((contactId) => ({ contactId, entryKey: event.id, event: cause, at: event.at })),
  );
}

/** Imports start nothing unless they say so. The data of events that applications send is their own. */
async function mayStart(trx: Db, { teamId, data, isCustom }: StreamEvent): Promise<boolean> {
  if (isCustom || typeof data.importId !== 'string') return true;
  const { rows } = await sql`
    select 1 from contact_imports where team_id = ${teamId} and id = ${data.importId}::uuid and triggers_automations
  `.execute(trx);
  return rows.length > 0;
}

type ListeningRun = RunRow & { definition: AutomationDefinition };

/** Wakes the runs of these contacts that wait for the event, and moves those that have it as a goal. */
async function tellRuns(trx: Db, event: StreamEvent, contactIds: string[]): Promise<void> {
  const { rows } = await sql<ListeningRun>`
    select ${RUN_COLUMNS}, v.definition
    from automation_runs r join automation_versions v on v.team_id = r.team_id and v.automation_id = r.automation_id
      and v.version = r.version
    where r.team_id = ${event.teamId} and r.contact_id = any(${contactIds}::uuid[]) and r.status = 'ACTIVE'
      and r.started_at <= ${event.at} and r.entry_key <> ${event.id}
    order by r.id for update of r
  `.execute(trx);
  for (const run of rows) {
    if (await jumpToGoal(trx, run, event)) continue;
    if (!event.isCustom) await hear(trx, run, event);
    await wake(trx, run, event);
  }
  if (!event.isCustom)
    for (const contactId of contactIds)
      await exitRunsOfEvents(trx, event.teamId, [{ ...event, contactId, isOfBook: true, read: event }]);
}

/** A goal that lies behind the run is not a goal any more. */
async function jumpToGoal(trx: Db, run: ListeningRun, event: StreamEvent): Promise<boolean> {
  if (run.step === null) return false;
  const { steps } = run.definition;
  const from = steps.findIndex(({ key }) => key === run.step);
  for (const [at, step] of steps.entries()) {
    if (step.type !== 'goal' || step.event !== event.name || at <= from) continue;
    const values = { runId: run.id, event: event.data, outputs: run.memory.outputs ?? {} };
    if (!(await matchesFilter(trx, run, step.where, values))) continue;
    await sql`
      update automation_runs set ${enterStep(step.key)}, due_at = now()
      where team_id = ${run.teamId} and id = ${run.id}
    `.execute(trx);
    const { teamId, automationId } = run;
    await countRuns(trx, [{ teamId, automationId, step: step.key, name: 'entered' }]);
    return true;
  }
  return false;
}

/**
 * Remembers that the run has heard of the event: by its name, and for waits with a filter that it matches, by the key of
 * the step.
 */
async function hear(trx: Db, run: ListeningRun, { name, at, data }: StreamEvent): Promise<void> {
  const names = [name, SHORT_NAMES.get(name)];
  const waits = run.definition.steps.filter(
    (step): step is StepOfType<'wait'> => step.type === 'wait' && names.includes(step.event),
  );
  if (waits.length === 0 || !(await isOfRun(trx, run, data))) return;
  const values = { runId: run.id, event: data, outputs: run.memory.outputs ?? {} };
  const heard = new Set<string>();
  for (const step of waits) {
    if (!step.where) heard.add(step.event);
    else if (await matchesFilter(trx, run, step.where, values)) heard.add(step.key);
  }
  if (heard.size === 0) return;
  const memory: Row<'automation_runs'>['memory'] = { ...run.memory.heard };
  for (const key of heard) memory[key] = at.toISOString();
  await statement(trx)`
    update automation_runs set memory = memory || jsonb_build_object('heard', ${JSON.stringify(memory)}::jsonb)
    where team_id = ${run.teamId} and id = ${run.id}`;
}

/** Events of emails belong to the emails of the run. */
async function isOfRun(trx: Db, { teamId, id }: RunRow, { emailId }: StreamEvent['data']): Promise<boolean> {
  if (typeof emailId !== 'string') return true;
  const { rows } = await sql`
    select 1 from automation_emails
    where team_id = ${teamId} and run_id = ${id} and email_id = ${decodeId('eml', emailId)}
  `.execute(trx);
  return rows.length > 0;
}

/** The names of waits that our own events end. */
const SHORT_NAMES = new Map([
  ['email.clicked', 'clicked'],
  ['email.opened', 'opened'],
]);

async function wake(trx: Db, run: ListeningRun, { name }: StreamEvent): Promise<void> {
  if (run.waitingFor === null) return;
  if (run.waitingFor !== name && run.waitingFor !== SHORT_NAMES.get(name)) return;
  await statement(trx)`
    update automation_runs set due_at = now() where team_id = ${run.teamId} and id = ${run.id}`;
}
