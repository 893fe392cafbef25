/** How a run comes to a step that is not the one after its decision: it was skipped, moved, or reached a goal. */
import { sql, type RawBuilder } from 'kysely';

/**
 * What an UPDATE of `automation_runs` sets, except for `due_at`. The run remembers its visit to the step that it leaves,
 * so that an email of a step that it comes to again is another one.
 */
export function enterStep(step: string | null, { keepsHold = false } = {}): RawBuilder<unknown> {
  return sql`
    step = ${step}, visit = 1 + case when ${step}::text = step then visit
      else coalesce((memory -> 'visits' ->> ${step ?? ''})::integer, 0) end,
    entered_at = now(), waiting_for = null, held_by = ${keepsHold ? sql`held_by` : null}, attempts = 0,
    memory = (memory - ${keepsHold ? '' : 'heldUntil'}::text) || jsonb_build_object('visits',
      coalesce(memory -> 'visits', '{}') || jsonb_build_object(step, visit))`;
}
