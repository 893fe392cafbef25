/** Opens and closes folders: SELECT, EXAMINE, CLOSE, UNSELECT, with CONDSTORE and QRESYNC (RFC 7162). */
import { reachesLevel } from '../../features/api/mailbox-access.ts';
import { needInFolder } from '../../features/mailboxes/access/message-needs.ts';
import { openFolderView, summarizeFolder } from '../../features/mailboxes/email-apps/folder-view.ts';
import { listDeletedIds, readMessages } from '../../features/mailboxes/email-apps/message-rows.ts';
import { expungeMessages } from '../../features/mailboxes/storage/expunge-messages.ts';
import { listChangesSince } from '../../features/mailboxes/storage/list-changes.ts';
import { BadCommand, type CommandCursor } from '../../mail/imap/command-cursor.ts';
import {
  isInRanges,
  readSequenceSet,
  resolveRanges,
  writeSet,
  type Range,
} from '../../mail/imap/sequence-set.ts';
import { folderIdOf, noSuchFolder, readFolderName } from '../session/folder-names.ts';
import { toFetched } from '../messages/fetched-message.ts';
import { claimRecentMessages, itemsOfReport } from '../messages/report-changes.ts';
import { writeMessages } from '../messages/write-messages.ts';
import { writeFlagLists } from '../session/keywords.ts';
import { SelectedFolder } from '../session/selected-folder.ts';
import { writeListEntry } from './list.ts';
import {
  type CommandInput,
  type CommandResult,
  type FolderSession,
  type UserSession,
} from '../session/session.ts';

const MAX_UID = 2 ** 32 - 1;

interface Resync {
  uidValidity: number;
  modseq: number;
  /** The UIDs that the client knows. */
  known: Range[] | null;
}

export async function select(session: UserSession, input: CommandInput): CommandResult {
  return open(session, input, false);
}

export async function examine(session: UserSession, input: CommandInput): CommandResult {
  return open(session, input, true);
}

async function open(session: UserSession, { cursor }: CommandInput, isReadOnly: boolean): CommandResult {
  cursor.space();
  const name = readFolderName(session, cursor);
  const resync = readParameters(session, cursor);
  const hadFolder = session.selected !== null;
  session.selected = null;
  session.savedSearch = [];
  const { out, tools, login } = session;
  // RFC 9051 section 7.1: all later responses belong to the new folder.
  if (hadFolder) out.line('* OK [CLOSED] The previous folder is closed');
  const view = await openFolderView(tools.db, login, { name });
  if (!view) throw noSuchFolder('NONEXISTENT');
  const { keywords, firstUnread } = await summarizeFolder(tools.db, login, view);
  const isOld = !session.enabled.has('IMAP4REV2');
  const selected = new SelectedFolder(view, isReadOnly, keywords);
  const opened: FolderSession = Object.assign(session, { selected });
  out.line(`* ${view.uids.length} EXISTS`);
  if (isOld) {
    await markRecent(opened);
    out.line(`* ${selected.toldRecent} RECENT`);
    const number = firstUnread === null ? 0 : selected.numberOf(firstUnread);
    if (number > 0) out.line(`* OK [UNSEEN ${number}] First unread message`);
  }
  writeFlagLists(opened);
  out.line(`* OK [UIDVALIDITY ${view.folder.uidValidity}] UIDs are valid`);
  out.line(`* OK [UIDNEXT ${view.folder.nextUid}] Next UID`);
  out.line(`* OK [HIGHESTMODSEQ ${view.modseq}] Latest change`);
  out.line(`* OK [MAILBOXID (${folderIdOf(login.mailboxId, view.folder.id)})] Object id`);
  if (session.enabled.has('IMAP4REV2')) out.line(writeListEntry(session, view.folder, [view.folder]));
  if (resync && resync.uidValidity === view.folder.uidValidity) await sendResync(opened, resync);
  return isReadOnly ? '[READ-ONLY] Folder is open' : '[READ-WRITE] Folder is open';
}

/**
 * Does not query the database if no message is recent. In a folder that is opened read-only, messages stay recent for
 * others.
 */
async function markRecent(session: FolderSession): Promise<void> {
  const { selected } = session;
  const { firstRecentUid, nextUid } = selected.folder;
  if (selected.isReadOnly) selected.addRecent({ from: firstRecentUid, to: MAX_UID });
  else if (firstRecentUid < nextUid) await claimRecentMessages(session);
  selected.toldRecent = selected.countRecent();
}

function readParameters(session: UserSession, cursor: CommandCursor): Resync | null {
  let resync: Resync | null = null;
  if (cursor.take(' ')) {
    cursor.list(() => {
      const name = cursor.atom().toUpperCase();
      // The response to SELECT always has the latest change number.
      if (name === 'CONDSTORE') session.enabled.add('CONDSTORE');
      else if (name === 'QRESYNC' && session.enabled.has('QRESYNC')) resync = readResync(cursor);
      else throw new BadCommand(`Unknown parameter ${name.slice(0, 50)}`);
    });
  }
  cursor.end();
  return resync;
}

/** `(uidvalidity modseq [known-uids [(known-sequence-set known-uid-set)]])` */
function readResync(cursor: CommandCursor): Resync {
  cursor.space();
  cursor.expect('(');
  const uidValidity = cursor.number();
  cursor.space();
  const modseq = cursor.number();
  let known: Range[] | null = null;
  while (cursor.take(' ')) {
    if (cursor.take('(')) {
      readSequenceSet(cursor);
      cursor.space();
      readSequenceSet(cursor);
      cursor.expect(')');
    } else {
      const set = readSequenceSet(cursor);
      known = set === '$' ? null : set;
    }
  }
  cursor.expect(')');
  return { uidValidity, modseq, known };
}

/** Sends the changes since the client last had the folder open. */
async function sendResync(session: FolderSession, { modseq, known }: Resync): Promise<void> {
  const { selected, tools, login, out } = session;
  const folder = selected.folder.id;
  const changes = await listChangesSince(tools.db, login, modseq, { folder });
  const largest = selected.folder.nextUid - 1;
  const ranges = known && resolveRanges(known, largest);
  const isKnown = (uid: number) => ranges === null || isInRanges(ranges, uid);
  const vanished = changes.isComplete
    ? changes.vanished.filter(({ uid }) => uid > 0).map(({ uid }) => uid)
    : missingUids(selected, largest);
  const gone = [...new Set(vanished)]
    .filter((uid) => isKnown(uid) && selected.numberOf(uid) === 0)
    .toSorted((a, b) => a - b);
  if (gone.length > 0) out.line(`* VANISHED (EARLIER) ${writeSet(gone)}`);
  const uids = changes.changed
    .map(({ uid }) => uid)
    .filter((uid) => isKnown(uid) && selected.numberOf(uid) > 0);
  const messages = await readMessages(
    tools.db,
    login,
    folder,
    uids.toSorted((a, b) => a - b),
  );
  await writeMessages(session, messages.map(toFetched), { items: itemsOfReport(session) });
}

/** Returns all UIDs without a message, for changes that are older than the log. */
function missingUids(selected: SelectedFolder, largest: number): number[] {
  const missing: number[] = [];
  for (let uid = 1; uid <= largest && missing.length < 1_000_000; uid += 1)
    if (selected.numberOf(uid) === 0) missing.push(uid);
  return missing;
}

/** CLOSE also deletes the messages that are marked as deleted, without reporting them. */
export async function close(session: FolderSession, { cursor }: CommandInput): CommandResult {
  cursor.end();
  const { selected, tools, login } = session;
  if (!selected.isReadOnly && reachesLevel(login.access, needInFolder(selected.folder.id))) {
    const ids = await listDeletedIds(tools.db, login, selected.folder.id, null);
    if (ids.length > 0) {
      await expungeMessages(tools.db, login, ids, { inFolder: selected.folder.id });
      tools.facts.hintMail();
    }
  }
  leave(session);
}

export async function unselect(session: FolderSession, { cursor }: CommandInput): CommandResult {
  cursor.end();
  leave(session);
}

function leave(session: FolderSession): void {
  (session as UserSession).selected = null;
  session.savedSearch = [];
}
