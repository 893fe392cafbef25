/**
 * Finds messages by their bodies, where the body is made from the source (decision 47) and PostgreSQL cannot compare it.
 * The caller narrows the candidates by the index of words first.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import { readSearchedBodies, type SearchedBody } from '../storage/derived-bodies.ts';

/** The texts of a message that searches compare. */
export interface SearchedMessage extends SearchedBody {
  subject: string;
  sender: string;
  recipients: string;
}

type CandidateRow = CamelRow<'messages', 'id' | 'subject' | 'sender'> & {
  rawHash: NonNullable<Row<'messages'>['raw_sha256']>;
  recipients: string;
};

/** The latest candidates are compared; reading more would take minutes. */
const MAX_CANDIDATES = 20_000;
const TAG = /<[^<>]*>/g;

/** True for messages of `m` whose body is in their row. */
export const HAS_BODY = sql<boolean>`(m.body_bytes is null)`;

/** Returns the IDs of the messages without a body in their row that fulfil both conditions. */
export async function findInBodies(
  db: Db,
  { teamId, mailboxId }: MailboxRef,
  candidates: RawBuilder<unknown>,
  matches: (message: SearchedMessage) => boolean,
): Promise<string[]> {
  const { rows } = await sql<CandidateRow>`
    select m.id, m.raw_sha256 as "rawHash", m.subject, m.sender,
      array_to_string(m.to_addresses || m.cc_addresses || m.bcc_addresses, ' ') as recipients
    from messages m
    where m.team_id = ${teamId} and m.mailbox_id = ${mailboxId} and m.body_bytes is not null and ${candidates}
    order by m.id desc limit ${MAX_CANDIDATES}
  `.execute(db);
  const byHash = new Map<string, CandidateRow[]>();
  for (const row of rows) {
    const key = row.rawHash.toString('hex');
    byHash.set(key, [...(byHash.get(key) ?? []), row]);
  }
  const found: string[] = [];
  await readSearchedBodies(
    db,
    teamId,
    rows.map(({ rawHash }) => rawHash),
    (hash, body) => {
      for (const row of byHash.get(hash)!) if (matches({ ...row, ...body })) found.push(row.id);
    },
  );
  return found;
}

/** The body without tags. */
export function plainOf({ text, html }: Pick<SearchedBody, 'text' | 'html'>): string {
  return text ?? html?.replaceAll(TAG, ' ') ?? '';
}

/**
 * Whether the words follow each other, the first of them at the beginning of a word. What is between them may be any
 * number of characters that are not letters or digits. Both must be in lower case.
 */
export function hasPhraseIn(text: string, words: readonly string[]): boolean {
  const [first = '', ...others] = words;
  for (let at = text.indexOf(first); at !== -1; at = text.indexOf(first, at + 1)) {
    if (isLetter(text, at - 1)) continue;
    let end: number | null = at + first.length;
    for (const word of others) end = end === null ? null : endOfNext(text, end, word);
    if (end !== null) return true;
  }
  return false;
}

const LETTER = /[\p{L}\p{N}]/u;
/** More characters between two words of a phrase do not occur, and looking for them would take quadratic time. */
const MAX_BETWEEN = 200;

function isLetter(text: string, at: number): boolean {
  return at >= 0 && at < text.length && LETTER.test(String.fromCodePoint(text.codePointAt(at)!));
}

function endOfNext(text: string, from: number, word: string): number | null {
  for (let at = from; at < Math.min(text.length, from + MAX_BETWEEN); at += 1) {
    if (text.startsWith(word, at)) return at + word.length;
    if (isLetter(text, at)) return null;
  }
  return null;
}
