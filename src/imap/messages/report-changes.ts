/** Reports changes in the open folder to the client: new messages, changed flags and deleted messages. */
import { openFolderView } from '../../features/mailboxes/email-apps/folder-view.ts';
import { readMessages } from '../../features/mailboxes/email-apps/message-rows.ts';
import { claimRecent } from '../../features/mailboxes/email-apps/recent-messages.ts';
import { listChangesSince, readChangeNumber } from '../../features/mailboxes/storage/list-changes.ts';
import { notFound } from '../../platform/errors.ts';
import type { FetchItem } from '../../mail/imap/fetch-items.ts';
import { writeSet } from '../../mail/imap/sequence-set.ts';
import type { FolderSession } from '../session/session.ts';
import { toFetched } from './fetched-message.ts';
import { writeMessages } from './write-messages.ts';

export interface ReportOptions {
  /** Message numbers must not change while commands that use them may be waiting. */
  allowExpunge: boolean;
  /** The change numbers of messages that the client changed itself. These changes need not be reported again. */
  told?: Map<number, number>;
}

/** The number of messages whose flags one statement reads. */
const BATCH = 1_000;

export async function reportChanges(session: FolderSession, options: ReportOptions): Promise<void> {
  const { selected, login, tools, out } = session;
  const modseq = session.changeNumber ?? (await readChangeNumber(tools.db, login)).modseq;
  session.reportedMs = performance.now();
  const changed = modseq > selected.modseq ? await readChanges(session) : [];
  if (options.allowExpunge && selected.vanished.size > 0) {
    const { numbers, uids } = selected.forgetVanished();
    if (session.enabled.has('QRESYNC')) out.line(`* VANISHED ${writeSet(uids)}`);
    else for (const number of numbers) out.line(`* ${number} EXPUNGE`);
  }
  const fresh = selected.add(changed.filter((uid) => uid > (selected.uids.at(-1) ?? 0)));
  if (fresh.length > 0) {
    out.line(`* ${selected.uids.length} EXISTS`);
    await claimRecentMessages(session);
  }
  writeRecent(session);
  const known = new Set(fresh);
  await reportFlags(
    session,
    changed.filter((uid) => !known.has(uid) && selected.numberOf(uid) > 0),
    options.told ?? new Map(),
  );
}

/** In IMAP4rev1, a message is \Recent in the first session that is notified of it. */
export async function claimRecentMessages({ selected, login, tools, enabled }: FolderSession): Promise<void> {
  if (selected.isReadOnly || enabled.has('IMAP4REV2')) return;
  selected.addRecent(await claimRecent(tools.db, login, selected.folder.id));
}

/** Sends the number of \Recent messages if it has changed. */
function writeRecent({ selected, out }: FolderSession): void {
  if (selected.recent.length === 0) return;
  const count = selected.countRecent();
  if (count !== selected.toldRecent) out.line(`* ${count} RECENT`);
  selected.toldRecent = count;
}

/** Returns the UIDs of new and changed messages, and records those that have vanished. */
async function readChanges(session: FolderSession): Promise<number[]> {
  const { selected, login, tools } = session;
  // After this report, the client must not get older flags from the messages that were read ahead.
  session.ahead = null;
  const folderId = selected.folder.id;
  const changes = await listChangesSince(tools.db, login, selected.modseq, { folder: folderId });
  if (!changes.isComplete) return readAnew(session);
  selected.modseq = changes.modseq;
  for (const { uid } of changes.vanished) {
    // 0: the folder itself was deleted, and with it all its messages.
    if (uid === 0) for (const each of selected.uids) selected.vanished.add(each);
    else if (selected.numberOf(uid) > 0) selected.vanished.add(uid);
  }
  return changes.changed.map(({ uid }) => uid).toSorted((a, b) => a - b);
}

/** Compares the whole list, because the log does not go back far enough. */
async function readAnew({ selected, login, tools }: FolderSession): Promise<number[]> {
  const view = await openFolderView(tools.db, login, { id: selected.folder.id });
  if (!view) throw notFound('Folder');
  const present = new Set(view.uids);
  for (const uid of selected.uids) if (!present.has(uid)) selected.vanished.add(uid);
  selected.modseq = view.modseq;
  return [...view.uids];
}

async function reportFlags(session: FolderSession, uids: number[], told: Map<number, number>): Promise<void> {
  const { selected, login, tools } = session;
  for (let at = 0; at < uids.length; at += BATCH) {
    const messages = await readMessages(tools.db, login, selected.folder.id, uids.slice(at, at + BATCH));
    const news = messages.filter(({ uid, modseq }) => told.get(uid) !== modseq);
    await writeMessages(session, news.map(toFetched), { items: itemsOfReport(session) });
  }
}

/** The items that report the flags of a message without a FETCH. */
export function itemsOfReport({ enabled }: FolderSession): FetchItem[] {
  return enabled.has('CONDSTORE') ? FLAGS_WITH_MODSEQ : FLAGS;
}

const FLAGS: FetchItem[] = [
  { kind: 'simple', name: 'UID' },
  { kind: 'simple', name: 'FLAGS' },
];
const FLAGS_WITH_MODSEQ: FetchItem[] = [...FLAGS, { kind: 'simple', name: 'MODSEQ' }];
