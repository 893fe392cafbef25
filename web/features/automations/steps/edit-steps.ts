/**
 * Changes of the steps. Each returns new steps, or null if something would be left that nothing leads to. None changes
 * what it is given.
 */
import { nextStep, waysOf } from '../../../../src/features/automations/definition/ways.ts';
import {
  branchesOf,
  flatten,
  keysIn,
  lanesOf,
  layout,
  type Lane,
  type LaneEnd,
  type Step,
  type StepNode,
  type Tree,
} from './tree.ts';

/** Where a step is added: before all others, below a step, or at the beginning of a way out of a step. */
export type Place = { at: 'start' } | { at: 'below'; key: string } | { at: 'way'; key: string; way: string };

type Steps = readonly Step[];

export function insertStep(steps: Steps, place: Place, step: Step): Step[] | null {
  const tree = layout(steps);
  const { lane, index } = findPlace(tree, place);
  // What is added below a branch at whose end every run ends is for those runs.
  const above = lane.nodes[index - 1];
  if (index === lane.nodes.length && above && above.ways.length > 0 && !continues(above)) openEnds(above);
  lane.nodes.splice(index, 0, toNode(step));
  return finish(tree);
}

export function removeStep(steps: Steps, key: string): Step[] | null {
  const tree = layout(steps);
  const { lane, index } = find(tree, key);
  const removed = new Set(keysIn({ nodes: [lane.nodes[index]!], end: lane.end }));
  lane.nodes.splice(index, 1);
  // What follows a goal that nothing leads to goes with it.
  if (index === 0 && tree.goals.includes(lane)) {
    for (const gone of keysIn(lane)) removed.add(gone);
    tree.goals = tree.goals.filter((goal) => goal !== lane);
  }
  const after = lane.nodes[index]?.step.key;
  for (const each of lanesOf(tree)) {
    if (each.end.kind !== 'to' || !removed.has(each.end.key)) continue;
    each.end = each.end.key === key && after !== undefined ? { kind: 'to', key: after } : { kind: 'end' };
  }
  return finish(tree);
}

/** Changes what a step does. The ways out that it still has keep their steps. */
export function replaceStep(steps: Steps, step: Step): Step[] | null {
  const tree = layout(steps);
  const { lane, index } = find(tree, step.key);
  const before = lane.nodes[index]!;
  lane.nodes[index] = {
    step,
    ways: toNode(step).ways.map((way) => before.ways.find(({ name }) => name === way.name) ?? way),
  };
  const left = new Set(lanesOf(tree).flatMap((each) => each.nodes.map((node) => node.step.key)));
  for (const each of lanesOf(tree))
    if (each.end.kind === 'to' && !left.has(each.end.key)) each.end = { kind: 'end' };
  return finish(tree);
}

/** Moves a step, with its branches, before the one above it or after the one below it. */
export function moveStep(steps: Steps, key: string, by: -1 | 1): Step[] | null {
  const tree = layout(steps);
  const { lane, index } = find(tree, key);
  const to = index + by;
  const other = lane.nodes[to];
  const isGoal = tree.goals.includes(lane) && Math.min(index, to) === 0;
  if (!other || isGoal || other.step.type === 'exit' || lane.nodes[index]!.step.type === 'exit') return null;
  lane.nodes.splice(to, 0, ...lane.nodes.splice(index, 1));
  return finish(tree);
}

/** Changes where a way out of a step leads when its own steps are done. */
export function endWay(
  steps: Steps,
  { key, way }: { key: string; way: string },
  end: LaneEnd,
): Step[] | null {
  const tree = layout(steps);
  findPlace(tree, { at: 'way', key, way }).lane.end = end;
  return finish(tree);
}

/** Changes where the column that a step is the last of leads. */
export function endColumn(steps: Steps, key: string, end: LaneEnd): Step[] | null {
  const tree = layout(steps);
  find(tree, key).lane.end = end;
  return finish(tree);
}

/** A key that no other step has, named after the type. */
export function newKey(steps: Steps, type: string): string {
  const taken = new Set(steps.map(({ key }) => key));
  let no = 1;
  while (taken.has(no === 1 ? type : `${type}-${no}`)) no += 1;
  return no === 1 ? type : `${type}-${no}`;
}

function toNode(step: Step): StepNode {
  return {
    step,
    ways: branchesOf(step).map((name) => ({ name, lane: { nodes: [], end: { kind: 'join' } } })),
  };
}

function finish(tree: Tree): Step[] | null {
  const steps = flatten(tree);
  return isReached(steps) ? steps : null;
}

/** The server rejects a step that nothing leads to. */
function isReached(steps: readonly Step[]): boolean {
  const reached = new Set<Step>();
  const open = steps.filter((step, index) => index === 0 || step.type === 'goal');
  for (let step = open.pop(); step; step = open.pop()) {
    if (reached.has(step)) continue;
    reached.add(step);
    for (const way of waysOf(step)) {
      const key = nextStep(steps, step, way);
      const next = steps.find((each) => each.key === key);
      if (next) open.push(next);
    }
  }
  return reached.size === steps.length;
}

function find(tree: Tree, key: string): { lane: Lane; index: number } {
  for (const lane of lanesOf(tree)) {
    const index = lane.nodes.findIndex(({ step }) => step.key === key);
    if (index !== -1) return { lane, index };
  }
  throw new Error(`There is no step ${key}.`);
}

function findPlace(tree: Tree, place: Place): { lane: Lane; index: number } {
  if (place.at === 'start') return { lane: tree.main, index: 0 };
  const { lane, index } = find(tree, place.key);
  if (place.at === 'below') return { lane, index: index + 1 };
  return { lane: lane.nodes[index]!.ways.find(({ name }) => name === place.way)!.lane, index: 0 };
}

/** Whether a run may come to what is below the branch. */
export function continues({ ways }: StepNode): boolean {
  return ways.some(({ lane }) => lane.end.kind === 'join');
}

function openEnds({ ways }: StepNode): void {
  for (const { lane } of ways) {
    if (lane.end.kind !== 'end') continue;
    const last = lane.nodes.at(-1);
    if (last?.step.type === 'exit') continue;
    lane.end = { kind: 'join' };
    if (last && last.ways.length > 0) openEnds(last);
  }
}
