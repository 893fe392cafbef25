/**
 * Compiles the conditions of rules into functions. They are pure, ignore case, and are tried in the order of their cost,
 * so that a rule about the sender never reads the body.
 */
import type { RuleCondition } from './rules.schema.ts';
import { mayContain, piecesOf } from './text-pieces.ts';
import { containsText } from '../../../platform/find-text.ts';

/** What rules look at. Texts are in lower case. */
export interface MessageFacts {
  /** People as `name <address>` and as `address`. */
  from: string[];
  to: string[];
  cc: string[];
  deliveredTo: string;
  subject: string;
  /** Reads the text, limited to MAX_BODY. */
  body(): string;
  /** The values of a header field, by its name in lower case. */
  header(name: string): string[];
  listId: string[];
  /** The names of the attached files. */
  attachments: string[];
  size: number;
  authentication: 'pass' | 'fail' | 'none';
  isSpam: boolean;
  /** Null if nothing needs it. */
  isFirstContact: boolean | null;
  /** The IDs of segments that the sender is in, among those that rules name. */
  segments: ReadonlySet<string>;
}

/** Characters of a body that rules read. */
export const MAX_BODY = 100_000;
/** Comparisons of characters that all rules together may make for one message. */
const MOST_STEPS = 40_000_000;
/** `matches` compares character by character, `indexOf` many at a time. */
const WILDCARD_COST = 100;

class TooMuchWork extends Error {
  override message = 'The rules of the mailbox need too much time for this message.';
}

/** Counts the work of one message. Throws when it is too much. */
export interface WorkBudget {
  spend(steps: number): void;
}

export function createBudget(most = MOST_STEPS): WorkBudget {
  let left = most;
  return {
    spend(steps) {
      left -= steps;
      if (left < 0) throw new TooMuchWork();
    },
  };
}

export type Test = (facts: MessageFacts, budget: WorkBudget) => boolean;

const COSTS: Record<string, number> = { body: 3, segment: 0, subject: 1, attachment: 1 };

/** Lower is cheaper. */
export function costOf({ field, op }: RuleCondition): number {
  return (COSTS[field] ?? (field.startsWith('header:') ? 2 : 0)) * 2 + (op === 'matches' ? 1 : 0);
}

export function compileCondition({ field, op, value }: RuleCondition): Test {
  switch (field) {
    case 'size':
      return op === 'greater' ? ({ size }) => size > Number(value) : ({ size }) => size < Number(value);
    case 'authentication':
      return negatedIf(op === 'is_not', (facts) => facts.authentication === value);
    case 'spam':
      return negatedIf(op === 'is_not', ({ isSpam }) => isSpam === value);
    case 'first_contact':
      return negatedIf(op === 'is_not', ({ isFirstContact }) => isFirstContact === value);
    case 'segment':
      return negatedIf(op === 'is_not', ({ segments }) => segments.has(String(value)));
    default:
      return compileText(textsOf(field), op, value);
  }
}

function textsOf(field: string): (facts: MessageFacts) => string[] {
  if (field.startsWith('header:')) {
    const name = field.slice('header:'.length).toLowerCase();
    return (facts) => facts.header(name);
  }
  switch (field) {
    case 'from':
      return ({ from }) => from;
    case 'to':
      return ({ to }) => to;
    case 'cc':
      return ({ cc }) => cc;
    case 'delivered_to':
      return ({ deliveredTo }) => [deliveredTo];
    case 'list_id':
      return ({ listId }) => listId;
    case 'attachment':
      return ({ attachments }) => attachments;
    case 'body':
      return (facts) => [facts.body()];
    default:
      return ({ subject }) => [subject];
  }
}

function compileText(
  read: (facts: MessageFacts) => string[],
  op: RuleCondition['op'],
  value: RuleCondition['value'],
): Test {
  if (op === 'exists') {
    const wanted = value !== false;
    return (facts) => read(facts).some((text) => text !== '') === wanted;
  }
  const wanted = String(value).toLowerCase();
  const isNegated = op === 'is_not' || op === 'not_contains';
  const compare = comparison(op, wanted);
  return negatedIf(isNegated, (facts, budget) => read(facts).some((text) => compare(text, budget)));
}

function comparison(op: RuleCondition['op'], wanted: string): (text: string, budget: WorkBudget) => boolean {
  switch (op) {
    case 'is':
    case 'is_not':
      return (text) => text === wanted;
    case 'starts_with':
      return (text) => text.startsWith(wanted);
    case 'ends_with':
      return (text) => text.endsWith(wanted);
    case 'matches':
      return (text, budget) => matchesPattern(text, wanted, budget);
    default:
      return contains(wanted);
  }
}

function contains(wanted: string): (text: string, budget: WorkBudget) => boolean {
  const pieces = piecesOf(wanted);
  return (text, budget) => {
    budget.spend(text.length);
    return mayContain(text, pieces) && containsText(text, wanted);
  };
}

function negatedIf(isNegated: boolean, test: Test): Test {
  return isNegated ? (facts, budget) => !test(facts, budget) : test;
}

/** `*` stands for any characters, `?` for one. Goes back only to the last `*`. */
export function matchesPattern(text: string, pattern: string, budget: WorkBudget): boolean {
  let [at, wanted, star, resume, steps] = [0, 0, -1, 0, 0];
  while (at < text.length) {
    if ((steps += 1) % 1_024 === 0) budget.spend(1_024 * WILDCARD_COST);
    const character = pattern[wanted];
    if (character === '*') {
      star = wanted++;
      resume = at;
    } else if (character === '?' || character === text[at]) {
      wanted += 1;
      at += 1;
    } else if (star >= 0) {
      wanted = star + 1;
      at = ++resume;
    } else return false;
  }
  while (pattern[wanted] === '*') wanted += 1;
  return wanted === pattern.length;
}
