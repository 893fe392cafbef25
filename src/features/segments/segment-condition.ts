/**
 * A filter as SQL over `contacts`. Whatever a caller wrote is a parameter, never SQL. Nothing in it can fail on what
 * a contact holds: properties are of any type, so each comparison first looks whether there is something to compare.
 * Text is compared without regard to case. "Not" means that the opposite is not true: it holds for a contact without
 * a value as well.
 */
import { sql, type RawBuilder } from 'kysely';
import { parseAddress } from '../../mail/address.ts';
import { escapeLike, VARYING } from '../../platform/database.ts';
import {
  PROPERTY_PREFIX,
  type SegmentCondition,
  type SegmentFilter,
  type SegmentPart,
} from './segment-filter.ts';

type Condition = RawBuilder<boolean>;

/** `alias` is the name of `contacts` in the statement that this becomes a part of. */
export function segmentCondition(filter: SegmentFilter, alias = 'c'): Condition {
  return sql<boolean>`${sql.raw(VARYING)} ${compilePart(filter, alias)}`;
}

function compilePart(part: SegmentPart, alias: string): Condition {
  if ('all' in part) return joinParts(part.all, sql` and `, alias);
  if ('any' in part) return joinParts(part.any, sql` or `, alias);
  return compileCondition(part, alias);
}

function joinParts(parts: SegmentPart[], separator: RawBuilder<unknown>, alias: string): Condition {
  if (parts.length === 0) return sql<boolean>`true`;
  return sql<boolean>`(${sql.join(
    parts.map((part) => compilePart(part, alias)),
    separator,
  )})`;
}

function compileCondition({ field, op, value }: SegmentCondition, alias: string): Condition {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  switch (field) {
    case 'email':
      return op === 'equals' || op === 'notEquals'
        ? compareAddress(column('email_key'), op, String(value))
        : compareText(column('email'), op, value);
    case 'firstName':
      return compareText(column('first_name'), op, value);
    case 'lastName':
      return compareText(column('last_name'), op, value);
    case 'subscribed':
      return sql<boolean>`((${column('subscription')} = 'subscribed') = ${(op === 'equals') === value}::boolean)`;
    case 'createdAt':
      return compareTime(column('created_at'), op, value);
    case 'updatedAt':
      return compareTime(column('updated_at'), op, value);
    case 'engagement.opened':
      return compareSeen(column('last_opened_at'), (op === 'equals') === value);
    case 'engagement.clicked':
      return compareSeen(column('last_clicked_at'), (op === 'equals') === value);
    case 'engagement.lastOpenedAt':
      return compareTime(column('last_opened_at'), op, value);
    case 'engagement.lastClickedAt':
      return compareTime(column('last_clicked_at'), op, value);
    default:
      return compareProperty(column('properties'), field.slice(PROPERTY_PREFIX.length), op, value);
  }
}

type Op = SegmentCondition['op'];
type Value = SegmentCondition['value'];
type Operand = RawBuilder<unknown>;

/** One contact has one address, whatever its spelling: the key is compared, and the index finds it. */
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
    default: {
      const moment = sql`${new Date(String(value))}::timestamptz`;
      return op === 'before'
        ? sql<boolean>`(${operand} < ${moment})`
        : sql<boolean>`(${operand} > ${moment})`;
    }
  }
}

function compareSeen(operand: Operand, seen: boolean): Condition {
  return seen ? sql<boolean>`(${operand} is not null)` : sql<boolean>`(${operand} is null)`;
}

function compareProperty(properties: Operand, key: string, op: Op, value: Value): Condition {
  const asText = sql`(${properties} ->> ${key}::text)`;
  switch (op) {
    case 'exists':
      return sql<boolean>`(${asText} is not null)`;
    case 'notExists':
      return sql<boolean>`(${asText} is null)`;
    case 'before':
    case 'after':
      return compareTime(sql`moment_of(${asText})`, op, value);
    case 'greater':
      return sql<boolean>`(${toNumber(asText)} > ${String(value)}::numeric)`;
    case 'less':
      return sql<boolean>`(${toNumber(asText)} < ${String(value)}::numeric)`;
    case 'notEquals':
      return not(compareProperty(properties, key, 'equals', value));
    case 'equals':
      if (typeof value === 'number') return sql<boolean>`(${toNumber(asText)} = ${String(value)}::numeric)`;
      return compareText(asText, op, value);
    default:
      return compareText(asText, op, value);
  }
}

/** Numbers, and texts that are one (those of a CSV file are texts); null for all others. */
function toNumber(asText: Operand): Operand {
  return sql`(case when length(${asText}) < 1000 and ${asText} ~ '^-?[0-9]+([.][0-9]+)?$'
    then ${asText}::numeric end)`;
}

function not(condition: Condition): Condition {
  return sql<boolean>`(${condition} is not true)`;
}
