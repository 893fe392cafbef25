/** A filter while it is being put together: everything has a key, and a value may still be missing. */
import { texts } from '../../texts/en.ts';

const OPERATORS = [
  'equals',
  'notEquals',
  'contains',
  'notContains',
  'startsWith',
  'exists',
  'notExists',
  'before',
  'after',
  'greater',
  'less',
] as const;
export type Operator = (typeof OPERATORS)[number];
type Kind = 'text' | 'flag' | 'time' | 'property';

export interface Condition {
  key: number;
  field: string;
  op: Operator;
  value: string;
}
export interface Group {
  key: number;
  mode: 'all' | 'any';
  parts: (Condition | Group)[];
}

export const PROPERTY = 'properties.';
export const PLAIN_FIELDS = Object.keys(texts.segments.fields) as (keyof typeof texts.segments.fields)[];

const FLAGS = new Set(['subscribed', 'engagement.opened', 'engagement.clicked']);
const TIMES = new Set(['createdAt', 'updatedAt', 'engagement.lastOpenedAt', 'engagement.lastClickedAt']);
const OPERATORS_OF: Record<Kind, readonly Operator[]> = {
  text: ['equals', 'notEquals', 'contains', 'notContains', 'startsWith', 'exists', 'notExists'],
  flag: ['equals'],
  time: ['before', 'after', 'exists', 'notExists'],
  property: OPERATORS,
};

let lastKey = 0;
export const newKey = () => ++lastKey;

function kindOf(field: string): Kind {
  if (FLAGS.has(field)) return 'flag';
  if (TIMES.has(field)) return 'time';
  return field.startsWith(PROPERTY) ? 'property' : 'text';
}

export function operatorsOf(field: string): readonly Operator[] {
  return OPERATORS_OF[kindOf(field)];
}

export function newCondition(): Condition {
  return { key: newKey(), field: 'email', op: 'contains', value: '' };
}

/** Another field: what does not fit it is begun anew. */
export function changeField(condition: Condition, field: string): Condition {
  const sameKind = kindOf(field) === kindOf(condition.field);
  if (sameKind) return { ...condition, field };
  return { ...condition, field, op: operatorsOf(field)[0]!, value: kindOf(field) === 'flag' ? 'true' : '' };
}

/** How the value is typed in: a date, a number, a choice, or not at all. */
export function inputOf({ field, op }: Condition): 'none' | 'flag' | 'time' | 'number' | 'text' {
  if (op === 'exists' || op === 'notExists') return 'none';
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
      return { field, op, value: Number(value) };
    case 'text':
      return { field, op, value };
  }
}

/** Whether the server would understand it: every value that is asked for is there. */
export function isComplete(group: Group): boolean {
  return group.parts.every((part) => {
    if ('parts' in part) return part.parts.length > 0 && isComplete(part);
    if (part.field === PROPERTY) return false;
    const input = inputOf(part);
    return (
      input === 'none' || (part.value !== '' && (input !== 'number' || Number.isFinite(Number(part.value))))
    );
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
  const text = typeof part.value === 'string' ? part.value : JSON.stringify(part.value);
  return { ...condition, value: isTime ? toLocalInput(text) : text };
}

/** As a datetime-local field takes it: in the person's own time, without an offset. */
function toLocalInput(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
