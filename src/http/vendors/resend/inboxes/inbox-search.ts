/** Translates a search for threads to the text of our own search field. */
import { z } from 'zod';
import { text } from '../../../../platform/schema.ts';
import { DAY_MS } from '../../../../platform/durations.ts';

const person = z
  .string()
  .regex(/^[^",]{1,320}$/, { error: 'must be one address or name' })
  .optional();
const unsupported = z.undefined({ error: 'is not supported: search with to' }).optional();
const date = z.union([z.iso.date(), z.iso.datetime({ offset: true })], {
  error: 'must be a date or a time in ISO 8601, such as 2026-11-15',
});

export const searchFields = {
  query: text({ max: 500 }).optional(),
  from: person,
  to: person,
  cc: unsupported,
  bcc: unsupported,
  has_attachment: z.enum(['true', 'false']).optional(),
  start_date: date.optional(),
  end_date: date.optional(),
};
const search = z.object(searchFields);

/** Days are in UTC, and the last day is included. */
export function toSearch(fields: z.output<typeof search>): string {
  const { query = '', from, to, has_attachment, start_date, end_date } = fields;
  // In quotes, a word is never an operator.
  const words = query.split(/[\s"]+/).filter((word) => word !== '');
  return [
    ...words.map((word) => `"${word}"`),
    ...(from === undefined ? [] : [`from:"${from}"`]),
    ...(to === undefined ? [] : [`to:"${to}"`]),
    ...(has_attachment === undefined ? [] : [`${has_attachment === 'true' ? '' : '-'}has:attachment`]),
    ...(start_date === undefined ? [] : [`after:${dayOf(Date.parse(start_date))}`]),
    ...(end_date === undefined ? [] : [`before:${dayOf(Date.parse(end_date) + DAY_MS)}`]),
  ].join(' ');
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
