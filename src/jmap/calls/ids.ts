/** The ids of JMAP. Folders have the ids of the API; the others are those of the API too. */
import type { MailLogin } from '../../features/account/app-passwords/app-password-cache.ts';
import { decodeId, encodeId } from '../../platform/ids.ts';

export function toAccountId({ mailboxId }: Pick<MailLogin, 'mailboxId'>): string {
  return encodeId('mbx', mailboxId);
}

export const toEmailId = (uuid: string): string => encodeId('msg', uuid);
export const toThreadId = (uuid: string): string => encodeId('thr', uuid);
export const fromEmailId = (id: string): string | null => decodeId('msg', id);
export const fromThreadId = (id: string): string | null => decodeId('thr', id);

/** RFC 8620 section 1.2. */
const ID = /^[A-Za-z0-9_-]{1,255}$/;

export function isId(text: unknown): text is string {
  return typeof text === 'string' && ID.test(text);
}

/** A state is a change number, in pages with the place inside a change (see email-changes.ts). */
export function readState(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
