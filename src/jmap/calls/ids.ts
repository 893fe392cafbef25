/** The IDs of JMAP objects. They are the IDs that the API uses. */
import type { MailLogin } from '../../features/identity/app-passwords/app-password-cache.ts';
import type { MessageRef } from '../../features/mailboxes/jmap/email-rows.ts';
import { decodeId, encodeId } from '../../platform/ids.ts';

export function toAccountId({ mailboxId }: Pick<MailLogin, 'mailboxId'>): string {
  return encodeId('mbx', mailboxId);
}

export const toThreadId = (uuid: string): string => encodeId('thr', uuid);
export const fromThreadId = (id: string): string | null => decodeId('thr', id);

/** `msg_…`, and for a draft of webmail `msg_…-u7`: see EmailRef. */
export function toEmailId({ id, version }: MessageRef): string {
  return version === null ? encodeId('msg', id) : `${encodeId('msg', id)}-u${version}`;
}

export function fromEmailId(text: string): MessageRef | null {
  const [, encoded = '', version] = /^(msg_[0-9a-z]{26})(?:-u(\d{1,10}))?$/.exec(text) ?? [];
  const id = decodeId('msg', encoded);
  return id === null ? null : { id, version: version === undefined ? null : Number(version) };
}

/** RFC 8620 section 1.2. */
const ID = /^[A-Za-z0-9_-]{1,255}$/;

export function isId(text: unknown): text is string {
  return typeof text === 'string' && ID.test(text);
}

/** A state is a change number. Inside a page it also has the position within a change (see email-changes.ts). */
export function readState(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
