/** The files of emails and received messages, and links to them that work without an API key. */
import { parseMessage } from '../../../mail/offload/parse-message.ts';
import type { Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { encodeId } from '../../../platform/ids.ts';
import { ownCaller, type Caller } from '../../api/caller.ts';
import { getAttachment, getRawMessage } from '../../mailboxes/reading/messages.ts';
import type { EmailAttachment } from '../../sending/emails/emails.schema.ts';
import { findEmail } from '../../sending/emails/emails.ts';
import type { FileLink } from '../../content/links/links.ts';
import { presentAttachments, readShownContent } from './show-email.ts';

export interface File {
  contentType: string;
  filename: string | null;
  bytes: Buffer;
}

/** The attachments of a sent email, in the order of the message. A campaign's email has none. */
export async function listEmailAttachments(
  db: Db,
  caller: Caller,
  emailId: string,
): Promise<EmailAttachment[]> {
  const raw = await readShownContent(db, await findEmail(db, caller, emailId));
  return presentAttachments(raw ? (await parseMessage(raw)).attachments : []);
}

export async function getEmailAttachment(db: Db, caller: Caller, emailId: string, no: number): Promise<File> {
  const raw = await readShownContent(db, await findEmail(db, caller, emailId));
  const attachment = raw ? (await parseMessage(raw)).attachments[no] : undefined;
  if (!attachment) throw notFound('Attachment');
  return { contentType: attachment.contentType, filename: attachment.filename, bytes: attachment.content };
}

/** The caller must have verified the link, which grants access to this one file without an API key. */
export async function readLinkedFile(db: Db, { teamId, of, id, part }: FileLink): Promise<File> {
  const caller = ownCaller(teamId, 'link');
  if (of === 'message') {
    const messageId = encodeId('msg', id);
    return part === null ? getRawMessage(db, caller, messageId) : getAttachment(db, caller, messageId, part);
  }
  if (part === null) throw notFound('Attachment');
  return getEmailAttachment(db, caller, encodeId('eml', id), part);
}
