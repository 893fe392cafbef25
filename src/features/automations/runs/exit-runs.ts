/**
 * Ends runs because of something that has happened, in the transaction that records it. After that no email of the run
 * leaves: the engine locks a run before each step, and the delivery worker asks before each attempt.
 */
import { sql } from 'kysely';
import type { CamelRow } from '../../../platform/database/rows.ts';
import { toJson, type Db } from '../../../platform/database/database.ts';
import type { AutomationDefinition } from '../definition/automations.schema.ts';
import { endRuns, type EndedRun } from './end-runs.ts';
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

/** A run that may end by the event that has this place in the list. */
type ExitableRun = RunRow & { definition: AutomationDefinition; at: number };

export async function exitRunsOfEvents(trx: Db, teamId: number, events: HappenedEvent[]): Promise<void> {
  const ended = new Map<string, EndedRun>();
  for (const run of await lockExitable(trx, teamId, await findPeople(trx, teamId, events))) {
    if (ended.has(run.id)) continue;
    const event = events[run.at]!;
    for (const exit of run.definition.exitOn) {
      if (typeof exit === 'string' || exit.event !== event.name) continue;
      const values = { runId: run.id, event: event.data, outputs: run.memory.outputs ?? {} };
      if (!(await matchesFilter(trx, run, exit.where, values))) continue;
      const { id, automationId, contactId } = run;
      ended.set(id, { teamId, id, automationId, contactId, status: 'EXITED', reason: event.name });
      break;
    }
  }
  await endRuns(trx, [...ended.values()]);
}

/** A person to whom an event has happened. */
interface Affected {
  contactId: string;
  /** The place of the event in the list. */
  at: number;
  name: string;
  read: HappenedEvent['read'] | null;
}

async function findPeople(trx: Db, teamId: number, events: HappenedEvent[]): Promise<Affected[]> {
  const byAddress = await contactsByAddress(
    trx,
    teamId,
    events.flatMap((event) => (isOfAddress(event) ? event.addressKey! : [])),
  );
  return events.flatMap((event, at) => {
    const { name, contactId, addressKey } = event;
    const read = event.read ? { id: event.read.id, at: event.read.at } : null;
    const found = isOfAddress(event) ? byAddress.get(addressKey!) : contactId ? [contactId] : [];
    return (found ?? []).map((each) => ({ contactId: each, at, name, read }));
  });
}

/** An event of an address that names no book happens to the contacts of all books. */
function isOfAddress({ isOfBook, addressKey }: HappenedEvent): boolean {
  return !isOfBook && !!addressKey;
}

export async function contactsOf(trx: Db, teamId: number, event: HappenedEvent): Promise<string[]> {
  return (await findPeople(trx, teamId, [event])).map(({ contactId }) => contactId);
}

async function contactsByAddress(trx: Db, teamId: number, keys: string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  if (keys.length === 0) return found;
  const { rows } = await sql<CamelRow<'contacts', 'id' | 'email_key'>>`
    select c.id, c.email_key as "emailKey" from contact_books b join contacts c on c.team_id = b.team_id
      and c.contact_book_id = b.id and c.email_key = any(${[...new Set(keys)]}::text[])
    where b.team_id = ${teamId}
  `.execute(trx);
  for (const { id, emailKey } of rows) found.set(emailKey, [...(found.get(emailKey) ?? []), id]);
  return found;
}

/** In the order of the events, for each run. */
async function lockExitable(trx: Db, teamId: number, people: Affected[]): Promise<ExitableRun[]> {
  if (people.length === 0) return [];
  const { rows } = await sql<ExitableRun>`
    select ${RUN_COLUMNS}, v.definition, p.at
    from json_to_recordset(${toJson(people)}::json) as p ("contactId" uuid, at integer, name text, read json)
    join automation_runs r on r.team_id = ${teamId} and r.contact_id = p."contactId" and r.status = 'ACTIVE'
    join automation_versions v on v.team_id = r.team_id and v.automation_id = r.automation_id and v.version = r.version
    where v.definition -> 'exitOn' @> jsonb_build_array(jsonb_build_object('event', p.name))
      and (p.read is null or r.started_at <= (p.read ->> 'at')::timestamptz and r.entry_key <> p.read ->> 'id')
    order by r.id, p.at for update of r
  `.execute(trx);
  return rows;
}
