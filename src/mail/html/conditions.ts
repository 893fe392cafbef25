/**
 * The conditions of `{% if %}`, `{% elsif %}` and `{% unless %}`: values and texts in quotes, numbers, true, false and
 * nil, compared with == != < > contains, and joined with `and` and `or`. As in Liquid, these are evaluated from right to
 * left and have the same precedence.
 * - A value that is missing, empty or false does not hold by itself. A missing value is equal to nil and to "".
 * - A number also equals a text with the same number, because imports and forms store texts.
 */

import { containsText } from '../../platform/find-text.ts';

/** Returns the value of a name, or null. */
export type ReadValue = (name: string) => unknown;
/** Counts work, and throws when it is too much. */
export type SpendSteps = (steps: number) => void;

/** Comparing this many characters takes about as long as anything else that counts as a step. */
export const CHARACTERS_OF_STEP = 64;

type Operand = { name: string } | { literal: string | number | boolean | null };

interface Comparison {
  left: Operand;
  /** Null for a value alone. */
  operator: Operator | null;
  right: Operand;
  /** How the comparison is joined with the ones after it. */
  joint: 'and' | 'or' | null;
}

export interface TagCondition {
  comparisons: Comparison[];
  /** The names of the values that it reads. */
  names: string[];
}

type Operator = '==' | '!=' | '<' | '>' | 'contains';

const OPERATORS: ReadonlySet<string> = new Set(['==', '!=', '<', '>', 'contains']);
const LITERALS = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['nil', null],
]);
const WORDS: ReadonlySet<string> = new Set(['and', 'or', 'contains']);
const TOKEN =
  /\s*(?:"([^"]*)"|'([^']*)'|(-?\d{1,15}(?:\.\d{1,15})?)(?![\w.])|([A-Za-z_][\w.-]{0,63})(?![\w.-])|([=!<>]{1,2}))/y;
const MAX_COMPARISONS = 200;
const NOTHING: Operand = { literal: null };

interface Token {
  operand: Operand | null;
  /** An operator or a joint. */
  word: string | null;
}

/** Returns a sentence without a full stop when the text is not a condition. */
export function parseCondition(text: string): TagCondition | string {
  const tokens = readTokens(text);
  if (typeof tokens === 'string') return tokens;
  if (tokens.length === 0) return 'a condition is missing';
  const comparisons: Comparison[] = [];
  let at = 0;
  for (;;) {
    const left = tokens[at++]?.operand;
    if (!left) return 'a value is missing in the condition';
    const operator = tokens[at]?.word ?? null;
    const isCompared = operator !== null && OPERATORS.has(operator);
    const right = isCompared ? tokens[at + 1]?.operand : NOTHING;
    if (!right) return `a value is missing after ${operator}`;
    if (isCompared) at += 2;
    const joint = tokens[at++];
    if (joint && joint.word !== 'and' && joint.word !== 'or')
      return 'conditions are joined with and or or, and compared with ==, !=, <, > or contains';
    comparisons.push({
      left,
      operator: isCompared ? (operator as Operator) : null,
      right,
      joint: (joint?.word as 'and' | 'or' | undefined) ?? null,
    });
    if (comparisons.length > MAX_COMPARISONS) return `a condition has at most ${MAX_COMPARISONS} comparisons`;
    if (!joint) return { comparisons, names: namesOf(comparisons) };
  }
}

function readTokens(text: string): Token[] | string {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match) return `“${text.slice(from, from + 20).trim()}” cannot be read`;
    const [, double, single, number, name, sign] = match;
    const quoted = double ?? single;
    if (sign !== undefined && !OPERATORS.has(sign)) return `${sign} is not one of ==, !=, < and >`;
    if (quoted !== undefined) tokens.push({ operand: { literal: quoted }, word: null });
    else if (number !== undefined) tokens.push({ operand: { literal: Number(number) }, word: null });
    else if (sign !== undefined || WORDS.has(name!)) tokens.push({ operand: null, word: sign ?? name! });
    else tokens.push({ operand: readName(name!), word: null });
  }
  return tokens;
}

function readName(name: string): Operand {
  const literal = LITERALS.get(name);
  return literal === undefined ? { name } : { literal };
}

function namesOf(comparisons: Comparison[]): string[] {
  const names = comparisons.flatMap(({ left, right }) =>
    [left, right].flatMap((operand) => ('name' in operand ? [operand.name] : [])),
  );
  return [...new Set(names)];
}

export function holds({ comparisons }: TagCondition, read: ReadValue, spend: SpendSteps): boolean {
  let result = false;
  for (const comparison of comparisons.toReversed()) {
    if (comparison.joint === 'and' && !result) continue;
    if (comparison.joint === 'or' && result) continue;
    result = compare(comparison, read, spend);
  }
  return result;
}

function compare({ left, operator, right }: Comparison, read: ReadValue, spend: SpendSteps): boolean {
  const one = valueOf(left, read);
  spend(1 + stepsOf(one));
  if (operator === null) return isPresent(one);
  const other = valueOf(right, read);
  spend(stepsOf(other) * (Array.isArray(one) ? one.length : 1));
  switch (operator) {
    case '==':
      return isSame(one, other);
    case '!=':
      return !isSame(one, other);
    case '<':
      return isLess(one, other);
    case '>':
      return isLess(other, one);
    case 'contains':
      return contains(one, other);
  }
}

function stepsOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'string' ? Math.ceil(value.length / CHARACTERS_OF_STEP) : 0;
}

/** Empty texts count as missing, as they do for merge tags. */
function valueOf(operand: Operand, read: ReadValue): unknown {
  const value = 'name' in operand ? read(operand.name) : operand.literal;
  return value === undefined || value === '' ? null : value;
}

function isPresent(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== null && value !== false;
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === null || other === null) return one === other;
  if (typeof one === 'number' || typeof other === 'number') {
    const [a, b] = [toNumber(one), toNumber(other)];
    return a !== null && a === b;
  }
  const [a, b] = [toPlain(one), toPlain(other)];
  return a !== null && a === b;
}

/** Texts that are not numbers compare by their characters, so dates such as 2026-11-15 compare by time. */
function isLess(one: unknown, other: unknown): boolean {
  const [a, b] = [toNumber(one), toNumber(other)];
  if (a !== null && b !== null) return a < b;
  return typeof one === 'string' && typeof other === 'string' && one < other;
}

function contains(one: unknown, other: unknown): boolean {
  if (other === null) return false;
  if (Array.isArray(one)) return one.some((each) => isSame(each, other));
  const part = toPlain(other);
  return typeof one === 'string' && part !== null && containsText(one, part);
}

/** Null for lists and objects, which equal nothing. */
function toPlain(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

function toNumber(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !/^\s*-?\d{1,15}(?:\.\d{1,15})?\s*$/.test(value)) return null;
  return Number(value);
}
