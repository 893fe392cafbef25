/** The steps of an automation as a graph: which step follows which, and what is wrong with it. */
import { HOUR_MS } from '../../../platform/durations.ts';
import type { AutomationDefinition, Finding, AutomationStep } from './automations.schema.ts';
import { parseDuration } from './duration.ts';
import { nextStep, waysOf } from './ways.ts';

/** A circle must take at least this long, so that a run cannot do much in a short time. */
const SHORTEST_CIRCLE_MS = HOUR_MS;

export function findStep(
  definition: Pick<AutomationDefinition, 'steps'>,
  key: string | null,
): AutomationStep | undefined {
  return definition.steps.find((step) => step.key === key);
}

/** Returns the paths of the fields that name a step, with the keys. */
function namedSteps(step: AutomationStep, at: number): { path: string; key: string }[] {
  if (step.type === 'exit' || !step.next) return [];
  const next: string | Record<string, string | null | undefined> = step.next;
  if (typeof next === 'string') return [{ path: `/steps/${at}/next`, key: next }];
  return Object.entries(next).flatMap(([way, key]) =>
    key ? [{ path: `/steps/${at}/next/${way}`, key }] : [],
  );
}

export function findGraphErrors({ steps }: AutomationDefinition): Finding[] {
  const keys = new Set(steps.map(({ key }) => key));
  const errors: Finding[] = [];
  const report = (path: string, step: AutomationStep, message: string) =>
    errors.push({ path, step: step.key, message });
  for (const [at, step] of steps.entries()) {
    if (steps.findIndex(({ key }) => key === step.key) < at)
      report(`/steps/${at}/key`, step, 'is the key of another step as well');
    for (const { path, key } of namedSteps(step, at))
      if (!keys.has(key)) report(path, step, `names a step that does not exist: ${key}`);
    if (step.type === 'split')
      for (const way of Object.keys(step.next ?? {}))
        if (!Object.hasOwn(step.shares, way))
          report(`/steps/${at}/next/${way}`, step, 'is not one of the shares');
  }
  if (errors.length > 0) return errors;
  const reached = reachable(steps);
  for (const [at, step] of steps.entries())
    if (!reached.has(step.key) && step.type !== 'goal')
      report(`/steps/${at}`, step, 'is a step that nothing leads to');
  const circle = findQuickCircle(steps);
  if (circle) {
    const at = steps.indexOf(circle);
    report(`/steps/${at}/next`, circle, 'closes a circle without a delay or wait of at least an hour');
  }
  return errors;
}

function followers(steps: readonly AutomationStep[], step: AutomationStep): AutomationStep[] {
  return waysOf(step).flatMap((way) => {
    const key = nextStep(steps, step, way);
    return steps.find((each) => each.key === key) ?? [];
  });
}

function reachable(steps: readonly AutomationStep[]): Set<string> {
  const reached = new Set<string>();
  // A goal is reached by its event, from any step.
  const open = steps.filter((step, at) => at === 0 || step.type === 'goal');
  for (let step = open.pop(); step; step = open.pop()) {
    if (reached.has(step.key)) continue;
    reached.add(step.key);
    open.push(...followers(steps, step));
  }
  return reached;
}

/** On a second visit, a wait counts only what happens from then on (decide.ts), so it slows a circle down. */
function isSlow(step: AutomationStep): boolean {
  if (step.type === 'delay') return step.until ? true : parseDuration(step.for!)! >= SHORTEST_CIRCLE_MS;
  return step.type === 'wait' && parseDuration(step.timeout)! >= SHORTEST_CIRCLE_MS;
}

/** Returns a step that leads back to a step before it, if no slow step is between them. */
function findQuickCircle(steps: readonly AutomationStep[]): AutomationStep | null {
  const state = new Map<string, 'open' | 'done'>();
  const visit = (step: AutomationStep): AutomationStep | null => {
    state.set(step.key, 'open');
    for (const next of followers(steps, step)) {
      if (isSlow(next)) continue;
      if (state.get(next.key) === 'open') return step;
      if (state.has(next.key)) continue;
      const found = visit(next);
      if (found) return found;
    }
    state.set(step.key, 'done');
    return null;
  };
  for (const step of steps) {
    if (state.has(step.key) || isSlow(step)) continue;
    const found = visit(step);
    if (found) return found;
  }
  return null;
}
