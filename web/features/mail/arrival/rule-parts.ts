/** The conditions and actions of the form of a rule. */
import type { RuleAction, RuleCondition } from '../../../../src/features/mailboxes/rules/rules.schema.ts';

type Op = RuleCondition['op'];

const TEXT_OPS: Op[] = [
  'contains',
  'not_contains',
  'is',
  'is_not',
  'starts_with',
  'ends_with',
  'matches',
  'exists',
];

export function opsOf(field: string): Op[] {
  switch (field) {
    case 'size':
      return ['greater', 'less'];
    case 'authentication':
    case 'segment':
    case 'spam':
    case 'first_contact':
      return ['is', 'is_not'];
    default:
      return TEXT_OPS;
  }
}

export function valueKindOf({ field, op }: RuleCondition): 'text' | 'number' | 'flag' | 'verdict' | 'none' {
  if (op === 'exists' || field === 'spam' || field === 'first_contact') return 'flag';
  if (field === 'size') return 'number';
  return field === 'authentication' ? 'verdict' : 'text';
}

export function beginCondition(field: string): RuleCondition {
  const op = opsOf(field)[0]!;
  return withValue({ field, op, value: null }, field === 'authentication' ? 'fail' : 'true', '');
}

/** `typed` becomes a value of the kind that the condition needs. */
export function withValue(condition: RuleCondition, typed: string, text = typed): RuleCondition {
  switch (valueKindOf(condition)) {
    case 'flag':
      return { ...condition, value: typed !== 'false' };
    case 'number':
      return { ...condition, value: Number.parseInt(typed, 10) || 0 };
    case 'verdict':
      return { ...condition, value: ['pass', 'fail', 'none'].includes(typed) ? typed : 'fail' };
    default:
      return { ...condition, value: text };
  }
}

export function valueOf(action: RuleAction): string {
  switch (action.type) {
    case 'label':
    case 'unlabel':
    case 'move':
      return action.value;
    case 'forward':
      return action.to;
    case 'reply':
    case 'draft':
      return action.saved_reply_id;
    case 'webhook':
      return action.url;
    case 'event':
      return action.name;
    default:
      return '';
  }
}

export function beginAction(type: string, value = ''): RuleAction {
  switch (type) {
    case 'label':
      return { type, value };
    case 'move':
      return { type, value: value || 'archive' };
    case 'forward':
      return { type, to: value };
    case 'reply':
    case 'draft':
      return { type, saved_reply_id: value };
    case 'webhook':
      return { type, url: value };
    case 'event':
      return { type, name: value };
    case 'read':
    case 'spam':
    case 'trash':
      return { type };
    default:
      return { type: 'star' };
  }
}
