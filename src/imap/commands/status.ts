/** STATUS (RFC 9051 section 6.3.11, RFC 7162, RFC 8438, RFC 8474, RFC 7889). */
import { countDeleted } from '../../features/mailboxes/email-apps/folder-view.ts';
import { countRecent } from '../../features/mailboxes/email-apps/recent-messages.ts';
import type { FolderRow } from '../../features/mailboxes/storage/folder-rows.ts';
import { BadCommand, type CommandCursor } from '../../mail/imap/command-cursor.ts';
import { folderIdOf, readFolderName, requireFolder, writeFolderName } from '../session/folder-names.ts';
import {
  enableCondstore,
  type CommandInput,
  type CommandResult,
  type UserSession,
} from '../session/session.ts';

const ITEMS = [
  'MESSAGES',
  'RECENT',
  'UIDNEXT',
  'UIDVALIDITY',
  'UNSEEN',
  'DELETED',
  'SIZE',
  'HIGHESTMODSEQ',
  'MAILBOXID',
  'APPENDLIMIT',
] as const;
export type StatusItem = (typeof ITEMS)[number];

export async function status(session: UserSession, { cursor }: CommandInput): CommandResult {
  cursor.space();
  const name = readFolderName(session, cursor);
  cursor.space();
  const items = readStatusItems(cursor);
  cursor.end();
  if (items.includes('HIGHESTMODSEQ')) enableCondstore(session);
  session.out.line(await writeStatus(session, await requireFolder(session, name), items));
}

export function readStatusItems(cursor: CommandCursor): StatusItem[] {
  return cursor.list(() => {
    const name = cursor.atom().toUpperCase();
    const item = ITEMS.find((candidate) => candidate === name);
    if (!item) throw new BadCommand(`Unknown status item ${name.slice(0, 50)}`);
    return item;
  });
}

export async function writeStatus(
  session: UserSession,
  folder: FolderRow,
  items: StatusItem[],
): Promise<string> {
  const { tools, login } = session;
  const deleted = items.includes('DELETED') ? await countDeleted(tools.db, login, folder.id) : 0;
  const values: Record<StatusItem, string> = {
    MESSAGES: String(folder.messages),
    RECENT: String(items.includes('RECENT') ? await countOwnRecent(session, folder) : 0),
    UIDNEXT: String(folder.nextUid),
    UIDVALIDITY: String(folder.uidValidity),
    UNSEEN: String(folder.unseen),
    DELETED: String(deleted),
    SIZE: String(folder.bytes),
    HIGHESTMODSEQ: String(folder.modseq),
    MAILBOXID: `(${folderIdOf(login.mailboxId, folder.id)})`,
    APPENDLIMIT: String(tools.facts.mailLimits.inboundMessageBytes),
  };
  const shown = items.map((item) => `${item} ${values[item]}`).join(' ');
  return `* STATUS ${writeFolderName(session, folder.name)} (${shown})`;
}

/** Counts the messages that are \Recent, or would be if the client opened the folder. */
async function countOwnRecent(session: UserSession, folder: FolderRow): Promise<number> {
  if (session.enabled.has('IMAP4REV2')) return 0;
  const own = session.selected?.folder.id === folder.id ? session.selected : null;
  if (own?.isReadOnly) return own.countRecent();
  return (own?.countRecent() ?? 0) + (await countRecent(session.tools.db, session.login, folder));
}
