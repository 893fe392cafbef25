/** Reads the message of an email as it was composed, however it is stored. */
import type { Db } from '../../../platform/database/database.ts';
import { createBudget } from '../../../platform/memory/budget.ts';
import { decompress, type Compressed } from '../../../platform/compress.ts';
import { composeIngredients, readRecipe } from '../../content/stored/message-recipe.ts';
import { readBlob, type StoredBlob } from '../../content/stored/read-blob.ts';
import { joinMessage, type MessagePart } from '../../content/stored/split-message.ts';
import { linksOf } from '../../content/links/links-of.ts';
import type { EmailRef } from '../../content/links/links.ts';

/** Null for campaign emails, which are rendered when sent, and for deleted content. */
export async function readContent(db: Db, teamId: number, emailId: string): Promise<Buffer | null> {
  const content = await db
    .selectFrom('email_contents')
    .select([
      'raw as bytes',
      'inflated_size as inflatedSize',
      'full_size as fullSize',
      'is_recipe as isRecipe',
    ])
    .where('team_id', '=', teamId)
    .where('email_id', '=', emailId)
    .executeTakeFirst();
  if (!content) return null;
  const opened = await openContent(db, { teamId, emailId }, content);
  return typeof opened === 'function' ? opened() : opened;
}

/** Many deliveries begin at once, and composing a message takes several times its size: text, HTML, links and bytes. */
const COPIES = 8;
const withinBudget = createBudget(16 * 1024 * 1024);

interface StoredContent extends Compressed {
  /** Null when no parts were removed from the message. */
  fullSize: number | null;
  isRecipe: boolean;
}

/**
 * Returns the message. If it must be composed from a recipe, or if parts of it are in the object store, which may be
 * slow or unavailable, returns a function that reads it.
 */
export async function openContent(
  db: Db,
  { teamId, emailId }: { teamId: number; emailId: string },
  content: StoredContent,
): Promise<Buffer | (() => Promise<Buffer>)> {
  const rest = await decompress(content);
  if (content.isRecipe)
    return () => withinBudget(COPIES * content.fullSize!, () => composeRecipe(db, { teamId, emailId }, rest));
  if (content.fullSize === null) return rest;
  const parts = await findParts(db, { teamId, emailId });
  const join = async () => joinMessage(rest, await readParts(db, parts));
  return parts.some(({ objectKey }) => objectKey !== null) ? join : join();
}

async function composeRecipe(db: Db, email: EmailRef, json: Buffer): Promise<Buffer> {
  const parts = await readParts(db, await findParts(db, email));
  return composeIngredients(readRecipe(json, parts), linksOf(db), email);
}

type FoundPart = StoredBlob & { at: number };

function findParts(db: Db, { teamId, emailId }: EmailRef): Promise<FoundPart[]> {
  return db
    .selectFrom('email_content_parts as p')
    .innerJoin('blobs as b', (join) =>
      join.onRef('b.team_id', '=', 'p.team_id').onRef('b.sha256', '=', 'p.sha256'),
    )
    .select(['p.at', 'b.sha256', 'b.bytes', 'b.inflated_size as inflatedSize', 'b.object_key as objectKey'])
    .where('p.team_id', '=', teamId)
    .where('p.email_id', '=', emailId)
    .orderBy('p.at')
    .execute();
}

async function readParts(db: Db, parts: FoundPart[]): Promise<MessagePart[]> {
  const contents = await Promise.all(parts.map((part) => readBlob(db, part)));
  return parts.map(({ at }, no) => ({ at, content: contents[no]! }));
}
