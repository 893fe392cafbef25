/** Where the arrow keys lead from a step. The trigger is above the first step and has no key. */
import type { Lane, StepNode, Tree } from './tree.ts';

export const TRIGGER = '';
export type Direction = 'up' | 'down' | 'left' | 'right';

interface Spot {
  lane: Lane;
  index: number;
  /** The branches around it, the innermost last. */
  around: { node: StepNode; way: number; lane: Lane; index: number }[];
}

export function neighbour(tree: Tree, key: string, direction: Direction): string | null {
  if (key === TRIGGER) return direction === 'down' ? (tree.main.nodes[0]?.step.key ?? null) : null;
  const spot = [tree.main, ...tree.goals].map((lane) => findSpot(lane, key, [])).find(Boolean);
  if (!spot) return null;
  if (direction === 'up') return above(tree, spot);
  if (direction === 'down') return below(tree, spot);
  return beside(spot, direction === 'left' ? -1 : 1);
}

function findSpot(lane: Lane, key: string, around: Spot['around']): Spot | null {
  for (const [index, node] of lane.nodes.entries()) {
    if (node.step.key === key) return { lane, index, around };
    for (const [way, each] of node.ways.entries()) {
      const found = findSpot(each.lane, key, [...around, { node, way, lane, index }]);
      if (found) return found;
    }
  }
  return null;
}

function above(tree: Tree, { lane, index, around }: Spot): string | null {
  if (index > 0) return lane.nodes[index - 1]!.step.key;
  if (around.length > 0) return around.at(-1)!.node.step.key;
  const goal = tree.goals.indexOf(lane);
  if (goal === -1) return TRIGGER;
  return (tree.goals[goal - 1] ?? tree.main).nodes.at(-1)?.step.key ?? TRIGGER;
}

function below(tree: Tree, { lane, index, around }: Spot): string | null {
  const inside = lane.nodes[index]!.ways.find((way) => way.lane.nodes.length > 0);
  if (inside) return inside.lane.nodes[0]!.step.key;
  const next = lane.nodes[index + 1];
  if (next) return next.step.key;
  for (const outer of around.toReversed()) {
    const after = outer.lane.nodes[outer.index + 1];
    if (after) return after.step.key;
  }
  const top = around[0]?.lane ?? lane;
  return tree.goals[tree.goals.indexOf(top) + 1]?.nodes[0]?.step.key ?? null;
}

function beside({ around }: Spot, by: -1 | 1): string | null {
  for (const { node, way } of around.toReversed())
    for (let at = way + by; node.ways[at]; at += by) {
      const first = node.ways[at]!.lane.nodes[0];
      if (first) return first.step.key;
    }
  return null;
}
