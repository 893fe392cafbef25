/**
 * Decides what the rules of a mailbox do with a message, before the transaction that stores it. Rules look at the message
 * as it arrived and never at what they do to it, so none can start another. The decision is pure.
 */
import {
  compileCondition,
  costOf,
  createBudget,
  type WorkBudget,
  type MessageFacts,
  type Test,
} from './rule-conditions.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { RuleAction, RuleCondition } from './rules.schema.ts';

export interface StoredRule extends Row<'mailbox_rules', 'id' | 'match' | 'stop'> {
  conditions: RuleCondition[];
  actions: RuleAction[];
}

export interface CompiledRule extends Pick<StoredRule, 'id' | 'actions' | 'stop'> {
  matches(facts: MessageFacts, budget: WorkBudget): boolean;
  /** Whether a condition names the field `spam`. */
  namesSpam: boolean;
  needsFirstContact: boolean;
  /** The IDs of segments in its conditions. */
  segments: string[];
}

export function compileRule({ id, match, conditions, actions, stop }: StoredRule): CompiledRule {
  const tests: Test[] = conditions
    .toSorted((a, b) => costOf(a) - costOf(b))
    .map((condition) => compileCondition(condition));
  const isAny = match === 'any' && tests.length > 0;
  return {
    id,
    actions,
    stop,
    matches: (facts, budget) =>
      isAny ? tests.some((test) => test(facts, budget)) : tests.every((test) => test(facts, budget)),
    namesSpam: conditions.some(({ field }) => field === 'spam'),
    needsFirstContact: conditions.some(({ field }) => field === 'first_contact'),
    segments: conditions.filter(({ field }) => field === 'segment').map(({ value }) => String(value)),
  };
}

/** What is done to the stored message. `folder` is null if no rule moves it. */
export interface RuleDecision {
  folder: string | null;
  /** The rule that chose the folder. */
  folderRule: string | null;
  labels: string[];
  /** Labels that a message that is stored already loses. */
  unlabelled: string[];
  isRead: boolean;
  isStarred: boolean;
  /** Actions that are not part of the stored message, in their order. `no` is the position in the rule. */
  later: { ruleId: string; no: number; action: RuleAction }[];
  /** The people who are notified of every message of the mailbox. */
  watchers: string[];
  log: { ruleId: string; actions: string[]; error: string | null }[];
}

export function nothingDecided(): RuleDecision {
  return {
    folder: null,
    folderRule: null,
    labels: [],
    unlabelled: [],
    isRead: false,
    isStarred: false,
    later: [],
    watchers: [],
    log: [],
  };
}

export function decide(rules: readonly CompiledRule[], facts: MessageFacts): RuleDecision {
  const decision = nothingDecided();
  const budget = createBudget();
  for (const rule of rules) {
    try {
      if (!rule.matches(facts, budget)) continue;
    } catch (error) {
      decision.log.push({ ruleId: rule.id, actions: [], error: (error as Error).message });
      continue;
    }
    const done: string[] = [];
    for (const [no, action] of rule.actions.entries())
      if (act(decision, rule, { no, action }, facts)) done.push(action.type);
    decision.log.push({ ruleId: rule.id, actions: done, error: null });
    if (rule.stop) break;
  }
  return decision;
}

/** Returns false if the action must not happen for this message. */
function act(
  decision: RuleDecision,
  rule: CompiledRule,
  { no, action }: { no: number; action: RuleAction },
  { isSpam }: MessageFacts,
): boolean {
  switch (action.type) {
    case 'label':
      if (!decision.labels.includes(action.value)) decision.labels.push(action.value);
      decision.unlabelled = decision.unlabelled.filter((label) => label !== action.value);
      return true;
    case 'unlabel':
      decision.labels = decision.labels.filter((label) => label !== action.value);
      decision.unlabelled.push(action.value);
      return true;
    case 'read':
      return (decision.isRead = true);
    case 'star':
      return (decision.isStarred = true);
    case 'move':
      // A forged message must not leave spam because it looks like mail of the person that a rule is about.
      if (isSpam && !rule.namesSpam) return false;
      [decision.folder, decision.folderRule] = [action.value, rule.id];
      return true;
    case 'spam':
    case 'trash':
      [decision.folder, decision.folderRule] = [action.type, rule.id];
      return true;
    case 'forward':
    case 'reply':
      if (isSpam) return false;
      break;
  }
  decision.later.push({ ruleId: rule.id, no, action });
  return true;
}
