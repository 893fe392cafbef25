/**
 * A regular expression as a position automaton (Glushkov), with one state for each position that reads a character.
 * Every way to match is a separate path, so a backtracking matcher retries exactly where the automaton is ambiguous.
 */
import { RegExpParser, type AST } from '@eslint-community/regexpp';

export interface Automaton {
  /** For each state, the numbers of the characters that it reads. State 0 is before the first character. */
  reads: Set<number>[];
  /** For each state, the states that may follow. */
  next: number[][];
  /** For each state and character, those of the next states that read the character. */
  following: number[][][];
  /** States that can end a match, whatever follows. */
  accepts: Set<number>;
  /** Pairs of states with more than one path between them. */
  doubled: [number, number][];
  /** One character of each class that the expression distinguishes. */
  alphabet: string[];
}

/** More repetitions than this count as unlimited: a match with 2,000 steps per start is too slow too. */
const COUNTED_REPEATS = 10;

interface Piece {
  first: number[];
  /** `true` if a match can end here only when an assertion holds. */
  last: Map<number, boolean>;
  /** Whether it can match the empty text; `conditional` if only when an assertion holds. */
  empty: 'never' | 'always' | 'conditional';
}

const NOTHING: Piece = { first: [], last: new Map(), empty: 'always' };
const ASSERTION: Piece = { first: [], last: new Map(), empty: 'conditional' };

export function buildAutomaton(source: string, flags: string): Automaton {
  const pattern = new RegExpParser({ ecmaVersion: 2025 }).parsePattern(source, undefined, undefined, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  });
  const leaves: (AST.Character | AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass)[] = [];
  const next: Map<number, number>[] = [new Map()];

  function link(from: Iterable<number>, to: number[]): void {
    for (const state of from)
      for (const target of to) next[state]!.set(target, (next[state]!.get(target) ?? 0) + 1);
  }

  function readCharacter(leaf: (typeof leaves)[number]): Piece {
    leaves.push(leaf);
    next.push(new Map());
    return { first: [leaves.length], last: new Map([[leaves.length, false]]), empty: 'never' };
  }

  function inOrder(left: Piece, right: Piece): Piece {
    link(left.last.keys(), right.first);
    const last = new Map(right.last);
    if (right.empty !== 'never')
      for (const [state, isConditional] of left.last)
        last.set(state, isConditional || right.empty === 'conditional');
    const empty =
      left.empty === 'never' || right.empty === 'never'
        ? 'never'
        : left.empty === 'always' && right.empty === 'always'
          ? 'always'
          : 'conditional';
    return { first: left.empty === 'never' ? left.first : [...left.first, ...right.first], last, empty };
  }

  function repeat({ min, max, element }: AST.Quantifier): Piece {
    if (max === 0) return NOTHING;
    const isEndless = max > COUNTED_REPEATS;
    const copies = isEndless ? Math.max(1, Math.min(min, 2)) : max;
    let whole = NOTHING;
    for (let copy = 1; copy <= copies; copy++) {
      const piece = read(element);
      if (isEndless && copy === copies) link(piece.last.keys(), piece.first);
      whole = inOrder(whole, copy > min ? optional(piece) : piece);
    }
    return whole;
  }

  /** The text of a lookahead is read again by the following pieces, so the lookahead is a path without an end. */
  function lookAhead(alternatives: AST.Alternative[]): Piece {
    const { first } = readAlternatives(alternatives);
    return { first, last: new Map(), empty: 'conditional' };
  }

  function read(element: AST.Element | AST.QuantifiableElement): Piece {
    switch (element.type) {
      case 'Character':
      case 'CharacterSet':
      case 'CharacterClass':
      case 'ExpressionCharacterClass':
        return readCharacter(element);
      case 'Group':
      case 'CapturingGroup':
        return readAlternatives(element.alternatives);
      case 'Quantifier':
        return repeat(element);
      case 'Assertion':
        if (element.kind === 'lookahead') return lookAhead(element.alternatives);
        if (element.kind === 'lookbehind' && /[*+]|,\}/.test(element.raw))
          throw new Error('it holds a repetition in a lookbehind');
        return ASSERTION;
      default:
        throw new Error(`it holds a ${element.type.toLowerCase()}`);
    }
  }

  function readAlternatives(alternatives: AST.Alternative[]): Piece {
    return either(alternatives.map(({ elements }) => elements.map(read).reduce(inOrder, NOTHING)));
  }

  const starts = pattern.alternatives.map((alternative) => ({
    isAnchored: isAnchored(alternative),
    piece: readAlternatives([alternative]),
  }));
  // State 0 reads the text before a match; another state reads the line break before a line.
  const lineBreak = leaves.length + 1;
  next.push(new Map());
  link([0], [0, lineBreak]);
  for (const { isAnchored, piece } of starts) {
    const isAtStart = isAnchored || flags.includes('y');
    if (!isAtStart) link([0], piece.first);
    if (isAtStart && flags.includes('m')) link([lineBreak], piece.first);
  }
  const whole = either(starts.map(({ piece }) => piece));
  const entry = next.push(new Map()) - 1;
  link([entry], whole.first);

  const { alphabet, reads } = readAlphabet(leaves, flags);
  const every = new Set(alphabet.keys());
  const readsOfState = [
    every,
    ...reads,
    new Set([...every].filter((at) => alphabet[at] === '\n')),
    new Set<number>(),
  ];
  const nextStates = next.map((targets) => [...targets.keys()]);
  const accepts = [...whole.last].filter(([, isConditional]) => !isConditional).map(([state]) => state);
  return {
    alphabet,
    reads: readsOfState,
    next: nextStates,
    following: nextStates.map((targets) =>
      [...every].map((character) => targets.filter((target) => readsOfState[target]!.has(character))),
    ),
    accepts: new Set(accepts),
    doubled: next.flatMap((targets, from) =>
      [...targets].filter(([, ways]) => ways > 1).map(([to]): [number, number] => [from, to]),
    ),
  };
}

function either(pieces: Piece[]): Piece {
  const last = new Map(pieces.flatMap((piece) => [...piece.last]));
  const empties = pieces.map(({ empty }) => empty);
  const empty = empties.includes('always')
    ? 'always'
    : empties.includes('conditional')
      ? 'conditional'
      : 'never';
  return { first: pieces.flatMap(({ first }) => first), last, empty };
}

function optional(piece: Piece): Piece {
  return { ...piece, empty: 'always' };
}

function isAnchored({ elements: [first] }: AST.Alternative): boolean {
  if (first?.type === 'Assertion') return first.kind === 'start';
  return (
    (first?.type === 'Group' || first?.type === 'CapturingGroup') && first.alternatives.every(isAnchored)
  );
}

const SAMPLES = [...Array(128).keys()].map((code) => String.fromCharCode(code));
SAMPLES.push(
  'é',
  'ß',
  'İ',
  'ſ',
  '\u00a0',
  '\u200b',
  '\u2028',
  '\ufeff',
  '漢',
  'あ',
  'ก',
  'א',
  '́',
  '²',
  '\ufffd',
  '😀',
);

/** Characters that no position of the expression distinguishes are represented by one of them. */
function readAlphabet(
  leaves: { raw: string; type: string }[],
  flags: string,
): { alphabet: string[]; reads: Set<number>[] } {
  const plainFlags = flags.replaceAll(/[gymd]/g, '');
  const tests = leaves.map(({ raw }) => new RegExp(`^(?:${raw})$`, plainFlags));
  const named = leaves.flatMap(({ raw }) => [...raw]);
  const classes = new Map<string, string>();
  for (const character of new Set([...SAMPLES, ...named])) {
    const signature = `${character === '\n'} ${tests.map((test) => Number(test.test(character))).join('')}`;
    if (!classes.has(signature)) classes.set(signature, character);
  }
  const alphabet = [...classes.values()];
  const reads = tests.map((test) => new Set([...alphabet.keys()].filter((at) => test.test(alphabet[at]!))));
  return { alphabet, reads };
}
