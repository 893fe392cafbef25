/**
 * Ends runs because of something that has happened, in the transaction that records it. After that no email of the run
 * leaves: the engine locks a run before each step, and the delivery worker asks before each attempt.
 */
import { sql } from 'kysely';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { AutomationDefinition } from '../definition/automations.schema.ts';
import { endRuns } from './end-runs.ts';
import { matchesFilter } from './match-filter.ts';
import { RUN_COLUMNS, type RunRow } from './run-row.ts';

export interface HappenedEvent extends CamelRow<
  'custom_events',
  'name' | 'contact_id' | 'address_key' | 'is_of_book'
> {
  data: Record<string, unknown>;
  /** Set for an event that is read later: it ends no run that it has started, or that began after it. */
  read?: { id: string; at: Date };
}

type ExitableRun = RunRow & { definition: AutomationDefinition };

export async function exitRunsOfEvents(trx: Db, teamId: number, events: HappenedEvent[]): Promise<void> {
  for (const event of events) {
    const contactIds = await contactsOf(trx, teamId, event);
    if (contactIds.length === 0) continue;
    const runs = await lockExitable(trx, teamId, contactIds, event);
    const ended = [];
    for (const run of runs) {
      for (const exit of run.definition.exitOn) {
        if (typeof exit === 'string' || exit.event !== event.name) continue;
        const values = { runId: run.id, event: event.data, outputs: run.memory.outputs ?? {} };
        if (!(await matchesFilter(trx, run, exit.where, values))) continue;
        const { id, automationId, contactId } = run;
        ended.push({ teamId, id, automationId, contactId, status: 'EXITED' as const, reason: event.name });
        break;
      }
    }
    await endRuns(trx, ended);
  }
}

export async function contactsOf(trx: Db, teamId: number, event: HappenedEvent): Promise<string[]> {
  if (event.isOfBook || !event.addressKey) return event.contactId ? [event.contactId] : [];
  const { rows } = await sql<Row<'contacts', 'id'>>`
    select c.id from contact_books b join contacts c on c.team_id = b.team_id and c.contact_book_id = b.id
      and c.email_key = ${event.addressKey}
    where b.team_id = ${teamId}
  `.execute(trx);
  return rows.map(({ id }) => id);
}

async function lockExitable(
  trx: Db,
  teamId: number,
  contactIds: string[],
  { name: event, read }: HappenedEvent,
): Promise<ExitableRun[]> {
  const { rows } = await sql<ExitableRun>`
    select ${RUN_COLUMNS}, v.definition
    from automation_runs r join automation_versions v on v.team_id = r.team_id and v.automation_id = r.automation_id
      and v.version = r.version
    where r.team_id = ${teamId} and r.contact_id = any(${contactIds}::uuid[]) and r.status = 'ACTIVE'
      and v.definition -> 'exitOn' @> ${JSON.stringify([{ event }])}::jsonb
      ${read ? sql`and r.started_at <= ${read.at} and r.entry_key <> ${read.id}` : sql``}
    order by r.id for update of r
  `.execute(trx);
  return rows;
}
