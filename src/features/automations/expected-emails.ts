/** How many emails a run sends within a time, as far as the definition alone tells. Pure. */
import { endOfQuietHours } from '../../platform/time-of-day.ts';
import type { AutomationDefinition } from './definition/automations.schema.ts';
import { parseDuration } from './definition/duration.ts';
import { findStep } from './definition/graph.ts';
import { nextStep, waysOf } from './definition/ways.ts';
import { endOfDelay } from './engine/decide.ts';

/** A graph may have more ways than anyone can count. */
const MOST_LOOKED_AT = 2_000;

export interface StartedAt {
  key: string;
  /** When the run came to the step. */
  enteredAt: Date;
  /** The step is not done before. */
  notBefore: Date;
}

/**
 * A wait takes the way of its timeout, and a webhook answers at once. Where the contact decides about the way, the one
 * with the most emails counts.
 */
export function expectEmails(definition: AutomationDefinition, start: StartedAt, until: Date): number {
  const known = new Map<string, number>();
  const zone = definition.timezone;
  const from = ({ key, enteredAt, notBefore }: StartedAt): number => {
    const step = findStep(definition, key);
    if (!step || step.type === 'exit') return 0;
    const at = new Date(Math.max(endOf(step, enteredAt), notBefore.getTime()));
    const sentAt =
      step.type === 'email' && step.quietHours ? endOfQuietHours(step.quietHours, at, zone) : null;
    const leftAt = sentAt ?? at;
    const name = `${key} ${leftAt.getTime()}`;
    const earlier = known.get(name);
    if (earlier !== undefined || leftAt > until || known.size >= MOST_LOOKED_AT) return earlier ?? 0;
    // A circle comes here again later, at another time.
    known.set(name, 0);
    const ways = step.type === 'wait' ? ['timeout'] : step.type === 'webhook' ? ['ok'] : waysOf(step);
    const most = Math.max(
      ...ways.map((way) => {
        const next = nextStep(definition.steps, step, way);
        return next === null ? 0 : from({ key: next, enteredAt: leftAt, notBefore: leftAt });
      }),
    );
    const count = (step.type === 'email' ? 1 : 0) + most;
    known.set(name, count);
    return count;
  };
  const endOf = (step: AutomationDefinition['steps'][number], enteredAt: Date): number => {
    if (step.type === 'delay') return endOfDelay(step, enteredAt, zone).getTime();
    return enteredAt.getTime() + (step.type === 'wait' ? parseDuration(step.timeout)! : 0);
  };
  return from(start);
}
