/** Prepares a message for display: embeds its own images and blocks remote ones until the user allows them. */
import { sql } from 'kysely';
import { blockRemoteImages, pointCidImages } from '../../../mail/html/clean-html.ts';
import type { Db } from '../../../platform/database/database.ts';
import { decodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { findBlobContent, type StoredBlob } from '../../content/stored/read-blob.ts';
import { getMessage } from './messages.ts';
import type { Message, MessageDisplay } from './threads.schema.ts';

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
/** Maximum total size of embedded images. Other images can still be fetched as attachments. */
const MAX_IMAGE_BYTES = 10 * 1024 * 1024;

/** Types that browsers display but cannot run as code. */
export function isImage(contentType: string): boolean {
  return IMAGES.includes(contentType.toLowerCase());
}

export async function displayMessage(
  db: Db,
  caller: Caller,
  messageId: string,
  images: 'held' | 'shown',
): Promise<MessageDisplay> {
  const message = await getMessage(db, caller, messageId);
  const { id, text } = message;
  const html = message.display_html ?? message.html;
  if (html === null) return { id, html, text, held_images: 0 };
  const own = await readOwnImages(db, caller.teamId, message);
  const whole = pointCidImages(html, (contentId) => own.get(contentId) ?? null);
  if (images === 'shown') return { id, html: whole, text, held_images: 0 };
  const shown = blockRemoteImages(whole);
  return { id, html: shown.html, text, held_images: shown.held };
}

/** Maps content IDs to data URLs, because the sandboxed frame cannot fetch images from our origin. */
async function readOwnImages(db: Db, teamId: number, message: Message): Promise<Map<string, string>> {
  const wanted = new Map<number, string>();
  let bytes = 0;
  for (const { n, content_id, content_type, size } of message.attachments) {
    if (content_id === null || !isImage(content_type) || bytes + size > MAX_IMAGE_BYTES) continue;
    bytes += size;
    wanted.set(n, content_id.replaceAll(/^<|>$/g, ''));
  }
  if (wanted.size === 0) return new Map();
  const { rows } = await sql<Row<'message_attachments', 'no' | 'content_type'> & StoredBlob>`
    select a.no, a.content_type, b.sha256, b.bytes, b.inflated_size as "inflatedSize", b.object_key as "objectKey" from message_attachments a
    join blobs b on b.team_id = a.team_id and b.sha256 = a.sha256
    where a.team_id = ${teamId} and a.message_id = ${decodeId('msg', message.id)}
      and a.no = any(${[...wanted.keys()]}::integer[])
  `.execute(db);
  const images = await Promise.all(
    rows.map(async (row) => {
      // A message whose image is missing is shown without it.
      const bytes = await findBlobContent(db, row);
      const url = bytes && `data:${row.content_type.toLowerCase()};base64,${bytes.toString('base64')}`;
      return url ? ([wanted.get(row.no)!, url] as const) : null;
    }),
  );
  return new Map(images.filter((image) => image !== null));
}
