/**
 * Rules of conditions, as Resend writes them, and our filters. `contact.first_name` is a field of the contact, `event.x`
 * a value of the event. `gte` is `greater` or `equals`, and is shown as `gte` again.
 */
import { z } from 'zod';
import { badRequest } from '../../../../platform/errors.ts';
import { text } from '../../../../platform/schema.ts';
import { OURS_OF_PATH } from '../audience/contact-names.ts';

const MAX_RULES = 100;
const MAX_DEPTH = 5;

export interface ResendRule {
  type: 'rule' | 'and' | 'or';
  field?: string | undefined;
  operator?: string | undefined;
  value?: string | number | boolean | null | undefined;
  rules?: ResendRule[] | undefined;
}

export const ruleSchema: z.ZodType<ResendRule> = z.lazy(() =>
  z.strictObject({
    type: z.enum(['rule', 'and', 'or']),
    field: text({ min: 1, max: 300 }).optional(),
    operator: text({ max: 20 }).optional(),
    value: z.union([text({ max: 1_000 }), z.number(), z.boolean(), z.null()]).optional(),
    rules: z.array(ruleSchema).max(MAX_RULES).optional(),
  }),
);

interface Condition {
  field: string;
  op: string;
  value?: unknown;
}
type Part = Condition | { all: Part[] } | { any: Part[] };

const OUR_FIELDS: Record<string, string> = {
  ...OURS_OF_PATH,
  'contact.unsubscribed': 'subscribed',
  'contact.created_at': 'createdAt',
};
const THEIR_FIELDS = Object.fromEntries(Object.entries(OUR_FIELDS).map(([theirs, ours]) => [ours, theirs]));
const OUR_OPS: Record<string, string> = {
  eq: 'equals',
  neq: 'notEquals',
  gt: 'greater',
  lt: 'less',
  contains: 'contains',
  starts_with: 'startsWith',
  ends_with: 'endsWith',
  exists: 'exists',
  is_empty: 'notExists',
};
const THEIR_OPS = Object.fromEntries(Object.entries(OUR_OPS).map(([theirs, ours]) => [ours, theirs]));

export function toFilter(rule: ResendRule, path: string): { all: Part[] } | { any: Part[] } {
  const part = toPart(rule, path, 1);
  return 'field' in part ? { all: [part] } : part;
}

function toPart(rule: ResendRule, path: string, depth: number): Part {
  if (rule.type === 'rule') return toCondition(rule, path);
  if (!rule.rules || rule.rules.length === 0) throw refuse(`${path}/rules`, 'must have at least 1 rule');
  if (depth >= MAX_DEPTH) throw refuse(path, `must not be nested deeper than ${MAX_DEPTH} groups`);
  const parts = rule.rules.map((each, at) => toPart(each, `${path}/rules/${at}`, depth + 1));
  return rule.type === 'and' ? { all: parts } : { any: parts };
}

function toCondition({ field = '', operator = '', value }: ResendRule, path: string): Part {
  const ours = toOurField(field);
  if (ours === null) throw refuse(`${path}/field`, 'must begin with contact. or event.');
  if (operator === 'gte' || operator === 'lte')
    return {
      any: [
        { field: ours, op: operator === 'gte' ? 'greater' : 'less', value },
        { field: ours, op: 'equals', value },
      ],
    };
  const op = Object.hasOwn(OUR_OPS, operator) ? OUR_OPS[operator]! : null;
  if (op === null)
    throw refuse(`${path}/operator`, `must be one of ${[...Object.keys(OUR_OPS), 'gte', 'lte'].join(', ')}`);
  if (op === 'exists' || op === 'notExists') return { field: ours, op };
  if (value === undefined) throw refuse(`${path}/value`, 'is required');
  if (value === null && (op === 'equals' || op === 'notEquals'))
    return { field: ours, op: op === 'equals' ? 'notExists' : 'exists' };
  // Our field is the opposite of theirs.
  if (ours === 'subscribed') return { field: ours, op, value: value !== true };
  return { field: ours, op, value };
}

function toOurField(field: string): string | null {
  if (Object.hasOwn(OUR_FIELDS, field)) return OUR_FIELDS[field]!;
  if (field.startsWith('event.') && field.length > 'event.'.length) return field;
  const property = /^contact\.(?:properties\.)?(.+)$/.exec(field)?.[1];
  return property ? `properties.${property}` : null;
}

/** A filter that Resend has no rules for is shown with our names. */
export function toRule(part: Part): ResendRule {
  if ('field' in part) return toSingle(part);
  const [name, parts] = 'all' in part ? (['all', part.all] as const) : (['any', part.any] as const);
  const [one, other, third] = parts as Condition[];
  if (name === 'any' && one && other && !third && isSame(one, other))
    return { ...toSingle(one), operator: one.op === 'greater' ? 'gte' : 'lte' };
  if (name === 'all' && one && !other && 'field' in one) return toSingle(one);
  return { type: name === 'all' ? 'and' : 'or', rules: parts.map(toRule) };
}

function isSame(one: Condition, other: Condition): boolean {
  const isBound = one.op === 'greater' || one.op === 'less';
  return isBound && other.op === 'equals' && one.field === other.field && one.value === other.value;
}

function toSingle({ field, op, value }: Condition): ResendRule {
  const theirs =
    THEIR_FIELDS[field] ??
    (field.startsWith('properties.') ? field.replace('properties.', 'contact.') : field);
  const operator = THEIR_OPS[op] ?? op;
  if (op === 'exists' || op === 'notExists') return { type: 'rule', field: theirs, operator };
  return {
    type: 'rule',
    field: theirs,
    operator,
    value: field === 'subscribed' ? value !== true : (value as ResendRule['value']),
  };
}

export function refuse(path: string, message: string) {
  return badRequest(`${path.slice(1).replaceAll('/', '.')} ${message}.`, [{ path, message }]);
}
