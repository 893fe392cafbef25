/**
 * Decides whether a backtracking matcher can need more than linear time for an expression (Weber and Seidl 1991,
 * "On the degree of ambiguity of finite automata"). The time is exponential if a state has two different paths back to
 * itself that read the same text. It is polynomial if a text that leads from state p back to p also leads from p to q
 * and from q back to q. The search for the start of a match is included, as a state that reads the text before it.
 */
import { buildAutomaton, type Automaton } from './pattern-automaton.ts';

export interface SlowInput {
  growth: 'polynomial' | 'exponential';
  /** A match becomes slow if this text is repeated. */
  pump: string;
}

export function findSlowInput(source: string, flags: string): SlowInput | null {
  const automaton = buildAutomaton(source, flags);
  const loops = findLoops(automaton);
  const prefixes = findPrefixes(automaton);
  return findExponential(automaton, loops, prefixes) ?? findPolynomial(automaton, loops, prefixes);
}

/** The states that a matcher can be in without having found a match, and the texts that lead there. */
type Prefixes = Map<number, Set<number>>;

function findPrefixes(automaton: Automaton): Prefixes {
  const start = [0, automaton.next.length - 1];
  const prefixes: Prefixes = new Map();
  walk(
    [{ state: start, text: [] as number[] }],
    ({ state }) => state.join(' '),
    ({ state, text }) => {
      for (const one of state) if (!prefixes.has(one)) prefixes.set(one, new Set(state));
      return steps(automaton, state).map(([character, to]) => ({ state: to, text: [...text, character] }));
    },
  );
  return prefixes;
}

/** Returns the next states of a set of states for each character. A step that finds a match has none. */
function steps(automaton: Automaton, from: number[]): [number, number[]][] {
  return [...automaton.alphabet.keys()].flatMap((character): [number, number[]][] => {
    const to = stepAll(automaton, from, character);
    return to.length === 0 || to.some((state) => automaton.accepts.has(state)) ? [] : [[character, to]];
  });
}

function stepAll(automaton: Automaton, from: Iterable<number>, character: number): number[] {
  const to = new Set<number>();
  for (const state of from) for (const target of follow(automaton, state, character)) to.add(target);
  return [...to].toSorted((a, b) => a - b);
}

function follow({ following }: Automaton, state: number, character: number): number[] {
  return following[state]![character]!;
}

/** Returns the states of the loop of each state that leads back to itself. */
function findLoops({ next }: Automaton): Map<number, Set<number>> {
  const reached = next.map((targets) => {
    const seen = new Set<number>();
    walk(targets, String, (state) => (seen.add(state), next[state]!));
    return seen;
  });
  const loops = new Map<number, Set<number>>();
  for (const [state, reach] of reached.entries())
    if (reach.has(state)) loops.set(state, new Set([...reach].filter((other) => reached[other]!.has(state))));
  return loops;
}

function findExponential(
  automaton: Automaton,
  loops: Map<number, Set<number>>,
  prefixes: Prefixes,
): SlowInput | null {
  for (const [from, to] of automaton.doubled)
    if (loops.get(from)?.has(to) && prefixes.has(from))
      return { growth: 'exponential', pump: automaton.alphabet[[...automaton.reads[to]!][0]!]! };
  for (const [start, loop] of loops) {
    if (!prefixes.has(start)) continue;
    const pump = findPump(
      automaton,
      prefixes.get(start)!,
      [start, start, 0],
      [start, start, 1],
      ([a, b, apart], at) =>
        follow(automaton, a, at)
          .filter((state) => loop.has(state))
          .flatMap((x) =>
            follow(automaton, b, at)
              .filter((state) => loop.has(state))
              .map((y): Triple => [x, y, apart === 1 || x !== y ? 1 : 0]),
          ),
    );
    if (pump !== null) return { growth: 'exponential', pump };
  }
  return null;
}

function findPolynomial(
  automaton: Automaton,
  loops: Map<number, Set<number>>,
  prefixes: Prefixes,
): SlowInput | null {
  for (const [p, loopOfP] of loops) {
    if (!prefixes.has(p)) continue;
    for (const [q, loopOfQ] of loops) {
      if (p === q) continue;
      const pump = findPump(automaton, prefixes.get(p)!, [p, p, q], [p, q, q], ([a, b, c], at) => {
        const firsts = follow(automaton, a, at).filter((state) => loopOfP.has(state));
        const lasts = follow(automaton, c, at).filter((state) => loopOfQ.has(state));
        if (firsts.length === 0 || lasts.length === 0) return [];
        return firsts.flatMap((x) =>
          follow(automaton, b, at).flatMap((y) => lasts.map((z): Triple => [x, y, z])),
        );
      });
      if (pump !== null) return { growth: 'polynomial', pump };
    }
  }
  return null;
}

type Triple = [number, number, number];
interface Search {
  triple: Triple;
  /** Every state that the matcher can be in at this point. */
  all: number[];
  text: string;
}

/** Returns the shortest text from one triple to the other that finds no match, however often it is repeated. */
function findPump(
  automaton: Automaton,
  before: Set<number>,
  from: Triple,
  to: Triple,
  move: (triple: Triple, character: number) => Triple[],
): string | null {
  if (!isReachable(automaton, from, to, move)) return null;
  let pump: string | null = null;
  walk(
    [{ triple: from, all: [...before], text: '' }],
    ({ triple, all, text }: Search) => (text === '' ? '' : `${triple.join(' ')},${all.join(' ')}`),
    ({ triple, all, text }: Search): Search[] => {
      if (pump !== null) return [];
      if (text !== '' && triple.every((state, at) => state === to[at]) && isEndless(automaton, all, text)) {
        pump = text;
        return [];
      }
      return steps(automaton, all).flatMap(([character, reached]) =>
        move(triple, character).map((triple) => ({
          triple,
          all: reached,
          text: text + automaton.alphabet[character]!,
        })),
      );
    },
  );
  return pump;
}

/** Whether any text leads from one triple to the other, even one that finds a match. This takes much less work. */
function isReachable(
  { alphabet }: Automaton,
  from: Triple,
  to: Triple,
  move: (triple: Triple, character: number) => Triple[],
): boolean {
  let found = false;
  walk([from], String, (triple) => {
    if (found) return [];
    const reached = [...alphabet.keys()].flatMap((character) => move(triple, character));
    found = reached.some((next) => next.every((state, at) => state === to[at]));
    return reached;
  });
  return found;
}

function isEndless(automaton: Automaton, all: number[], text: string): boolean {
  let states = all;
  for (const character of [...text, ...text]) {
    states = stepAll(automaton, states, automaton.alphabet.indexOf(character));
    if (states.length === 0 || states.some((state) => automaton.accepts.has(state))) return false;
  }
  return true;
}

/** Breadth-first search that visits each item once. Gives up if there are too many items. */
function walk<Item>(
  start: Item[],
  name: (item: Item) => string,
  expand: (item: Item) => Iterable<Item>,
): void {
  const seen = new Set<string>();
  const waiting = [...start];
  for (let at = 0; at < waiting.length; at++) {
    for (const item of expand(waiting[at]!)) {
      const key = name(item);
      if (seen.has(key)) continue;
      seen.add(key);
      waiting.push(item);
    }
    if (waiting.length > 200_000) throw new Error('The expression is too large to be judged.');
  }
}
