/**
 * Finds many keys in a text, in time that grows only with their lengths. At each position the longest key counts, and
 * the search continues after it.
 *
 * It is the algorithm of Aho and Corasick on the reversed text with the reversed keys: in each state, the longest key
 * that has just been read backwards is the longest one that begins at this position.
 */
import type { SlottedText } from './slotted-text.ts';

interface Automaton {
  /** The next state, by state * 65536 + character. State 0 is the start. */
  next: Map<number, number>;
  /** The state for the longest shorter ending, by state. */
  shorter: number[];
  /** The number of the longest key that ends in the state, or -1. */
  keyAt: number[];
}

const CHARACTERS = 65_536;

/** Splits the text at its keys. `write` gives the text of a slot from its value. Empty keys are ignored. */
export function splitAtKeys(
  text: string,
  keys: string[],
  write: (value: string | null) => string,
): SlottedText {
  const found = findKeys(text, keys);
  const starts = [...found.keys()];
  const slots = starts.map((start, no) => {
    const name = found.get(start)!;
    return { name, write, after: text.slice(start + name.length, starts[no + 1]) };
  });
  return { before: text.slice(0, starts[0]), slots };
}

/** Returns the keys by their positions, in order. */
function findKeys(text: string, keys: string[]): Map<number, string> {
  const found = new Map<number, string>();
  const longest = findLongest(text, build(keys));
  for (let at = 0; at < text.length;) {
    const key = keys[longest[at]!];
    if (key === undefined) at += 1;
    else {
      found.set(at, key);
      at += key.length;
    }
  }
  return found;
}

/** Returns the number of the longest key that begins at each position, or -1. */
function findLongest(text: string, { next, shorter, keyAt }: Automaton): Int32Array {
  const longest = new Int32Array(text.length);
  let state = 0;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    const character = text.charCodeAt(at);
    let to = next.get(state * CHARACTERS + character);
    while (to === undefined && state !== 0) {
      state = shorter[state]!;
      to = next.get(state * CHARACTERS + character);
    }
    state = to ?? 0;
    longest[at] = keyAt[state]!;
  }
  return longest;
}

function build(keys: string[]): Automaton {
  const next = new Map<number, number>();
  const keyAt = [-1];
  const parents = [0];
  const characters = [0];
  const depths = [0];
  for (const [no, key] of keys.entries()) {
    if (key === '') continue;
    let state = 0;
    for (let at = key.length - 1; at >= 0; at -= 1) {
      const character = key.charCodeAt(at);
      let to = next.get(state * CHARACTERS + character);
      if (to === undefined) {
        to = keyAt.length;
        next.set(state * CHARACTERS + character, to);
        keyAt.push(-1);
        parents.push(state);
        characters.push(character);
        depths.push(depths[state]! + 1);
      }
      state = to;
    }
    keyAt[state] = no;
  }
  const shorter = keyAt.map(() => 0);
  // Shorter states come first, because a state needs those of its parent.
  const byDepth = keyAt.map((_, state) => state).toSorted((one, other) => depths[one]! - depths[other]!);
  for (const state of byDepth) {
    if (depths[state]! > 1) shorter[state] = findShorter(state);
    if (keyAt[state] === -1) keyAt[state] = keyAt[shorter[state]!]!;
  }
  return { next, shorter, keyAt };

  function findShorter(state: number): number {
    for (let from = parents[state]!; from !== 0;) {
      from = shorter[from]!;
      const to = next.get(from * CHARACTERS + characters[state]!);
      if (to !== undefined) return to;
    }
    return 0;
  }
}
