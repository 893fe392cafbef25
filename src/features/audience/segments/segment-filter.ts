/**
 * Validates a segment's filter: groups (`all`, `any`) of conditions and nested groups. Hand-written rather than a
 * recursive schema, so that every error names its path and the depth is limited.
 */
import { MAX_ISSUES } from '../../../platform/errors.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import { dateTime, text } from '../../../platform/schema.ts';
import { OWN_FIELD_NAMES } from '../own-fields/own-fields.ts';

export type SegmentFilter = { all: SegmentPart[] } | { any: SegmentPart[] };
export type SegmentPart = SegmentFilter | SegmentCondition;

export interface SegmentCondition {
  field: string;
  op: SegmentOp;
  /** Null for `exists` and `notExists`. */
  value: string | number | boolean | null;
  /** For clicks of a campaign: only clicks on this link count. */
  url?: string;
}

const TEXT_OPS = [
  'equals',
  'notEquals',
  'contains',
  'notContains',
  'startsWith',
  'endsWith',
  'exists',
  'notExists',
] as const;
type SegmentOp =
  | (typeof TEXT_OPS)[number]
  | 'before'
  | 'after'
  | 'greater'
  | 'less'
  | 'withinLastDays'
  | 'moreThanDaysAgo'
  | 'withinNextDays'
  | 'in'
  | 'notIn'
  | 'sent'
  | 'notSent'
  | 'opened'
  | 'notOpened'
  | 'clicked'
  | 'notClicked'
  | 'delivered'
  | 'replied';

type FieldKind = 'text' | 'flag' | 'time' | 'property' | 'topic' | 'campaign' | 'step';

export const PROPERTY_PREFIX = 'properties.';
/** The time of the contact's last event with this name. */
export const EVENTS_PREFIX = 'events.';
/** In automations: a value of the event that started the run, and what became of a step of the run. */
export const EVENT_PREFIX = 'event.';
export const STEP_PREFIX = 'step.';

const FIELDS = new Map<string, FieldKind>([
  ['email', 'text'],
  ...OWN_FIELD_NAMES.map((name): [string, FieldKind] => [name, 'text']),
  ['subscribed', 'flag'],
  ['createdAt', 'time'],
  ['updatedAt', 'time'],
  ['engagement.opened', 'flag'],
  ['engagement.clicked', 'flag'],
  ['engagement.lastOpenedAt', 'time'],
  ['engagement.lastClickedAt', 'time'],
  ['topic', 'topic'],
  ['campaign', 'campaign'],
]);

const OPS: Record<FieldKind, readonly SegmentOp[]> = {
  text: TEXT_OPS,
  flag: ['equals', 'notEquals'],
  time: ['before', 'after', 'withinLastDays', 'moreThanDaysAgo', 'exists', 'notExists'],
  property: [
    ...TEXT_OPS,
    'before',
    'after',
    'withinLastDays',
    'moreThanDaysAgo',
    'withinNextDays',
    'greater',
    'less',
  ],
  topic: ['in', 'notIn'],
  campaign: ['sent', 'notSent', 'opened', 'notOpened', 'clicked', 'notClicked'],
  step: ['delivered', 'opened', 'clicked', 'replied'],
};

const MAX_DEPTH = 5;
const MAX_CONDITIONS = 100;
const MAX_GROUPS = 100;
const MAX_DAYS = 36_500;

type Path = (string | number)[];

interface FilterReader {
  conditions: number;
  groups: number;
  errors: number;
  inRun: boolean;
  report: (path: Path, message: string) => void;
}

/** Returns null after reporting at least one error. `inRun` allows the fields that only runs of automations have. */
export function readFilter(
  input: Record<string, unknown>,
  report: (path: Path, message: string) => void,
  { inRun = false }: { inRun?: boolean } = {},
): SegmentFilter | null {
  const reader: FilterReader = {
    inRun,
    conditions: 0,
    groups: 0,
    errors: 0,
    report(path, message) {
      reader.errors += 1;
      report(path, message);
    },
  };
  const filter = readGroup(input, [], reader, 1);
  return reader.errors === 0 ? filter : null;
}

function readGroup(
  input: Record<string, unknown>,
  path: Path,
  reader: FilterReader,
  depth: number,
): SegmentFilter | null {
  const names = (['all', 'any'] as const).filter((name) => input[name] !== undefined);
  const name = names[0];
  if (!name || names.length > 1) return report(reader, path, 'must have either all or any');
  const parts = input[name];
  if (!Array.isArray(parts)) return report(reader, [...path, name], 'must be an array');
  if (depth > MAX_DEPTH) return report(reader, path, `must not be nested deeper than ${MAX_DEPTH} groups`);
  if (++reader.groups > MAX_GROUPS) return report(reader, path, `exceeds the limit of ${MAX_GROUPS} groups`);
  // An empty `any` matches nobody, which is almost always a mistake.
  if (name === 'any' && parts.length === 0)
    return report(reader, [...path, name], 'must have at least 1 item');
  if (parts.length > MAX_CONDITIONS + MAX_GROUPS)
    return report(reader, [...path, name], `must have at most ${MAX_CONDITIONS + MAX_GROUPS} items`);
  const read: SegmentPart[] = [];
  for (const [at, part] of parts.entries()) {
    const parsed = readPart(part, [...path, name, at], reader, depth);
    if (parsed) read.push(parsed);
    if (reader.conditions > MAX_CONDITIONS || reader.groups > MAX_GROUPS) break;
    if (reader.errors >= MAX_ISSUES) break;
  }
  return name === 'all' ? { all: read } : { any: read };
}

function readPart(part: unknown, path: Path, reader: FilterReader, depth: number): SegmentPart | null {
  if (typeof part !== 'object' || part === null || Array.isArray(part))
    return report(reader, path, 'must be an object');
  const fields = part as Record<string, unknown>;
  if (fields.field === undefined) return readGroup(fields, path, reader, depth + 1);
  if (fields.all !== undefined || fields.any !== undefined)
    return report(reader, path, 'must be a condition (field, op, value) or a group (all or any), not both');
  if (++reader.conditions > MAX_CONDITIONS)
    return report(reader, path, `exceeds the limit of ${MAX_CONDITIONS} conditions`);
  return readCondition(fields, path, reader);
}

function readCondition(
  { field, op, value, url }: Record<string, unknown>,
  path: Path,
  reader: FilterReader,
): SegmentCondition | null {
  const kind = kindOf(field, reader);
  if (!kind) {
    const ofRuns = reader.inRun ? [`${EVENT_PREFIX}KEY`, `${STEP_PREFIX}KEY`] : [];
    const names = [...FIELDS.keys(), `${PROPERTY_PREFIX}KEY`, `${EVENTS_PREFIX}NAME`, ...ofRuns].join(', ');
    return report(reader, [...path, 'field'], `must be one of ${names}`);
  }
  const validOp = OPS[kind].find((name) => name === op);
  if (!validOp)
    return report(reader, [...path, 'op'], `must be one of ${OPS[kind].join(', ')} for ${String(field)}`);
  const error = checkValue(kind, validOp, value);
  if (error) return report(reader, [...path, 'value'], error);
  if (kind === 'topic' || kind === 'campaign')
    return readReference(kind, validOp, value as string, url, path, reader);
  const hasValue = validOp !== 'exists' && validOp !== 'notExists' && kind !== 'step';
  return {
    field: field as string,
    op: validOp,
    value: hasValue ? (value as SegmentCondition['value']) : null,
  };
}

/** The ID is stored in its canonical spelling. Whether it exists is checked later (filter-references.ts). */
function readReference(
  kind: 'topic' | 'campaign',
  op: SegmentOp,
  id: string,
  url: unknown,
  path: Path,
  reader: FilterReader,
): SegmentCondition | null {
  const prefix = kind === 'topic' ? 'top' : 'cmp';
  const key = decodeId(prefix, id);
  const condition = { field: kind, op, value: key ? encodeId(prefix, key) : id };
  if (url === undefined || url === null) return condition;
  if (op !== 'clicked' && op !== 'notClicked')
    return report(reader, [...path, 'url'], 'is allowed only with clicked and notClicked');
  if (!linkText.safeParse(url).success)
    return report(reader, [...path, 'url'], 'must be a string of 1 to 2000 characters');
  return { ...condition, url: url as string };
}

function kindOf(field: unknown, { inRun }: FilterReader): FieldKind | undefined {
  if (typeof field !== 'string') return undefined;
  if (EVENT_TIME.test(field)) return 'time';
  if (inRun && STEP_EMAIL.test(field)) return 'step';
  if (inRun && (STEP_VALUE.test(field) || field.startsWith(EVENT_PREFIX)))
    return isNamed(field) ? 'property' : undefined;
  if (!field.startsWith(PROPERTY_PREFIX)) return FIELDS.get(field);
  return propertyKey.safeParse(field.slice(PROPERTY_PREFIX.length)).success ? 'property' : undefined;
}

const EVENT_TIME = /^events\.[a-z][a-z0-9_.-]{0,99}$/;
const STEP_EMAIL = /^step\.[a-z][a-z0-9_-]{0,63}$/;
const STEP_VALUE = /^step\.[a-z][a-z0-9_-]{0,63}\./;

function isNamed(field: string): boolean {
  return propertyKey.safeParse(field.slice(field.indexOf('.') + 1)).success;
}

const propertyKey = text({ min: 1, max: 256 });
const someText = text({ min: 1, max: 1000 });
const someId = text({ min: 1, max: 256 });
const linkText = text({ min: 1, max: 2000 });

/** Returns an error message that continues the field's name, or null if the value is valid. */
function checkValue(kind: FieldKind, op: SegmentOp, value: unknown): string | null {
  if (kind === 'step') return null;
  switch (op) {
    case 'exists':
    case 'notExists':
      return null;
    case 'before':
    case 'after':
      return dateTime.safeParse(value).success
        ? null
        : 'must be a date-time with a UTC offset, such as 2026-11-15T09:30:00Z';
    case 'greater':
    case 'less':
      return isFiniteNumber(value) ? null : 'must be a number';
    case 'withinLastDays':
    case 'moreThanDaysAgo':
    case 'withinNextDays':
      return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_DAYS
        ? null
        : `must be a whole number of days from 1 to ${MAX_DAYS}`;
    default:
      if (kind === 'topic' || kind === 'campaign')
        return someId.safeParse(value).success ? null : `must be the ID of a ${kind}`;
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

function report(reader: FilterReader, path: Path, message: string): null {
  reader.report(path, message);
  return null;
}
