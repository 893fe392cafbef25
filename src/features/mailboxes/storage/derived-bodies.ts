/**
 * The text and the HTML of messages whose row does not have them (decision 47). They are made from the source, as they
 * were when the message was received: `storeMessages` leaves them out only where that is cheap and always possible.
 */
import { sql } from 'kysely';
import { cleanHtmlOffLoop, cleanMailOffLoop } from '../../../mail/offload/clean-html.ts';
import { LARGE_BYTES, parseMessage } from '../../../mail/offload/parse-message.ts';
import { readAnyHeaders } from '../../../mail/mime/parse/raw-headers.ts';
import { runYielding } from '../../../platform/concurrency/run-yielding.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { findBlobContent, type StoredBlob } from '../../content/stored/read-blob.ts';
import { goesToObjectStore } from '../../content/stored/upload-blobs.ts';

export interface DerivedBody {
  text: string | null;
  html: string | null;
  displayHtml: string | null;
}

interface DerivedRow extends Row<
  'messages',
  'text' | 'html' | 'display_html' | 'body_bytes' | 'raw_sha256'
> {}

/** Sources that are read at once. Each has at most LARGE_BYTES. */
const AT_ONCE = 20;
/** Characters of all bodies in the cache, about 32 MB of memory at most. */
const MAX_CACHED_CHARACTERS = 16 * 1024 * 1024;

/**
 * The body of a large message takes long to make, and one in the object store could not be shown while that is away.
 * A draft is edited in its row.
 */
export function canDerive(db: Db, raw: Buffer | null, isDraft: boolean): boolean {
  return raw !== null && !isDraft && raw.length <= LARGE_BYTES && !goesToObjectStore(db, raw);
}

export function sizeOfBody({ text, html, displayHtml }: DerivedBody): number {
  return [text, html, displayHtml].reduce(
    (sum, each) => sum + (each === null ? 0 : Buffer.byteLength(each)),
    0,
  );
}

/** Adds the bodies that the rows lack, except to those that leave their body out. */
export async function addDerivedBodies<Read extends DerivedRow & { body_omitted?: boolean }>(
  db: Db,
  teamId: number,
  rows: Read[],
): Promise<Read[]> {
  const lacking = rows.filter(({ body_bytes, body_omitted }) => body_bytes !== null && !body_omitted);
  if (lacking.length === 0) return rows;
  const bodies = await readBodies(
    db,
    teamId,
    lacking.flatMap(({ raw_sha256 }) => raw_sha256 ?? []),
  );
  const added = new Set(lacking);
  return rows.map((row) => {
    const body = added.has(row) && row.raw_sha256 ? bodies.get(row.raw_sha256.toString('hex')) : undefined;
    return body ? { ...row, text: body.text, html: body.html, display_html: body.displayHtml } : row;
  });
}

/** By the hash of the source, least recently used first. The content of a hash never changes. */
const cache = new Map<string, DerivedBody>();
let cachedCharacters = 0;

/** Returns the bodies by the hash of the source in hexadecimal. */
async function readBodies(db: Db, teamId: number, hashes: Buffer[]): Promise<Map<string, DerivedBody>> {
  const bodies = new Map<string, DerivedBody>();
  const missing: Buffer[] = [];
  for (const hash of hashes) {
    const key = hash.toString('hex');
    const known = cache.get(key);
    if (!known) missing.push(hash);
    else {
      cache.delete(key);
      cache.set(key, known);
      bodies.set(key, known);
    }
  }
  await readSources(db, teamId, missing, async (key, source) => {
    const { text, html } = await parseMessage(source);
    const body = { text, ...(await cleanMailOffLoop(html)) };
    bodies.set(key, body);
    remember(key, body);
  });
  return bodies;
}

function charactersOf({ text, html, displayHtml }: DerivedBody): number {
  return (text?.length ?? 0) + (html?.length ?? 0) + (displayHtml?.length ?? 0);
}

function remember(key: string, body: DerivedBody): void {
  if (cache.has(key)) return;
  cache.set(key, body);
  cachedCharacters += charactersOf(body);
  for (const [oldest, old] of cache) {
    if (cachedCharacters <= MAX_CACHED_CHARACTERS) return;
    cache.delete(oldest);
    cachedCharacters -= charactersOf(old);
  }
}

/** The forms of a body that searches compare. `source` is the whole message. */
export interface SearchedBody {
  text: string | null;
  html: string | null;
  source: Buffer;
  /** Where the header of the source ends. */
  bodyStart: number;
}

/** Reads the bodies one after another, and calls `read` with the hash of the source in hexadecimal. */
export async function readSearchedBodies(
  db: Db,
  teamId: number,
  hashes: Buffer[],
  read: (hash: string, body: SearchedBody) => void,
): Promise<void> {
  await readSources(db, teamId, hashes, async (key, source) => {
    const section = readAnyHeaders(source);
    const { text, html } = await parseMessage(source, section);
    // Searches compare the HTML only where there is no text.
    const cleaned = text === null && html !== null ? await cleanHtmlOffLoop(html).catch(() => html) : html;
    read(key, { text, html: cleaned, source, bodyStart: section.bodyStart });
  });
}

async function readSources(
  db: Db,
  teamId: number,
  hashes: Buffer[],
  read: (hash: string, source: Buffer) => Promise<void>,
): Promise<void> {
  const wanted = [...new Map(hashes.map((hash) => [hash.toString('hex'), hash])).values()];
  for (let at = 0; at < wanted.length; at += AT_ONCE) {
    const { rows } = await sql<StoredBlob>`
      select sha256, bytes, inflated_size as "inflatedSize", object_key as "objectKey" from blobs
      where team_id = ${teamId} and sha256 = any(${wanted.slice(at, at + AT_ONCE)}::bytea[])
    `.execute(db);
    for (const row of rows) {
      const source = await findBlobContent(db, row);
      // A turn of its own, because many small messages take as long as a large one.
      if (source) await runYielding(LARGE_BYTES, () => read(row.sha256.toString('hex'), source));
    }
  }
}
