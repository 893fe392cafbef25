/** Parses messages in tests of the parser. */
import { expect } from 'vitest';
import type { ParsedMessage } from '../mail/mime/parse/parse-message.ts';
import { parseMessage } from '../mail/offload/parse-message.ts';

export const HEAD = [
  'From: Ada <ada@example.com>',
  'To: bob@example.com',
  'Subject: Hi',
  'MIME-Version: 1.0',
];

export function parse(lines: (string | Buffer)[]): Promise<ParsedMessage> {
  return parseMessage(Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\r\n')])));
}

/** Returns all texts of the message, to check that they can be stored. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value) || value instanceof Date)
    return [];
  return Object.values(value).flatMap(textsOf);
}

export function expectStorable(parsed: ParsedMessage): void {
  for (const text of textsOf(parsed)) expect(text.isWellFormed() && !text.includes('\0')).toBe(true);
}
