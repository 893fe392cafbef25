/** Starts runs of contacts, as the re-entry rule of the automation allows. The only place that does so. */
import { sql } from 'kysely';
import { lockNumber, toJson, type Db } from '../../../platform/database/database.ts';
import { newUuid } from '../../../platform/ids.ts';
import { recordEvents } from '../../events/record-events.ts';
import type { AutomationDefinition } from '../definition/automations.schema.ts';
import { countRuns } from './count-runs.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import { shownIds, type TriggerEvent } from './run-row.ts';

/** A contact starts an automation at most this often in an hour, so that automations that start each other end. */
const MOST_AN_HOUR = 60;
/** The events that applications send have IDs. A loop of these goes through the application. */
const MOST_AN_HOUR_SENT = 10_000;

export interface StartedBy {
  contactId: string;
  /** The same key starts one run of a contact. */
  entryKey: string;
  event: TriggerEvent | null;
  /** When the cause happened. */
  at: Date;
  /** When the first step is due, if it is not now. */
  dueAt?: Date;
}

export interface LiveAutomation extends CamelRow<
  'automations',
  'team_id' | 'id' | 'contact_book_id' | 'version'
> {
  definition: AutomationDefinition;
}

type Refused = 'not_in_book' | 'reentry' | 'repeated' | 'too_often';

export interface StartResult {
  runIds: string[];
  refused: Partial<Record<Refused, number>>;
}

/** The causes must have distinct contacts, unless the automation may be entered several times. */
export async function startRuns(
  trx: Db,
  automation: LiveAutomation,
  causes: StartedBy[],
): Promise<StartResult> {
  const { teamId, id, contactBookId, version, definition } = automation;
  if (causes.length === 0) return { runIds: [], refused: {} };
  // Concurrent starts of one automation wait for each other, so that the re-entry rule holds.
  await sql`select pg_advisory_xact_lock(${lockNumber(`automation ${id}`)}::bigint)`.execute(trx);
  const rows = causes.map((cause) => ({ ...cause, id: newUuid(), at: cause.at.toISOString() }));
  const first = definition.steps[0]?.key ?? null;
  const { rows: outcomes } = await sql<
    CamelRow<'automation_runs', 'id' | 'contact_id'> & { refusal: Refused | null }
  >`
    with cause as (
      select c.*, case when event ->> 'id' is null then ${MOST_AN_HOUR}::integer else ${MOST_AN_HOUR_SENT}::integer end as most
      from json_to_recordset(${toJson(rows)}::json)
        as c (id uuid, "contactId" uuid, "entryKey" text, event jsonb, at timestamptz, "dueAt" timestamptz)
    ), judged as materialized (
      select cause.*, c.email_key, case
        when c.id is null then 'not_in_book'
        when exists (
          select from automation_runs r where r.team_id = ${teamId} and r.automation_id = ${id}
            and r.contact_id = cause."contactId" and r.entry_key = cause."entryKey"
        ) then 'repeated'
        when ${definition.reentry} <> 'always' and (exists (
          select from automation_runs r where r.team_id = ${teamId} and r.automation_id = ${id}
            and r.contact_id = cause."contactId" and (${definition.reentry} = 'once' or r.status = 'ACTIVE')
        ) or row_number() over (partition by cause."contactId" order by cause.id) > 1) then 'reentry'
        when (
          select count(*) from (
            select from automation_runs r where r.team_id = ${teamId} and r.automation_id = ${id}
              and r.contact_id = cause."contactId" and r.started_at > now() - interval '1 hour' limit cause.most
          ) recent
        ) >= cause.most then 'too_often'
      end as refusal
      from cause left join contacts c on c.team_id = ${teamId} and c.contact_book_id = ${contactBookId}
        and c.id = cause."contactId"
    ), started as (
      insert into automation_runs (team_id, id, automation_id, version, contact_book_id, contact_id, address_key, step,
        entered_at, due_at, event, entry_key, exits_on_reply, exits_on_unsubscribe, started_at)
      select ${teamId}, id, ${id}, ${version}, ${contactBookId}, "contactId", email_key, ${first},
        greatest(coalesce("dueAt", at), at), greatest(coalesce("dueAt", now()), now()), event, "entryKey",
        ${definition.exitOn.includes('replied')}, ${definition.exitOn.includes('unsubscribed')}, at
      from judged where refusal is null order by id
      on conflict do nothing
      returning id
    )
    select judged.id, "contactId", case
      when refusal is null and judged.id not in (select id from started) then 'repeated' else refusal
    end as refusal
    from judged
  `.execute(trx);
  const started = outcomes.filter(({ refusal }) => refusal === null);
  await countRuns(
    trx,
    started.flatMap(() => [
      { teamId, automationId: id, step: '', name: 'started' },
      ...(first === null ? [] : [{ teamId, automationId: id, step: first, name: 'entered' }]),
    ]),
  );
  await recordStarts(trx, automation, started);
  const refused: StartResult['refused'] = {};
  for (const { refusal } of outcomes) if (refusal) refused[refusal] = (refused[refusal] ?? 0) + 1;
  return { runIds: started.map((run) => run.id), refused };
}

async function recordStarts(
  trx: Db,
  { teamId, id: automationId }: LiveAutomation,
  started: { id: string; contactId: string }[],
): Promise<void> {
  await recordEvents(
    trx,
    teamId,
    started.map(({ id, contactId }) => ({
      type: 'automation.run.started' as const,
      subjectId: automationId,
      contactIds: [contactId],
      notice: shownIds({ id, automationId, contactId }),
    })),
  );
}
