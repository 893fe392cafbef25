/** Where one goes from a step. The web app uses this too. */
import type { AutomationStep } from './automations.schema.ts';

/** The ways out of a step. The only way of most steps has an empty name. */
export function waysOf(step: AutomationStep): string[] {
  switch (step.type) {
    case 'wait':
      return ['received', 'timeout'];
    case 'condition':
      return ['yes', 'no'];
    case 'split':
      return Object.keys(step.shares);
    case 'webhook':
      return ['ok', 'failed'];
    case 'exit':
      return [];
    default:
      return [''];
  }
}

/** The key of the step after this one. Null ends the run. */
export function nextStep(steps: readonly AutomationStep[], step: AutomationStep, way: string): string | null {
  const following = steps[steps.indexOf(step) + 1]?.key ?? null;
  if (step.type === 'exit') return null;
  const next: string | null | undefined | Record<string, string | null | undefined> = step.next;
  if (next === undefined) return following;
  if (next === null) return waysOf(step)[0] === '' ? null : following;
  if (typeof next === 'string') return next;
  const chosen = next[way];
  return chosen === undefined ? following : chosen;
}
