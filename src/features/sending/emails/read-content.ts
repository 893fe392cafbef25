/** Reads the message of an email as it was composed, however it is stored. */
import type { Db } from '../../../platform/database/database.ts';
import { decompress, type Compressed } from '../../../platform/compress.ts';
import { readBlob } from '../content/read-blob.ts';
import { joinMessage } from '../content/split-message.ts';

/** Null for campaign emails, which are rendered when sent, and for deleted content. */
export async function readContent(db: Db, teamId: number, emailId: string): Promise<Buffer | null> {
  const content = await db
    .selectFrom('email_contents')
    .select(['raw as bytes', 'inflated_size as inflatedSize', 'full_size as fullSize'])
    .where('team_id', '=', teamId)
    .where('email_id', '=', emailId)
    .executeTakeFirst();
  if (!content) return null;
  const opened = await openContent(db, { teamId, emailId }, content);
  return typeof opened === 'function' ? opened() : opened;
}

interface StoredContent extends Compressed {
  /** Null when no parts were removed from the message. */
  fullSize: number | null;
}

/**
 * Returns the message. If parts of it are in the object store, which may be slow or unavailable, returns a function
 * that reads it.
 */
export async function openContent(
  db: Db,
  { teamId, emailId }: { teamId: number; emailId: string },
  content: StoredContent,
): Promise<Buffer | (() => Promise<Buffer>)> {
  const rest = await decompress(content);
  if (content.fullSize === null) return rest;
  const parts = await db
    .selectFrom('email_content_parts as p')
    .innerJoin('blobs as b', (join) =>
      join.onRef('b.team_id', '=', 'p.team_id').onRef('b.sha256', '=', 'p.sha256'),
    )
    .select(['p.at', 'b.sha256', 'b.bytes', 'b.object_key as objectKey'])
    .where('p.team_id', '=', teamId)
    .where('p.email_id', '=', emailId)
    .orderBy('p.at')
    .execute();
  const join = async () => {
    const contents = await Promise.all(parts.map((part) => readBlob(db, part)));
    return joinMessage(
      rest,
      parts.map(({ at }, no) => ({ at, content: contents[no]! })),
    );
  };
  return parts.some(({ objectKey }) => objectKey !== null) ? join : join();
}
