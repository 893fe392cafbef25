/** Finds text in the bodies of a folder, as email apps do: any part of a word, in upper or lower case. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { readSearchedBodies } from '../storage/derived-bodies.ts';
import { extendGrams, findCandidates, type FolderRef } from './folder-grams.ts';
import { foldBytes, foldCase } from './grams.ts';
import { containsText } from '../../../platform/find-text.ts';

export interface BodyMatches {
  /** The UIDs of all messages that may contain the text. Null for all messages. */
  candidates: number[] | null;
  /** The UIDs of those messages without a body in their row that do. */
  found: number[];
}

/** With the header, its bytes are compared too, without decoding them. */
export async function searchBodies(
  db: Db,
  folder: FolderRef,
  value: string,
  withHeader: boolean,
): Promise<BodyMatches> {
  await extendGrams(db, folder);
  const candidates = await findCandidates(db, folder, value);
  if (candidates?.length === 0) return { candidates, found: [] };
  const { teamId, mailboxId, folderId } = folder;
  const { rows } = await sql<Row<'messages', 'uid'> & { hash: NonNullable<Row<'messages'>['raw_sha256']> }>`
    select uid, raw_sha256 as hash from messages
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and folder = ${folderId} and body_bytes is not null
      and ${candidates === null ? sql`true` : sql`uid = any(${candidates}::bigint[])`}
  `.execute(db);
  const byHash = new Map<string, number[]>();
  for (const { uid, hash } of rows) {
    const key = hash.toString('hex');
    byHash.set(key, [...(byHash.get(key) ?? []), uid]);
  }
  const [wanted, inHeader] = [foldCase(value), foldBytes(Buffer.from(value))];
  const found: number[] = [];
  await readSearchedBodies(
    db,
    teamId,
    rows.map(({ hash }) => hash),
    (hash, { text, html, source, bodyStart }) => {
      const matches =
        containsText(foldCase(text ?? html ?? ''), wanted) ||
        (withHeader && containsText(foldBytes(source.subarray(0, bodyStart)), inHeader));
      if (matches) found.push(...byHash.get(hash)!);
    },
  );
  return { candidates, found };
}
