/**
 * Compiles a filter to SQL on `contacts`. All input becomes parameters, never SQL text. The SQL cannot fail on any
 * contact: properties can have any type, so each comparison first checks that the value is comparable. Text compares
 * case-insensitively. A negated operator also matches contacts without a value.
 */
import { sql, type RawBuilder } from 'kysely';
import { propertyKey } from '../../../mail/html/tag-names.ts';
import { parseAddress } from '../../../mail/mime/address.ts';
import { escapeLike, VARYING } from '../../../platform/database/database.ts';
import { isOwnField, OWN_FIELDS } from '../own-fields/own-fields.ts';
import { campaignCondition } from './campaign-condition.ts';
import {
  EVENT_PREFIX,
  EVENTS_PREFIX,
  PROPERTY_PREFIX,
  STEP_PREFIX,
  type SegmentCondition,
  type SegmentFilter,
  type SegmentPart,
} from './segment-filter.ts';
import { referencedKey } from './filter-references.ts';
import { isMembership } from './membership.ts';
import { topicCondition } from './topic-condition.ts';

type Condition = RawBuilder<boolean>;

/** The book of the contacts. */
interface Book {
  teamId: number;
  bookKey: string;
}

interface Contacts extends Book {
  /** The name of `contacts` in the enclosing statement. */
  alias: string;
  reads: 'all' | 'chunk';
  run: RunValues | null;
}

/** What a run of an automation knows beside its contact. */
export interface RunValues {
  runId: string | null;
  /** The data of the event that started it. */
  event: Record<string, unknown>;
  /** The responses of webhooks, by the key of the step. */
  outputs: Record<string, unknown>;
}

/** `alias` is the name of `contacts` in the enclosing statement, which reads all contacts of a book or only a chunk. */
export function segmentCondition(
  { teamId, bookKey }: Book,
  filter: SegmentFilter,
  {
    alias = 'c',
    reads = 'all',
    run = null,
  }: { alias?: string; reads?: 'all' | 'chunk'; run?: RunValues | null } = {},
): Condition {
  return sql<boolean>`${sql.raw(VARYING)} ${compilePart(filter, { teamId, bookKey, alias, reads, run })}`;
}

function compilePart(part: SegmentPart, contacts: Contacts): Condition {
  if ('all' in part) return joinParts(part.all, sql` and `, contacts);
  if ('any' in part) return joinParts(part.any, sql` or `, contacts);
  return compileCondition(part, contacts);
}

function joinParts(parts: SegmentPart[], separator: RawBuilder<unknown>, contacts: Contacts): Condition {
  if (parts.length === 0) return sql<boolean>`true`;
  return sql<boolean>`(${sql.join(
    parts.map((part) => compilePart(part, contacts)),
    separator,
  )})`;
}

function compileCondition(condition: SegmentCondition, contacts: Contacts): Condition {
  const { teamId, alias, reads } = contacts;
  const { field, op, value } = condition;
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  switch (field) {
    case 'email':
      return op === 'equals' || op === 'notEquals'
        ? compareAddress(column('email_key'), op, String(value))
        : compareText(column('email'), op, value);
    case 'subscribed':
      return sql<boolean>`((${column('subscription')} = 'subscribed') = ${(op === 'equals') === value}::boolean)`;
    case 'createdAt':
      return compareTime(column('created_at'), op, value);
    case 'updatedAt':
      return compareTime(column('updated_at'), op, value);
    case 'engagement.opened':
      return compareHasTime(column('last_opened_at'), (op === 'equals') === value);
    case 'engagement.clicked':
      return compareHasTime(column('last_clicked_at'), (op === 'equals') === value);
    case 'engagement.lastOpenedAt':
      return compareTime(column('last_opened_at'), op, value);
    case 'engagement.lastClickedAt':
      return compareTime(column('last_clicked_at'), op, value);
    case 'topic': {
      const isIn = topicCondition(teamId, referencedKey('top', value), alias);
      return op === 'in' ? isIn : sql<boolean>`(not ${isIn})`;
    }
    case 'campaign':
      return campaignCondition(teamId, condition, column('email_key'), reads);
    default:
      if (isOwnField(field)) return compareText(column(OWN_FIELDS[field].column), op, value);
      if (field.startsWith(EVENTS_PREFIX))
        return compareTime(lastEvent(contacts, field.slice(EVENTS_PREFIX.length)), op, value);
      if (field.startsWith(EVENT_PREFIX))
        return compareProperty(valueOf(contacts.run?.event, field.slice(EVENT_PREFIX.length)), op, value);
      if (field.startsWith(STEP_PREFIX))
        return compareStep(contacts, field.slice(STEP_PREFIX.length), op, value);
      return compareProperty(
        propertyText(contacts, column('properties'), field.slice(PROPERTY_PREFIX.length)),
        op,
        value,
      );
  }
}

function lastEvent({ teamId, alias }: Contacts, name: string): Operand {
  const id = sql.ref(`${alias}.id`);
  return sql`(select max(e.occurred_at) from custom_events e
    where e.team_id = ${teamId} and e.contact_id = ${id} and e.name = ${name}::text)`;
}

/** The value at a path such as `order.total`, as text. */
function valueOf(values: Record<string, unknown> | undefined, path: string): Operand {
  let value: unknown = values;
  for (const key of Object.hasOwn(values ?? {}, path) ? [path] : path.split('.'))
    value =
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string, unknown>)[key]
        : undefined;
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  const asText = isPlain ? String(value) : value ? JSON.stringify(value) : null;
  return sql`${asText}::text`;
}

/** `step.<key>` is what became of the last email of that step, `step.<key>.x` a value of a webhook's response. */
function compareStep({ teamId, run }: Contacts, rest: string, op: Op, value: Value): Condition {
  const dot = rest.indexOf('.');
  if (dot !== -1) {
    const output = run?.outputs[rest.slice(0, dot)] as Record<string, unknown> | undefined;
    return compareProperty(valueOf(output ?? {}, rest.slice(dot + 1)), op, value);
  }
  const outcome = {
    delivered: sql`e.status in ('DELIVERED', 'OPENED', 'CLICKED', 'COMPLAINED')`,
    opened: sql`e.opened_at is not null`,
    clicked: sql`e.clicked_at is not null`,
    replied: sql`s.replied_at is not null`,
  }[op as 'delivered' | 'opened' | 'clicked' | 'replied'];
  return sql<boolean>`exists (
    select from automation_emails s join emails e on e.team_id = s.team_id and e.id = s.email_id
    where s.team_id = ${teamId} and s.run_id = ${run?.runId ?? null}::uuid and s.step = ${rest}::text and ${outcome}
  )`;
}

type Op = SegmentCondition['op'];
type Value = SegmentCondition['value'];
type Operand = RawBuilder<unknown>;

/** Compares normalised keys, so that any spelling of an address matches and the index can be used. */
function compareAddress(emailKey: Operand, op: Op, address: string): Condition {
  const key = parseAddress(address)?.key ?? address.toLowerCase();
  return op === 'equals'
    ? sql<boolean>`(${emailKey} = ${key}::text)`
    : sql<boolean>`(${emailKey} <> ${key}::text)`;
}

function compareText(operand: Operand, op: Op, value: Value): Condition {
  const wanted = String(value);
  switch (op) {
    case 'exists':
      return sql<boolean>`(coalesce(${operand}, '') <> '')`;
    case 'notExists':
      return sql<boolean>`(coalesce(${operand}, '') = '')`;
    case 'notEquals':
    case 'notContains':
      return not(compareText(operand, op === 'notEquals' ? 'equals' : 'contains', value));
    case 'contains':
      return sql<boolean>`(lower(${operand}) like lower(${`%${escapeLike(wanted)}%`}::text))`;
    case 'endsWith':
      return sql<boolean>`(lower(${operand}) like lower(${`%${escapeLike(wanted)}`}::text))`;
    case 'startsWith':
      return sql<boolean>`(lower(${operand}) like lower(${`${escapeLike(wanted)}%`}::text))`;
    default:
      return sql<boolean>`(lower(${operand}) = lower(${wanted}::text))`;
  }
}

function compareTime(operand: Operand, op: Op, value: Value): Condition {
  switch (op) {
    case 'exists':
      return sql<boolean>`(${operand} is not null)`;
    case 'notExists':
      return sql<boolean>`(${operand} is null)`;
    case 'withinLastDays':
      return sql<boolean>`(${operand} > ${daysFromNow(-Number(value))} and ${operand} <= now())`;
    case 'moreThanDaysAgo':
      return sql<boolean>`(${operand} < ${daysFromNow(-Number(value))})`;
    case 'withinNextDays':
      return sql<boolean>`(${operand} >= date_trunc('day', now(), 'UTC') and ${operand} < ${daysFromNow(Number(value))})`;
    default: {
      const moment = sql`${new Date(String(value))}::timestamptz`;
      return op === 'before'
        ? sql<boolean>`(${operand} < ${moment})`
        : sql<boolean>`(${operand} > ${moment})`;
    }
  }
}

function daysFromNow(days: number): Operand {
  return sql`(now() + make_interval(days => ${days}::integer))`;
}

function compareHasTime(operand: Operand, hasTime: boolean): Condition {
  return hasTime ? sql<boolean>`(${operand} is not null)` : sql<boolean>`(${operand} is null)`;
}

/**
 * The value of a property as text, whatever the spelling of its name. Most contacts have the property under this name,
 * under that of the book's variable, which is read once for the statement, or not at all. A search in the text finds the
 * few others faster than a list of the names.
 */
export function propertyText({ teamId, bookKey }: Book, properties: Operand, name: string): Operand {
  const asNamed = sql`${properties} ->> ${name}::text`;
  // These names are our own, and few contacts have them, so looking for other spellings would cost much for nothing.
  if (isMembership(name)) return sql`(${asNamed})`;
  const key = propertyKey(name);
  const variable = sql`(
    select variable from contact_books b, unnest(b.variables) as variable
    where b.team_id = ${teamId} and b.id = ${bookKey} and property_key(variable) = ${key}::text limit 1
  )`;
  return sql`coalesce(${asNamed}, ${properties} ->> ${variable}, case
    when strpos(property_key(${properties}::text), ${`${JSON.stringify(key)}:`}::text) > 0
    then find_property(${properties}, ${key}::text) end)`;
}

function compareProperty(asText: Operand, op: Op, value: Value): Condition {
  switch (op) {
    case 'exists':
      return sql<boolean>`(${asText} is not null)`;
    case 'notExists':
      return sql<boolean>`(${asText} is null)`;
    case 'before':
    case 'after':
    case 'withinLastDays':
    case 'moreThanDaysAgo':
    case 'withinNextDays':
      return sql<boolean>`(${isNear(asText, op, value)} and ${compareTime(sql`moment_of(${asText})`, op, value)})`;
    case 'greater':
      return sql<boolean>`(${toNumber(asText)} > ${String(value)}::numeric)`;
    case 'less':
      return sql<boolean>`(${toNumber(asText)} < ${String(value)}::numeric)`;
    case 'notEquals':
      return not(compareProperty(asText, 'equals', value));
    case 'equals':
      if (typeof value === 'number') return sql<boolean>`(${toNumber(asText)} = ${String(value)}::numeric)`;
      return compareText(asText, op, value);
    default:
      return compareText(asText, op, value);
  }
}

/**
 * The first ten characters of an ISO date compare like its day, except for the offset. This excludes most contacts
 * before the slower conversion.
 */
function isNear(asText: Operand, op: Op, value: Value): Condition {
  const days = Number(value);
  const moment = () => sql`${new Date(String(value))}::timestamptz`;
  const isAfter = (time: Operand) =>
    sql<boolean>`left(${asText}, 10) collate "C" >= ${dayOf(sql`${time} - interval '2 days'`)}`;
  const isBefore = (time: Operand) =>
    sql<boolean>`left(${asText}, 10) collate "C" <= ${dayOf(sql`${time} + interval '2 days'`)}`;
  switch (op) {
    case 'after':
      return isAfter(moment());
    case 'before':
      return isBefore(moment());
    case 'withinLastDays':
      return sql<boolean>`${isAfter(daysFromNow(-days))} and ${isBefore(sql`now()`)}`;
    case 'moreThanDaysAgo':
      return isBefore(daysFromNow(-days));
    default:
      return sql<boolean>`${isAfter(sql`now()`)} and ${isBefore(daysFromNow(days))}`;
  }
}

function dayOf(time: Operand): Operand {
  return sql`to_char((${time}) at time zone 'UTC', 'YYYY-MM-DD')`;
}

/** Also converts texts that look like numbers, because CSV imports store text. Null for everything else. */
function toNumber(asText: Operand): Operand {
  return sql`(case when length(${asText}) < 1000 and ${asText} ~ '^-?[0-9]+([.][0-9]+)?$'
    then ${asText}::numeric end)`;
}

function not(condition: Condition): Condition {
  return sql<boolean>`(${condition} is not true)`;
}
