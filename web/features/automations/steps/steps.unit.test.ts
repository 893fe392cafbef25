import { describe, expect, test } from 'vitest';
import { nextStep, waysOf } from '../../../../src/features/automations/definition/ways.ts';
import { isSideBySide, widthOf } from './arrange.ts';
import { endWay, insertStep, moveStep, newKey, removeStep, replaceStep, type Place } from './edit-steps.ts';
import { beginHistory, change, redo, undo } from './history.ts';
import { neighbour } from './neighbours.ts';
import { flatten, lanesOf, layout, type Lane, type Step } from './tree.ts';

const delay = (key: string, next?: string | null): Step => ({
  key,
  type: 'delay',
  for: '1 day',
  ...(next === undefined ? {} : { next }),
});
const condition = (key: string, yes: string | null, no: string | null): Step => ({
  key,
  type: 'condition',
  where: { all: [] },
  next: { yes, no },
});
const exit = (key: string): Step => ({ key, type: 'exit' });
const goal = (key: string, next?: string | null): Step => ({
  key,
  type: 'goal',
  event: 'order.placed',
  ...(next === undefined ? {} : { next }),
});

/** A lane as text: `a, b?(yes: c; no: →d), d`. */
function show({ nodes, end }: Lane): string {
  const shown = nodes.map(({ step, ways }) =>
    ways.length === 0
      ? step.key
      : `${step.key}?(${ways.map(({ name, lane }) => `${name}: ${show(lane)}`).join('; ')})`,
  );
  if (end.kind === 'to') shown.push(`→${end.key}`);
  if (end.kind === 'join') shown.push('↓');
  return shown.join(', ');
}

const drawn = (steps: readonly Step[]) => show(layout(steps).main);

/** What each step leads to, which is all that matters for a run. */
function edgesOf(steps: readonly Step[]): Record<string, (string | null)[]> {
  return Object.fromEntries(
    steps.map((step) => [step.key, waysOf(step).map((way) => nextStep(steps, step, way))]),
  );
}

describe('the drawing', () => {
  test('branches join at the first step that all come to', () => {
    expect(drawn([delay('a'), condition('b', 'c', 'd'), delay('c'), delay('d')])).toBe(
      'a, b?(yes: c, ↓; no: ↓), d',
    );
  });

  test('a way on which the run ends stands beside the column that goes on', () => {
    expect(drawn([condition('b', 'c', null), delay('c')])).toBe('b?(yes: ↓; no: ), c');
    expect(drawn([condition('b', 'c', 'x'), delay('c', null), exit('x')])).toBe('b?(yes: ↓; no: x), c');
  });

  test('branches that never join end on their own', () => {
    expect(drawn([condition('b', 'c', 'd'), delay('c', null), delay('d')])).toBe('b?(yes: c; no: d)');
  });

  test('a branch inside a branch ends at the join of the outer one', () => {
    const steps = [
      condition('a', 'b', 'e'),
      condition('b', 'c', 'd'),
      delay('c', 'f'),
      delay('d', 'f'),
      delay('e', 'f'),
      delay('f'),
    ];
    expect(drawn(steps)).toBe('a?(yes: b?(yes: c, ↓; no: d, ↓), ↓; no: e, ↓), f');
  });

  test('a way back says where it goes, and a goal has a column of its own', () => {
    const { main, goals } = layout([
      delay('a'),
      condition('b', 'a', null),
      goal('g', 'thanks'),
      delay('thanks'),
    ]);
    expect(show(main)).toBe('a, b?(yes: →a; no: )');
    expect(goals.map(show)).toEqual(['g, thanks']);
  });

  test('branches stand side by side where there is room', () => {
    const { main } = layout([
      condition('a', 'b', 'c'),
      condition('b', 'd', 'e'),
      delay('d', null),
      delay('e', null),
      delay('c'),
    ]);
    expect(widthOf(main)).toBe(3);
    expect(isSideBySide(main.nodes[0]!, 3)).toBe(true);
    expect(isSideBySide(main.nodes[0]!, 2)).toBe(false);
    expect(isSideBySide(main.nodes[0]!.ways[0]!.lane.nodes[0]!, 2)).toBe(true);
  });

  test('arrow keys go along the drawing', () => {
    const tree = layout([
      delay('a'),
      condition('b', 'c', 'd'),
      delay('c', 'e'),
      delay('d', 'e'),
      delay('e'),
      goal('g'),
    ]);
    const go = (key: string, ...ways: ('up' | 'down' | 'left' | 'right')[]) =>
      ways.reduce<string | null>((at, way) => (at === null ? null : neighbour(tree, at, way)), key);
    expect([go('', 'down'), go('', 'down', 'down'), go('b', 'down')]).toEqual(['a', 'b', 'c']);
    expect([go('c', 'right'), go('d', 'left'), go('d', 'down'), go('d', 'up')]).toEqual(['d', 'c', 'e', 'b']);
    expect([go('e', 'up'), go('a', 'up'), go('a', 'left'), go('', 'up')]).toEqual(['b', '', null, null]);
  });
});

const split = (shares: Record<string, number>, next?: object) =>
  ({ key: 's', type: 'split', shares, ...(next && { next }) }) as Step;

describe('changes', () => {
  const branch = [delay('a'), condition('b', 'c', 'd'), delay('c'), delay('d')];

  test('a step is added anywhere', () => {
    expect(drawn(insertStep([], { at: 'start' }, delay('n'))!)).toBe('n');
    expect(drawn(insertStep(branch, { at: 'start' }, delay('n'))!)).toBe('n, a, b?(yes: c, ↓; no: ↓), d');
    expect(drawn(insertStep(branch, { at: 'way', key: 'b', way: 'no' }, delay('n'))!)).toBe(
      'a, b?(yes: c, ↓; no: n, ↓), d',
    );
    expect(drawn(insertStep(branch, { at: 'below', key: 'b' }, delay('n'))!)).toBe(
      'a, b?(yes: c, ↓; no: ↓), n, d',
    );
  });

  test('a branch is added in the middle, and both ways go on', () => {
    const added = insertStep(
      [delay('a'), delay('z')],
      { at: 'below', key: 'a' },
      condition('b', null, null),
    )!;
    expect(drawn(added)).toBe('a, b?(yes: ↓; no: ↓), z');
  });

  test('what is added below a branch at whose end runs end is for those runs', () => {
    const ends = [condition('b', 'c', 'x'), delay('c', null), exit('x')];
    const open = insertStep(
      [condition('b', 'c', 'd'), delay('c', null), delay('d')],
      { at: 'below', key: 'b' },
      delay('n'),
    )!;
    expect(drawn(open)).toBe('b?(yes: c, ↓; no: d, ↓), n');
    expect(drawn(insertStep(ends, { at: 'below', key: 'c' }, delay('n'))!)).toBe('b?(yes: ↓; no: x), c, n');
  });

  test('a step is removed with its branches, and what led to it leads on', () => {
    expect(drawn(removeStep(branch, 'c')!)).toBe('a, b?(yes: ↓; no: ↓), d');
    expect(drawn(removeStep(branch, 'b')!)).toBe('a, d');
    const back = [delay('a'), delay('b'), condition('c', 'a', null)];
    expect(drawn(removeStep(back, 'a')!)).toBe('b, c?(yes: →b; no: )');
    expect(removeStep([delay('a', null), goal('g'), delay('z')], 'g')).toEqual([delay('a')]);
  });

  test('a step is not cut off from what follows it', () => {
    expect(insertStep([delay('a'), delay('b')], { at: 'below', key: 'a' }, exit('x'))).toBeNull();
    const steps = [condition('b', 'c', 'x'), delay('c', null), exit('x')];
    expect(endWay(steps, { key: 'b', way: 'yes' }, { kind: 'end' })).toBeNull();
  });

  test('a split that loses a share loses its steps', () => {
    const steps = [split({ a: 1, b: 1 }, { a: 'one', b: 'z' }), delay('one'), delay('z')];
    expect(drawn(replaceStep(steps, split({ b: 1, c: 1 }))!)).toBe('s?(b: ↓; c: ↓), z');
  });

  test('steps change places', () => {
    expect(drawn(moveStep([delay('a'), delay('b'), delay('c')], 'a', 1)!)).toBe('b, a, c');
    expect(moveStep([delay('a'), exit('x')], 'a', 1)).toBeNull();
  });

  test('keys are named after the type', () => {
    expect(newKey([], 'email')).toBe('email');
    expect(newKey([delay('email'), delay('email-2')], 'email')).toBe('email-3');
  });

  test('a change is undone and done again, and typing is one change', () => {
    let history = beginHistory('');
    history = change(history, 'a', { of: 'subject', at: 0 });
    history = change(history, 'ab', { of: 'subject', at: 500 });
    history = change(history, 'ab!', { of: 'text', at: 600 });
    expect([undo(history).now, undo(undo(history)).now, redo(undo(history)).now]).toEqual(['ab', '', 'ab!']);
    expect(undo(beginHistory('x')).now).toBe('x');
  });
});

/** A small generator of numbers, so that a failure can be repeated with its seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function randomStep(steps: readonly Step[], pick: (below: number) => number): Step {
  const type = (['delay', 'condition', 'split', 'exit', 'goal'] as const)[pick(5)]!;
  const key = newKey(steps, type);
  if (type === 'condition') return { key, type, where: { all: [] } };
  if (type === 'split') return { key, type, shares: { a: 1, b: 1, c: 1 } };
  if (type === 'exit') return exit(key);
  return type === 'goal' ? goal(key) : delay(key);
}

function randomChange(steps: Step[], pick: (below: number) => number): Step[] | null {
  const some = steps[pick(Math.max(1, steps.length))];
  if (!some || pick(5) > 1) {
    const names = some ? waysOf(some).filter((way) => way !== '') : [];
    const place: Place =
      !some || pick(6) === 0
        ? { at: 'start' }
        : names.length > 0 && pick(2) === 0
          ? { at: 'way', key: some.key, way: names[pick(names.length)]! }
          : { at: 'below', key: some.key };
    return insertStep(steps, place, randomStep(steps, pick));
  }
  const kind = pick(4);
  if (kind === 0) return removeStep(steps, some.key);
  if (kind === 1) return moveStep(steps, some.key, pick(2) === 0 ? 1 : -1);
  const names = waysOf(some).filter((way) => way !== '');
  if (names.length === 0) return null;
  const to = steps[pick(steps.length)]!.key;
  const end = ([{ kind: 'end' }, { kind: 'join' }, { kind: 'to', key: to }] as const)[pick(3)]!;
  return endWay(steps, { key: some.key, way: names[pick(names.length)]! }, end);
}

test.each(Array.from({ length: 300 }, (_, seed) => seed))(
  'random changes leave steps that are drawn once and mean the same when they are written again (seed %i)',
  (seed) => {
    const pick = numbers(seed);
    let steps: Step[] = [];
    for (let times = 0; times < 40; times++) {
      const changed = randomChange(steps, pick);
      if (!changed || changed.length > 30) continue;
      steps = changed;
      const tree = layout(steps);
      const shown = lanesOf(tree).flatMap(({ nodes }) => nodes.map(({ step }) => step.key));
      expect(shown.toSorted()).toEqual(steps.map(({ key }) => key).toSorted());
      const written = flatten(tree);
      expect(edgesOf(written)).toEqual(edgesOf(steps));
      expect(written[0]?.key).toBe(steps[0]?.key);
    }
  },
);
