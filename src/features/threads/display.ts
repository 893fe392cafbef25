/** A message as it is put before a person: its own images inside, those of other servers held back until asked for. */
import { sql } from 'kysely';
import { holdBackRemoteImages, pointCidImages } from '../../mail/clean-html.ts';
import type { Db } from '../../platform/database.ts';
import { decodeId } from '../../platform/ids.ts';
import type { Caller } from '../../platform/route.ts';
import { getMessage } from './messages.ts';
import type { Message, MessageDisplay } from './threads.schema.ts';

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
/** Of all images together; those behind it can still be fetched as attachments. */
const MAX_IMAGE_BYTES = 10 * 1024 * 1024;

/** What browsers show and cannot run. */
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
  const { id, html, text } = message;
  if (html === null) return { id, html, text, held_images: 0 };
  const own = await readOwnImages(db, caller.teamId, message);
  const whole = pointCidImages(html, (contentId) => own.get(contentId) ?? null);
  if (images === 'shown') return { id, html: whole, text, held_images: 0 };
  const shown = holdBackRemoteImages(whole);
  return { id, html: shown.html, text, held_images: shown.held };
}

/** By the name that the HTML has for them. Inside, because a frame without rights of its own cannot fetch them. */
async function readOwnImages(db: Db, teamId: number, message: Message): Promise<Map<string, string>> {
  const wanted = new Map<number, string>();
  let bytes = 0;
  for (const { n, content_id, content_type, size } of message.attachments) {
    if (content_id === null || !isImage(content_type) || bytes + size > MAX_IMAGE_BYTES) continue;
    bytes += size;
    wanted.set(n, content_id.replaceAll(/^<|>$/g, ''));
  }
  if (wanted.size === 0) return new Map();
  const { rows } = await sql<{ no: number; content_type: string; bytes: Buffer }>`
    select a.no, a.content_type, b.bytes from message_attachments a
    join blobs b on b.team_id = a.team_id and b.sha256 = a.sha256
    where a.team_id = ${teamId} and a.message_id = ${decodeId('msg', message.id)}
      and a.no = any(${[...wanted.keys()]}::integer[])
  `.execute(db);
  return new Map(
    rows.map((row) => [
      wanted.get(row.no)!,
      `data:${row.content_type.toLowerCase()};base64,${row.bytes.toString('base64')}`,
    ]),
  );
}
