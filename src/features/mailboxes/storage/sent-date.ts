/** The Date header of a message as it is stored. */
import type { ParsedMessage } from '../../../mail/mime/parse/parse-message.ts';

export function sentOf({
  date,
  sentOn,
}: Pick<ParsedMessage, 'date' | 'sentOn'>): { at: Date; on: string } | null {
  return date && sentOn !== null ? { at: date, on: sentOn } : null;
}
