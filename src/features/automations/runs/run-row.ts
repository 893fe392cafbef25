/** A row of `automation_runs` as the engine reads it. */
import { sql } from 'kysely';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { encodeId } from '../../../platform/ids.ts';

interface RunMemory {
  /** How often the run has come to a step, by its key. */
  visits?: Record<string, number>;
  /** The responses of webhooks, by the key of the step. */
  outputs?: Record<string, unknown>;
  /** The outcomes of webhooks, by the key of the step and the visit. */
  calls?: Record<string, 'under way' | 'ok' | 'failed'>;
  /** When the run last heard of our own events, by their name, or by the key of the wait whose filter they matched. */
  heard?: Record<string, string>;
  /** Until when an automatic reply holds the run. */
  heldUntil?: string;
}

export interface TriggerEvent {
  id: string | null;
  name: string;
  data: Record<string, unknown>;
}

export type RunRow = Omit<
  CamelRow<
    'automation_runs',
    | 'team_id'
    | 'id'
    | 'automation_id'
    | 'version'
    | 'contact_book_id'
    | 'contact_id'
    | 'status'
    | 'step'
    | 'visit'
    | 'entered_at'
    | 'due_at'
    | 'waiting_for'
    | 'held_by'
    | 'attempts'
    | 'steps_done'
    | 'started_at'
  >,
  never
> & { memory: RunMemory; event: TriggerEvent | null };

export const RUN_COLUMNS = sql.raw(
  `r.team_id as "teamId", r.id, r.automation_id as "automationId", r.version, r.contact_book_id as "contactBookId",
   r.contact_id as "contactId", r.status, r.step, r.visit, r.entered_at as "enteredAt", r.due_at as "dueAt",
   r.waiting_for as "waitingFor", r.held_by as "heldBy", r.attempts, r.steps_done as "stepsDone",
   r.started_at as "startedAt", r.memory, r.event`,
);

export type RunStatus = Row<'automation_runs'>['status'];

/** The IDs that every event of a run shows. */
export function shownIds({ id, automationId, contactId }: Pick<RunRow, 'id' | 'automationId' | 'contactId'>) {
  return {
    runId: encodeId('run', id),
    automationId: encodeId('aut', automationId),
    contactId: encodeId('con', contactId),
  };
}

/** As the API and webhooks show it. */
export function presentEvent({ id, name, data }: TriggerEvent): TriggerEvent {
  return { id: id && encodeId('evt', id), name, data };
}
