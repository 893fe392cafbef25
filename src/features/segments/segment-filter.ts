/**
 * The filter of a segment, as it comes in: groups (`all`, `any`) of conditions and further groups. It is read by
 * hand and not by a recursive shape, so that every complaint names the place and no depth can hurt.
 */
import { MAX_ISSUES } from '../../platform/errors.ts';
import { dateTime, text } from '../../platform/schema.ts';

export type SegmentFilter = { all: SegmentPart[] } | { any: SegmentPart[] };
export type SegmentPart = SegmentFilter | SegmentCondition;

export interface SegmentCondition {
  field: string;
  op: SegmentOp;
  /** Null for `exists` and `notExists`. */
  value: string | number | boolean | null;
}

const SEGMENT_OPS = [
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
type SegmentOp = (typeof SEGMENT_OPS)[number];

type FieldKind = 'text' | 'flag' | 'time' | 'property';

export const PROPERTY_PREFIX = 'properties.';

const FIELDS = new Map<string, FieldKind>([
  ['email', 'text'],
  ['firstName', 'text'],
  ['lastName', 'text'],
  ['subscribed', 'flag'],
  ['createdAt', 'time'],
  ['updatedAt', 'time'],
  ['engagement.opened', 'flag'],
  ['engagement.clicked', 'flag'],
  ['engagement.lastOpenedAt', 'time'],
  ['engagement.lastClickedAt', 'time'],
]);

const OPS: Record<FieldKind, readonly SegmentOp[]> = {
  text: ['equals', 'notEquals', 'contains', 'notContains', 'startsWith', 'exists', 'notExists'],
  flag: ['equals', 'notEquals'],
  time: ['before', 'after', 'exists', 'notExists'],
  property: SEGMENT_OPS,
};

const MAX_DEPTH = 5;
const MAX_CONDITIONS = 100;
const MAX_GROUPS = 100;

type Path = (string | number)[];

interface Reading {
  conditions: number;
  groups: number;
  complaints: number;
  complain: (path: Path, message: string) => void;
}

/** Null when there was something to complain about. */
export function readFilter(
  input: Record<string, unknown>,
  complain: (path: Path, message: string) => void,
): SegmentFilter | null {
  const reading: Reading = {
    conditions: 0,
    groups: 0,
    complaints: 0,
    complain(path, message) {
      reading.complaints += 1;
      complain(path, message);
    },
  };
  const filter = readGroup(input, [], reading, 1);
  return reading.complaints === 0 ? filter : null;
}

function readGroup(
  input: Record<string, unknown>,
  path: Path,
  reading: Reading,
  depth: number,
): SegmentFilter | null {
  const names = (['all', 'any'] as const).filter((name) => input[name] !== undefined);
  const name = names[0];
  if (!name || names.length > 1) return complain(reading, path, 'must have either all or any');
  const parts = input[name];
  if (!Array.isArray(parts)) return complain(reading, [...path, name], 'must be an array');
  if (depth > MAX_DEPTH) return complain(reading, path, `must not be nested deeper than ${MAX_DEPTH} groups`);
  if (++reading.groups > MAX_GROUPS)
    return complain(reading, path, `is one group too many; at most ${MAX_GROUPS} are taken`);
  // Nobody fits any of no conditions; that is hardly ever what was meant.
  if (name === 'any' && parts.length === 0)
    return complain(reading, [...path, name], 'must have at least 1 item');
  if (parts.length > MAX_CONDITIONS + MAX_GROUPS)
    return complain(reading, [...path, name], `must have at most ${MAX_CONDITIONS + MAX_GROUPS} items`);
  const read: SegmentPart[] = [];
  for (const [at, part] of parts.entries()) {
    const made = readPart(part, [...path, name, at], reading, depth);
    if (made) read.push(made);
    if (reading.conditions > MAX_CONDITIONS || reading.groups > MAX_GROUPS) break;
    if (reading.complaints >= MAX_ISSUES) break;
  }
  return name === 'all' ? { all: read } : { any: read };
}

function readPart(part: unknown, path: Path, reading: Reading, depth: number): SegmentPart | null {
  if (typeof part !== 'object' || part === null || Array.isArray(part))
    return complain(reading, path, 'must be an object');
  const fields = part as Record<string, unknown>;
  if (fields.field === undefined) return readGroup(fields, path, reading, depth + 1);
  if (fields.all !== undefined || fields.any !== undefined)
    return complain(
      reading,
      path,
      'must be a condition (field, op, value) or a group (all or any), not both',
    );
  if (++reading.conditions > MAX_CONDITIONS)
    return complain(reading, path, `is one condition too many; at most ${MAX_CONDITIONS} are taken`);
  return readCondition(fields, path, reading);
}

function readCondition(
  { field, op, value }: Record<string, unknown>,
  path: Path,
  reading: Reading,
): SegmentCondition | null {
  const kind = kindOf(field);
  if (!kind) {
    const names = [...FIELDS.keys(), `${PROPERTY_PREFIX}KEY`].join(', ');
    return complain(reading, [...path, 'field'], `must be one of ${names}`);
  }
  const known = OPS[kind].find((name) => name === op);
  if (!known)
    return complain(reading, [...path, 'op'], `must be one of ${OPS[kind].join(', ')} for ${String(field)}`);
  const wrong = judgeValue(kind, known, value);
  if (wrong) return complain(reading, [...path, 'value'], wrong);
  const hasValue = known !== 'exists' && known !== 'notExists';
  return {
    field: field as string,
    op: known,
    value: hasValue ? (value as SegmentCondition['value']) : null,
  };
}

function kindOf(field: unknown): FieldKind | undefined {
  if (typeof field !== 'string') return undefined;
  if (!field.startsWith(PROPERTY_PREFIX)) return FIELDS.get(field);
  return propertyKey.safeParse(field.slice(PROPERTY_PREFIX.length)).success ? 'property' : undefined;
}

const propertyKey = text({ min: 1, max: 256 });
const someText = text({ min: 1, max: 1000 });

/** What is wrong with the value, in the words that follow its name. */
function judgeValue(kind: FieldKind, op: SegmentOp, value: unknown): string | null {
  switch (op) {
    case 'exists':
    case 'notExists':
      return null;
    case 'before':
    case 'after':
      return dateTime.safeParse(value).success
        ? null
        : 'must be a date-time with an offset, as 2026-11-15T09:30:00Z';
    case 'greater':
    case 'less':
      return isFiniteNumber(value) ? null : 'must be a number';
    default:
      if (kind === 'flag') return typeof value === 'boolean' ? null : 'must be true or false';
      if (kind === 'property' && (op === 'equals' || op === 'notEquals')) {
        if (typeof value === 'boolean' || isFiniteNumber(value)) return null;
        if (typeof value !== 'string') return 'must be a string, a number, true or false';
      }
      return someText.safeParse(value).success ? null : 'must be a string of 1 to 1000 characters';
  }
}

function isFiniteNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}

function complain(reading: Reading, path: Path, message: string): null {
  reading.complain(path, message);
  return null;
}
