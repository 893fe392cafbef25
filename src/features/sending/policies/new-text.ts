/**
 * What an email says that its thread does not say already, for the person who approves it. Something counts as a quote
 * only if it is marked as one and is in the thread word for word: an agent, or who has misled it, can write anything
 * into a quote.
 */
import { sql } from 'kysely';
import { readTag } from '../../../mail/html/tag.ts';
import { htmlToPlainText } from '../../../mail/html/text.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';

const MAX_CHARACTERS = 4_000;
/** Lines of quotes that are looked for. Those after them count as new. */
const MAX_QUOTED_LINES = 500;
const MAX_SAID = 400_000;
const MAX_MESSAGES = 30;

interface Bodies {
  html: string | null;
  text: string | null;
}

interface Line {
  isQuoted: boolean;
  text: string;
}

/** `said` is everything that the messages of the thread say. Recipients see the HTML if there is one. */
export function newTextOf({ html, text }: Bodies, said: readonly string[]): string {
  const lines = html === null || html.trim() === '' ? linesOfText(text ?? '') : linesOfHtml(html);
  const known = squeeze(said.join('\n'));
  let left = MAX_QUOTED_LINES;
  const fresh = lines.filter((line) => {
    const isKnown = line.isQuoted && left-- > 0 && known.includes(squeeze(line.text));
    return !isKnown;
  });
  const shown = fresh.map((line) => (line.isQuoted && line.text !== '' ? `> ${line.text}` : line.text));
  return firstOf(shown.join('\n').replaceAll(/\n{3,}/g, '\n\n').trim());
}

/** What the messages of a thread say, newest first. Those that wait count as well, because people see them as well. */
export async function readSaid(trx: Db, teamId: number, threadId: string): Promise<string[]> {
  const { rows } = await sql<Row<'messages', 'html' | 'text'>>`
    select left(html, ${MAX_SAID}) as html, left(text, ${MAX_SAID}) as text from messages
    where team_id = ${teamId} and thread_id = ${threadId} and not draft
    order by created_at desc, id desc limit ${MAX_MESSAGES}
  `.execute(trx);
  const said: string[] = [];
  let left = MAX_SAID;
  for (const { html, text } of rows) {
    for (const each of [text ?? '', html === null ? '' : htmlToPlainText(html, left)]) {
      if (left <= 0) return said;
      said.push(each.slice(0, left));
      left -= each.length;
    }
  }
  return said;
}

function linesOfText(text: string): Line[] {
  return text.split(/\r?\n/).map((line) => {
    const bare = line.trimStart();
    const isQuoted = bare.startsWith('>');
    return { isQuoted, text: (isQuoted ? withoutMarks(bare) : line).trimEnd() };
  });
}

function linesOfHtml(html: string): Line[] {
  return splitAtQuotes(html).flatMap(({ isQuoted, html: part }) =>
    htmlToPlainText(part)
      .split('\n')
      .map((text) => ({ isQuoted, text: text.trimEnd() })),
  );
}

interface Part {
  isQuoted: boolean;
  html: string;
}

/** The parts inside and outside of `blockquote`, in order. */
function splitAtQuotes(html: string): Part[] {
  const parts: Part[] = [];
  let depth = 0;
  let start = 0;
  for (let open = html.indexOf('<'); open !== -1;) {
    const { name, isClosing, end } = readTag(html, open);
    if (name === 'blockquote') {
      const after = Math.max(0, depth + (isClosing ? -1 : 1));
      if (after === 0 || depth === 0) {
        parts.push({ isQuoted: depth > 0, html: html.slice(start, open) });
        start = end;
      }
      depth = after;
    }
    open = html.indexOf('<', end);
  }
  parts.push({ isQuoted: depth > 0, html: html.slice(start) });
  return parts;
}

/** Quotes are wrapped again, so only the words are compared. */
function squeeze(text: string): string {
  return text
    .split('\n')
    .map((line) => withoutMarks(line.trimStart()))
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

function withoutMarks(line: string): string {
  let at = 0;
  while (line[at] === '>' || (at > 0 && line[at] === ' ')) at += 1;
  return line.slice(at);
}

function firstOf(text: string): string {
  const characters = Array.from(text.slice(0, 2 * MAX_CHARACTERS));
  return characters.length > MAX_CHARACTERS ? `${characters.slice(0, MAX_CHARACTERS).join('')}…` : text;
}
