/** Finds folders by the names that clients write. */
import { findFolderByName, type FolderRow } from '../../features/mailboxes/storage/folder-rows.ts';
import type { CommandCursor } from '../../mail/imap/command-cursor.ts';
import { decodeMailboxName, encodeMailboxName } from '../../mail/imap/mailbox-names.ts';
import { writeAstring } from '../../mail/imap/write-values.ts';
import { encodeId } from '../../platform/ids.ts';
import { isUtf8, Refusal, type Session, type UserSession } from './session.ts';

/** The separator of levels in folder names. */
export const DELIMITER = '/';

export function readFolderName(session: Session, cursor: CommandCursor): string {
  const name = decodeMailboxName(cursor.astring(), isUtf8(session));
  if (name === null) throw new Refusal('CANNOT', 'The name is not valid UTF-7');
  return name;
}

export function writeFolderName(session: Session, name: string): string {
  return writeAstring(encodeMailboxName(name, isUtf8(session)));
}

/** `code` tells the client whether creating the folder first would help. */
export async function requireFolder(
  session: UserSession,
  name: string,
  code: 'NONEXISTENT' | 'TRYCREATE' = 'NONEXISTENT',
): Promise<FolderRow> {
  const folder = await findFolderByName(session.tools.db, session.login, name);
  if (!folder) throw noSuchFolder(code);
  return folder;
}

export function noSuchFolder(code: 'NONEXISTENT' | 'TRYCREATE'): Refusal {
  return new Refusal(code, 'There is no folder with this name');
}

/** RFC 8474. The six default folders have the same IDs in every mailbox, so the mailbox is added. */
export function folderIdOf(mailboxId: string, folderId: string): string {
  return folderId.startsWith('fld_') ? folderId : `${encodeId('mbx', mailboxId)}-${folderId}`;
}
