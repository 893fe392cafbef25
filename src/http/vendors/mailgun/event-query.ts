/**
 * The query of Mailgun's list of events. A page is identified by a token that contains the whole query and a position,
 * because clients follow `paging.next` with or without the query of the first page.
 */
import { z } from 'zod';
import type {
  EmailEventFilter,
  EventPosition,
} from '../../../features/activity/email-log/list-events-by-time.ts';
import { parseAddress } from '../../../mail/mime/address.ts';
import { readDate } from '../../../mail/mime/parse/read-date.ts';
import { badRequest, invalidField } from '../../../platform/errors.ts';
import { integerText, text } from '../../../platform/schema.ts';
import { validate } from '../../requests/validate.ts';
import { typesOf, type Severity } from './event-types.ts';
import { batchTag, domainTag, storedForms, written } from './labels.ts';

const MAX_LIMIT = 300;
const DEFAULT_LIMIT = 100;
const MAX_TERMS = 20;

/** JavaScript clients write a missing value as `undefined`. */
const given = z
  .string()
  .max(1_000)
  .optional()
  .transform((value) => (value === undefined || value === '' || value === 'undefined' ? undefined : value));

/** An unknown filter is rejected, because ignoring it would list other events. */
export const eventQuery = z.strictObject({
  event: given,
  severity: given,
  begin: given,
  end: given,
  ascending: given,
  limit: z.union([integerText(1, MAX_LIMIT), z.literal('undefined').transform(() => undefined)]).optional(),
  tags: given,
  recipient: given,
  'message-id': given,
});
export type EventQuery = z.output<typeof eventQuery>;

export interface EventPage {
  query: EventQuery;
  /** The page begins after this position, or ends before it. */
  at: EventPosition | null;
  direction: 'next' | 'previous';
}

const token = z.strictObject({
  query: eventQuery.extend({ limit: z.int().min(1).max(MAX_LIMIT).optional() }),
  at: z
    .strictObject({
      at: z
        .string()
        .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
        .refine((at) => !Number.isNaN(Date.parse(at))),
      id: z.uuid(),
    })
    .nullable(),
  direction: z.enum(['next', 'previous']),
});

export function writeToken(page: EventPage): string {
  return Buffer.from(JSON.stringify(page)).toString('base64url');
}

export function readToken(page: string): EventPage {
  try {
    return validate(token, JSON.parse(Buffer.from(page, 'base64url').toString('utf8')) as unknown);
  } catch {
    throw badRequest('The page is not valid for this list.');
  }
}

export const pagePath = { page: text({ min: 1, max: 8_000 }) };

export interface EventSearch {
  filter: EmailEventFilter;
  order: 'asc' | 'desc';
  limit: number;
}

export function toSearch(query: EventQuery, domainId: number): EventSearch {
  const begin = readTime('begin', query.begin);
  const end = readTime('end', query.end);
  const order = readOrder(query.ascending, begin, end);
  const [oldest, newest] = order === 'asc' ? [begin, end] : [end, begin];
  return {
    order,
    limit: query.limit ?? DEFAULT_LIMIT,
    filter: {
      types: typesOf(readTerms('event', query.event, 'OR'), readSeverity(query.severity)),
      domain: { id: domainId, orTag: written(domainTag(domainId)) },
      since: oldest === null ? null : new Date(Math.floor(oldest)),
      until: newest === null ? null : new Date(Math.ceil(newest)),
      tagGroups: readTagGroups(query.tags),
      email: readMessageId(query['message-id']),
      recipientKey: readRecipient(query.recipient),
    },
  };
}

/** Reads seconds since 1970, or a time as in RFC 2822. Returns milliseconds. */
function readTime(name: string, value: string | undefined): number | null {
  if (value === undefined) return null;
  const time = /^\d{1,11}(?:\.\d{1,20})?$/.test(value)
    ? Number(value) * 1000
    : readDate(value)?.date.getTime();
  if (time === undefined || time > 8e15)
    throw invalidField(name, 'must be a time as in RFC 2822, or the seconds since 1970');
  return time;
}

/** Without `ascending`, begin and end decide. Without both, the newest events come first. */
function readOrder(ascending: string | undefined, begin: number | null, end: number | null): 'asc' | 'desc' {
  if (ascending !== undefined) {
    if (!/^(?:yes|no|true|false)$/i.test(ascending)) throw invalidField('ascending', 'must be yes or no');
    return /^(?:yes|true)$/i.test(ascending) ? 'asc' : 'desc';
  }
  if (begin !== null && end !== null) return begin <= end ? 'asc' : 'desc';
  return begin === null ? 'desc' : 'asc';
}

/** Reads `a OR b`, or `a AND b`. Parentheses and NOT are rejected. */
function readTerms(name: string, value: string | undefined, operator: 'AND' | 'OR'): string[] | null {
  if (value === undefined) return null;
  const terms = value.split(` ${operator} `).map((term) => term.trim().replaceAll(/^"|"$/g, ''));
  if (terms.length > MAX_TERMS || terms.some((term) => term === '' || /[()]|^NOT | (?:AND|OR) /.test(term)))
    throw invalidField(name, `must be one value, or up to ${MAX_TERMS} joined with ${operator}`);
  return terms;
}

function readSeverity(value: string | undefined): Severity | null {
  if (value === undefined) return null;
  if (value !== 'permanent' && value !== 'temporary')
    throw invalidField('severity', 'must be permanent or temporary');
  return value;
}

function readTagGroups(value: string | undefined): string[][] {
  if (value === undefined) return [];
  if (value.includes(' OR ')) return [readTerms('tags', value, 'OR')!.flatMap(storedForms)];
  return readTerms('tags', value, 'AND')!.map(storedForms);
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The ID of a batch stands for all its messages. */
function readMessageId(value: string | undefined): EmailEventFilter['email'] {
  if (value === undefined) return null;
  const id = value.trim().replaceAll(/^<|>$/g, '');
  const local = id.slice(0, Math.max(0, id.indexOf('@')));
  return UUID.test(local) ? { tag: written(batchTag(local)) } : { messageId: `<${id}>` };
}

function readRecipient(value: string | undefined): string | null {
  if (value === undefined) return null;
  const address = parseAddress(value);
  if (!address) throw invalidField('recipient', 'must be an email address');
  return address.key;
}
