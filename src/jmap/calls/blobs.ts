/**
 * The IDs of blobs. `upl_…` is an uploaded file and `msg_…` the source of a message. A number after it is a part of
 * that message: `msg_…-1_2` is part 1.2, with its transfer encoding removed. A part that is itself a message can have
 * parts too.
 */
import type { MailLogin } from '../../features/identity/app-passwords/app-password-cache.ts';
import { readEmailRows, type JmapEmailRow } from '../../features/mailboxes/jmap/email-rows.ts';
import { readUpload } from '../../features/mailboxes/jmap/uploads.ts';
import { readSource } from '../../features/mailboxes/email-apps/message-source.ts';
import { contentOfPart, findBodyPart, readBody } from '../../mail/jmap/body-parts.ts';
import type { Db } from '../../platform/database/database.ts';
import { decodeId } from '../../platform/ids.ts';
import { fromEmailId, toEmailId } from './ids.ts';

const BLOB = /^((?:upl|msg)_[0-9a-z]{26})((?:-u\d{1,10})?)((?:-[\d_]+)*)$/;
const MAX_ID_LENGTH = 255;
/** The maximum number of nested messages. */
const MAX_STEPS = 4;

export interface FoundBlob {
  content: Buffer;
  /** The name that the client or the message gave it. */
  type: string;
}

/** The source of a message has the ID of the message, because neither changes. */
export const blobIdOf = toEmailId;

export function partBlobId(blobId: string, partId: string): string {
  return `${blobId}-${partId.replaceAll('.', '_')}`;
}

/** Returns null if it does not exist in this mailbox. */
export async function findBlob(db: Db, login: MailLogin, blobId: string): Promise<FoundBlob | null> {
  const [, base, version = '', path = ''] = (blobId.length <= MAX_ID_LENGTH && BLOB.exec(blobId)) || [];
  const steps = path.split('-').slice(1);
  if (base === undefined || steps.length > MAX_STEPS) return null;
  const found = base.startsWith('upl_')
    ? await findUpload(db, login, base)
    : await findMessage(db, login, base + version);
  return found && followParts(found, steps);
}

async function findUpload(db: Db, login: MailLogin, id: string): Promise<FoundBlob | null> {
  const uuid = decodeId('upl', id);
  const upload = uuid && (await readUpload(db, login, uuid));
  return upload ? { content: upload.content, type: upload.contentType } : null;
}

async function findMessage(db: Db, login: MailLogin, id: string): Promise<FoundBlob | null> {
  const row = await findEmail(db, login, id);
  return row && { content: await sourceOf(db, login, row), type: 'message/rfc822' };
}

/** Returns null if no message of this mailbox has the ID. */
export async function findEmail(db: Db, login: MailLogin, id: string): Promise<JmapEmailRow | null> {
  const ref = fromEmailId(id);
  const row = ref && (await readEmailRows(db, login, [ref.id])).get(ref.id);
  return row && row.version === ref.version ? row : null;
}

function followParts(found: FoundBlob, steps: string[]): FoundBlob | null {
  let current = found;
  for (const [at, step] of steps.entries()) {
    // Only a part that is a message has parts of its own. An upload may be a message, whatever its type.
    if (at > 0 && !/^message\/(?:rfc822|global)$/.test(current.type)) return null;
    const { root } = readBody(current.content);
    const part = findBodyPart(root, step.replaceAll('_', '.'));
    if (!part) return null;
    current = { content: contentOfPart(current.content, part), type: part.type };
  }
  return current;
}

/** Returns the bytes of a message. */
export function sourceOf(db: Db, login: MailLogin, row: JmapEmailRow): Promise<Buffer> {
  return readSource(db, login, row);
}
