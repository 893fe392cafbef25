/**
 * The steps of an automation as they are drawn: a column of steps, whose branches stand side by side and join again
 * below. Nothing about the drawing is stored. `layout` makes it from the steps, and `flatten` makes steps of it again.
 *
 * A step that several lanes lead to is drawn once: below the branch where these lanes part, or in the first lane that
 * comes to it, and the others say where they go.
 */
import type { AutomationDefinition } from '../../../../src/features/automations/definition/automations.schema.ts';
import { nextStep, waysOf } from '../../../../src/features/automations/definition/ways.ts';

export type Step = AutomationDefinition['steps'][number];
export type StepType = Step['type'];
export type StepOf<Type extends StepType> = Extract<Step, { type: Type }>;

export interface Tree {
  main: Lane;
  /** Goals that no step leads to, each with what follows it. */
  goals: Lane[];
}

export interface Lane {
  nodes: StepNode[];
  end: LaneEnd;
}

export type LaneEnd =
  /** The run ends. */
  | { kind: 'end' }
  /** The run continues below the branch that the lane is a part of. */
  | { kind: 'join' }
  /** The run continues at a step that is drawn elsewhere. */
  | { kind: 'to'; key: string };

export interface StepNode {
  step: Step;
  /** Empty for a step with one way out. */
  ways: Way[];
}

export interface Way {
  name: string;
  lane: Lane;
}

/** The names of the ways out of a step that branches. */
export function branchesOf(step: Step): string[] {
  return waysOf(step).filter((way) => way !== '');
}

export function layout(steps: readonly Step[]): Tree {
  const layers = new Layers(steps);
  const main = layers.layLane(steps[0]?.key ?? null, []);
  const goals = steps.flatMap(({ key, type }) =>
    type === 'goal' && !layers.placed.has(key) ? [layers.layLane(key, [])] : [],
  );
  return { main, goals };
}

class Layers {
  readonly placed = new Set<string>();
  readonly #steps: readonly Step[];
  readonly #byKey: ReadonlyMap<string, Step>;

  constructor(steps: readonly Step[]) {
    this.#steps = steps;
    this.#byKey = new Map(steps.map((step) => [step.key, step]));
  }

  /** `joins` has the steps below the branches around the lane, the innermost last. */
  layLane(start: string | null, joins: readonly string[]): Lane {
    const nodes: StepNode[] = [];
    let at = start;
    while (at !== null) {
      if (at === joins.at(-1)) return { nodes, end: { kind: 'join' } };
      const step = this.#byKey.get(at);
      if (!step || this.placed.has(at) || joins.includes(at)) return { nodes, end: { kind: 'to', key: at } };
      this.placed.add(at);
      const names = branchesOf(step);
      if (names.length === 0) {
        nodes.push({ step, ways: [] });
        at = this.#next(step, '');
        continue;
      }
      const starts = names.map((name) => this.#next(step, name));
      const join = this.#findJoin(starts, joins);
      const inner = join === null || join === joins.at(-1) ? joins : [...joins, join];
      // Without a join, nothing is below the branch, so its lanes cannot continue there.
      const around = join === null ? [...joins, ''] : inner;
      const ways = names.map((name, index) => ({ name, lane: this.layLane(starts[index]!, around) }));
      nodes.push({ step, ways });
      at = join;
    }
    return { nodes, end: { kind: 'end' } };
  }

  #next(step: Step, way: string): string | null {
    return nextStep(this.#steps, step, way);
  }

  /** Returns the first step that all lanes come to. Lanes in which the run ends do not count. */
  #findJoin(starts: readonly (string | null)[], joins: readonly string[]): string | null {
    const reached = starts
      .map((start) => this.#reach(start, joins))
      .filter((keys) => keys.some((key) => this.#byKey.get(key)?.type !== 'exit'));
    const [first, ...others] = reached;
    if (!first) return null;
    const outer = joins.at(-1);
    if (others.length === 0) return outer !== undefined && first.includes(outer) ? outer : first[0]!;
    return first.find((key) => others.every((keys) => keys.includes(key))) ?? null;
  }

  /** The steps that one comes to from here, nearest first, without those that are drawn already. */
  #reach(start: string | null, joins: readonly string[]): string[] {
    const reached = new Set<string>();
    const open = start === null ? [] : [start];
    for (let key = open.shift(); key !== undefined; key = open.shift()) {
      const step = this.#byKey.get(key);
      if (!step || reached.has(key) || this.placed.has(key)) continue;
      if (joins.includes(key) && key !== joins.at(-1)) continue;
      reached.add(key);
      if (key === joins.at(-1)) continue;
      open.push(...waysOf(step).flatMap((way) => this.#next(step, way) ?? []));
    }
    return [...reached];
  }
}

/** Steps in the order of the drawing, each before those that follow it. `next` is left out where it says nothing new. */
export function flatten({ main, goals }: Tree): Step[] {
  const steps: Step[] = [];
  for (const lane of [main, ...goals]) writeLane(lane, null, steps);
  return steps.map((step, index) => {
    if (step.type === 'exit' || branchesOf(step).length > 0) return step;
    const { next, ...rest } = step as StepOf<'delay'>;
    return (next ?? null) === (steps[index + 1]?.key ?? null) ? rest : { ...rest, next: next ?? null };
  });
}

function writeLane({ nodes, end }: Lane, follow: string | null, steps: Step[]): void {
  const last = endOf(end, follow);
  for (const [index, { step, ways }] of nodes.entries()) {
    const after = nodes[index + 1]?.step.key ?? last;
    if (step.type === 'exit') steps.push(step);
    else if (ways.length === 0) steps.push({ ...step, next: after } as Step);
    else {
      const next = Object.fromEntries(ways.map(({ name, lane }) => [name, startOf(lane, after)]));
      steps.push({ ...step, next } as Step);
      for (const { lane } of ways) writeLane(lane, after, steps);
    }
  }
}

function startOf({ nodes, end }: Lane, follow: string | null): string | null {
  return nodes[0]?.step.key ?? endOf(end, follow);
}

function endOf(end: LaneEnd, follow: string | null): string | null {
  if (end.kind === 'end') return null;
  return end.kind === 'to' ? end.key : follow;
}

/** All lanes, those around before those inside. */
export function lanesOf({ main, goals }: Tree): Lane[] {
  const inside = (lane: Lane): Lane[] => [
    lane,
    ...lane.nodes.flatMap(({ ways }) => ways.flatMap((way) => inside(way.lane))),
  ];
  return [main, ...goals].flatMap(inside);
}

export function keysIn(lane: Lane): string[] {
  return lane.nodes.flatMap(({ step, ways }) => [step.key, ...ways.flatMap((way) => keysIn(way.lane))]);
}
