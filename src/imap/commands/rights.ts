/**
 * The rights in the mailbox (RFC 4314). They can be read. They are given in webmail and by the API, for the whole mailbox
 * and not by folder, so changes of them are refused.
 */
import { reachesLevel } from '../../features/api/mailbox-access.ts';
import { needInFolder } from '../../features/mailboxes/access/message-needs.ts';
import { isSystemFolder } from '../../features/mailboxes/storage/folder-names.ts';
import type { FolderRow } from '../../features/mailboxes/storage/folder-rows.ts';
import { writeAstring } from '../../mail/imap/write-values.ts';
import { readFolderName, requireFolder, writeFolderName } from '../session/folder-names.ts';
import { Refusal, type CommandInput, type CommandResult, type UserSession } from '../session/session.ts';

/** Everyone with access: find the folder, read it, and keep what has been read. */
const READING = 'lrs';
/** Write flags, insert, delete and expunge messages. */
const WRITING = 'wite';
/** Messages get into the snoozed folder only by snoozing, which has an end. */
const WITHOUT_INSERTING = 'wte';
/** Create folders below it, and delete the folder. */
const OF_FOLDERS = 'kx';

function rightsIn({ login }: UserSession, folder: FolderRow): string {
  const may = (need: Parameters<typeof reachesLevel>[1]) => reachesLevel(login.access, need);
  const folders = !may('reply') ? '' : isSystemFolder(folder.id) ? 'k' : OF_FOLDERS;
  const writing = folder.id === 'snoozed' ? WITHOUT_INSERTING : WRITING;
  return `${READING}${may(needInFolder(folder.id)) ? writing : ''}${folders}`;
}

async function readFolder(session: UserSession, { cursor }: CommandInput): Promise<FolderRow> {
  cursor.space();
  const folder = await requireFolder(session, readFolderName(session, cursor));
  cursor.end();
  return folder;
}

export async function myRights(session: UserSession, input: CommandInput): CommandResult {
  const folder = await readFolder(session, input);
  session.out.line(`* MYRIGHTS ${writeFolderName(session, folder.name)} ${rightsIn(session, folder)}`);
}

/** Who else has access is not told: email apps know addresses, and the list has people. */
export async function getAcl(session: UserSession, input: CommandInput): CommandResult {
  const folder = await readFolder(session, input);
  const user = writeAstring(session.login.address);
  session.out.line(`* ACL ${writeFolderName(session, folder.name)} ${user} ${rightsIn(session, folder)}`);
}

export async function listRights(session: UserSession, { cursor }: CommandInput): CommandResult {
  cursor.space();
  const folder = await requireFolder(session, readFolderName(session, cursor));
  cursor.space();
  const identifier = cursor.astring();
  cursor.end();
  const rights = rightsIn(session, folder);
  session.out.line(
    `* LISTRIGHTS ${writeFolderName(session, folder.name)} ${writeAstring(identifier)} ${rights}`,
  );
}

export async function refuseRights(): CommandResult {
  throw new Refusal('NOPERM', 'Access is given in webmail, for the whole mailbox');
}
