/** The names of folders. Levels are separated by a slash. */
import { badRequest } from '../../../platform/errors.ts';

/**
 * The folders that every mailbox has. Their IDs are also their special uses (RFC 6154). `snoozed` (RFC 9979) is created
 * with the first thread that is snoozed; messages get there in no other way.
 */
export const SYSTEM_FOLDERS = ['inbox', 'archive', 'sent', 'drafts', 'spam', 'trash', 'snoozed'] as const;
export type SystemFolder = (typeof SYSTEM_FOLDERS)[number];

export function isSystemFolder(id: string): id is SystemFolder {
  return (SYSTEM_FOLDERS as readonly string[]).includes(id);
}

/** Messages get into these folders in other ways, so rules do not move any there. */
export const NOT_FOR_RULES: readonly string[] = ['sent', 'drafts', 'snoozed'] satisfies SystemFolder[];

export const MAX_FOLDER_NAME = 200;
/** Control characters and the wildcards of the IMAP command LIST are not allowed. */
const FORBIDDEN = /[\p{Cc}%*]/u;

/** Only INBOX ignores case (RFC 9051 section 5.1). */
export function normalizeName(name: string): string {
  return name.normalize('NFC').replace(/^inbox(?=\/|$)/i, 'INBOX');
}

/** Returns the name as it is stored. */
export function checkName(rawName: string): string {
  const name = normalizeName(rawName);
  if (name === '' || [...name].length > MAX_FOLDER_NAME)
    throw badRequest(`The name of a folder must have 1 to ${MAX_FOLDER_NAME} characters.`);
  if (FORBIDDEN.test(name) || !name.isWellFormed())
    throw badRequest('The name of a folder must not contain control characters, % or *.');
  if (name.split('/').some((level) => level === '' || level.trim() !== level))
    throw badRequest('The name of a folder must not start or end with a space or a slash, at any level.');
  return name;
}
