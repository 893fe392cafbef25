/** A filter that is being edited: each part has a key, and values can be missing. */
import { segmentTexts } from '../../texts/en/audience.ts';

const OPERATORS = [
  'equals',
  'notEquals',
  'contains',
  'notContains',
  'startsWith',
  'endsWith',
  'exists',
  'notExists',
  'before',
  'after',
  'greater',
  'less',
  'withinLastDays',
  'moreThanDaysAgo',
  'withinNextDays',
] as const;
export type Operator =
  | (typeof OPERATORS)[number]
  | (typeof TOPIC_OPERATORS)[number]
  | (typeof CAMPAIGN_OPERATORS)[number]
  | (typeof STEP_OPERATORS)[number];
type Kind = 'text' | 'flag' | 'time' | 'property' | 'topic' | 'campaign' | 'step';
const TOPIC_OPERATORS = ['in', 'notIn'] as const;
const CAMPAIGN_OPERATORS = ['sent', 'notSent', 'opened', 'notOpened', 'clicked', 'notClicked'] as const;
const STEP_OPERATORS = ['delivered', 'opened', 'clicked', 'replied'] as const;

export interface Condition {
  key: number;
  field: string;
  op: Operator;
  value: string;
  /** The link that was clicked. Without it, any link counts. */
  url?: string;
}
export interface Group {
  key: number;
  mode: 'all' | 'any';
  parts: (Condition | Group)[];
}

export const PROPERTY = 'properties.';
/** In automations: a value of the event that started the run, and an email of the run. */
export const EVENT = 'event.';
const STEP = 'step.';
export const PLAIN_FIELDS = Object.keys(segmentTexts.fields) as (keyof typeof segmentTexts.fields)[];

const FLAGS = new Set(['subscribed', 'engagement.opened', 'engagement.clicked']);
const TIMES = new Set(['createdAt', 'updatedAt', 'engagement.lastOpenedAt', 'engagement.lastClickedAt']);
const OPERATORS_OF: Record<Kind, readonly Operator[]> = {
  text: ['equals', 'notEquals', 'contains', 'notContains', 'startsWith', 'endsWith', 'exists', 'notExists'],
  flag: ['equals'],
  time: ['withinLastDays', 'moreThanDaysAgo', 'before', 'after', 'exists', 'notExists'],
  property: OPERATORS,
  topic: TOPIC_OPERATORS,
  campaign: CAMPAIGN_OPERATORS,
  step: STEP_OPERATORS,
};

/** The limit of the server. */
const MAX_DAYS = 36_500;

let lastKey = 0;
export const newKey = () => ++lastKey;

function kindOf(field: string): Kind {
  if (field === 'topic' || field === 'campaign') return field;
  if (FLAGS.has(field)) return 'flag';
  if (TIMES.has(field)) return 'time';
  // `step.KEY` is an email, and `step.KEY.NAME` is a value of a webhook’s response.
  if (field.startsWith(STEP)) return field.split('.').length === 2 ? 'step' : 'property';
  return field.startsWith(PROPERTY) || field.startsWith(EVENT) ? 'property' : 'text';
}

/** The names of the operators, as they read after the field. */
export function nameOperators(field: string): (readonly [Operator, string])[] {
  const names: Partial<Record<Operator, string>> =
    kindOf(field) === 'step' ? segmentTexts.stepOperators : segmentTexts.operators;
  return operatorsOf(field).map((each) => [each, names[each] ?? each]);
}

export function operatorsOf(field: string): readonly Operator[] {
  return OPERATORS_OF[kindOf(field)];
}

export function newCondition(): Condition {
  return { key: newKey(), field: 'email', op: 'contains', value: '' };
}

/** Changes the field. An operator and a value that do not fit the new field are reset. */
export function changeField(condition: Condition, field: string): Condition {
  const sameKind = kindOf(field) === kindOf(condition.field);
  if (sameKind) return { ...condition, field };
  const value = kindOf(field) === 'flag' ? 'true' : '';
  return { key: condition.key, field, op: operatorsOf(field)[0]!, value };
}

/** Changes the operator. A value of another kind is reset. */
export function changeOperator(condition: Condition, op: Operator): Condition {
  const { url, ...rest } = { ...condition, op };
  const value = inputOf(rest) === inputOf(condition) ? condition.value : '';
  return { ...rest, value, ...(url !== undefined && takesLink(rest) ? { url } : {}) };
}

export function takesLink({ op }: Pick<Condition, 'op'>): boolean {
  return op === 'clicked' || op === 'notClicked';
}

/** Returns the kind of input for the value. */
export function inputOf({
  field,
  op,
}: Condition): 'none' | 'flag' | 'time' | 'number' | 'days' | 'text' | 'topic' | 'campaign' {
  if (field === 'topic' || field === 'campaign') return field;
  if (op === 'withinLastDays' || op === 'moreThanDaysAgo' || op === 'withinNextDays') return 'days';
  if (op === 'exists' || op === 'notExists' || kindOf(field) === 'step') return 'none';
  if (op === 'before' || op === 'after') return 'time';
  if (op === 'greater' || op === 'less') return 'number';
  return kindOf(field) === 'flag' ? 'flag' : 'text';
}

export function toFilter(group: Group): Record<string, unknown> {
  return { [group.mode]: group.parts.map((part) => ('parts' in part ? toFilter(part) : toInput(part))) };
}

function toInput(condition: Condition): object {
  const { field, op, value } = condition;
  switch (inputOf(condition)) {
    case 'none':
      return { field, op };
    case 'flag':
      return { field, op, value: value === 'true' };
    case 'time':
      return { field, op, value: new Date(value).toISOString() };
    case 'number':
    case 'days':
      return { field, op, value: Number(value) };
    case 'text':
    case 'topic':
      return { field, op, value };
    case 'campaign': {
      const url = condition.url?.trim();
      return url && takesLink(condition) ? { field, op, value, url } : { field, op, value };
    }
  }
}

/** True if every required value is present, so that the server accepts the filter. */
export function isComplete(group: Group): boolean {
  return group.parts.every((part) => {
    if ('parts' in part) return part.parts.length > 0 && isComplete(part);
    if (part.field === PROPERTY || part.field === EVENT) return false;
    const input = inputOf(part);
    if (input === 'none') return true;
    if (input === 'days') return /^[1-9]\d{0,4}$/.test(part.value) && Number(part.value) <= MAX_DAYS;
    return part.value !== '' && (input !== 'number' || Number.isFinite(Number(part.value)));
  });
}

export function readFilter(filter: Record<string, unknown>): Group {
  const mode = Array.isArray(filter.any) ? 'any' : 'all';
  const parts = (filter[mode] ?? []) as Record<string, unknown>[];
  return {
    key: newKey(),
    mode,
    parts: parts.map((part) => ('field' in part ? readCondition(part) : readFilter(part))),
  };
}

function readCondition(part: Record<string, unknown>): Condition {
  const condition = { key: newKey(), field: String(part.field), op: part.op as Operator, value: '' };
  if (part.value === null || part.value === undefined) return condition;
  const isTime = inputOf(condition) === 'time';
  const link = typeof part.url === 'string' ? { url: part.url } : {};
  const text = typeof part.value === 'string' ? part.value : JSON.stringify(part.value);
  return { ...condition, ...link, value: isTime ? toLocalInput(text) : text };
}

/** Returns the value of a date field with a time: local time, without an offset. */
function toLocalInput(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
