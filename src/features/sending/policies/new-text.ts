/**
 * What an email says that its thread does not say already, for the person who approves it. Something counts as a quote
 * only if it is marked as one and is in the thread word for word: an agent, or who has misled it, can write anything
 * into a quote.
 */
import { sql } from 'kysely';
import { readTag } from '../../../mail/html/tag.ts';
import { htmlToPlainText } from '../../../mail/html/text.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import { parseMessage } from '../../../mail/offload/parse-message.ts';
import { readBlob, type StoredBlob } from '../../content/stored/read-blob.ts';
import { WAS_EXCHANGED } from './exchanged-mail.ts';

const MAX_CHARACTERS = 4_000;
/** Lines of quotes that are looked for. Those after them count as new. */
const MAX_QUOTED_LINES = 500;
const MAX_SAID = 400_000;
const MAX_MESSAGES = 20;
/** Larger sources are not read. What is quoted from them counts as new. */
const MAX_RAW = 1_000_000;

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
  return firstOf(
    shown
      .join('\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim(),
  );
}

type SaidRow = CamelRow<'messages', 'html' | 'text'> & {
  [Name in keyof StoredBlob]: StoredBlob[Name] | null;
};

/** What the messages of a thread say, newest first. Those that wait do not count, because nobody has them yet. */
export async function readSaid(trx: Db, teamId: number, threadId: string): Promise<string[]> {
  const { rows } = await sql<SaidRow>`
    select left(m.html, ${MAX_SAID}) as html, left(m.text, ${MAX_SAID}) as text, b.sha256, b.bytes,
      b.inflated_size as "inflatedSize", b.object_key as "objectKey"
    from messages m left join emails e on e.team_id = m.team_id and e.id = m.email_id
    left join blobs b on b.team_id = m.team_id and b.sha256 = m.raw_sha256 and m.html is null and m.text is null
      and coalesce(b.inflated_size, octet_length(b.bytes), 0) <= ${MAX_RAW}
    where m.team_id = ${teamId} and m.thread_id = ${threadId} and not m.draft
      and ${WAS_EXCHANGED}
    order by m.created_at desc, m.id desc limit ${MAX_MESSAGES}
  `.execute(trx);
  const said: string[] = [];
  let left = MAX_SAID;
  for (const row of rows) {
    const { html, text } = await bodiesOf(trx, row);
    for (const each of [text ?? '', html === null ? '' : htmlToPlainText(html, left)]) {
      if (left <= 0) return said;
      said.push(each.slice(0, left));
      left -= each.length;
    }
  }
  return said;
}

/** Received messages keep their bodies only in their source. */
async function bodiesOf(trx: Db, { html, text, ...blob }: SaidRow): Promise<Bodies> {
  if (blob.sha256 === null) return { html, text };
  const parsed = await parseMessage(await readBlob(trx, blob as StoredBlob));
  return { html: parsed.html ?? null, text: parsed.text ?? null };
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
  const characters = Array.from(text.slice(0, 2 * MAX_CHARACTERS + 2));
  return characters.length > MAX_CHARACTERS ? `${characters.slice(0, MAX_CHARACTERS).join('')}…` : text;
}
