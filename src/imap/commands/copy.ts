/** COPY, MOVE (RFC 6851), EXPUNGE and UID EXPUNGE (RFC 4315). */
import { requireLevel } from '../../features/api/mailbox-access.ts';
import { needInFolder } from '../../features/mailboxes/access/message-needs.ts';
import { requireSpace } from '../../features/instance/require-space.ts';
import { listDeletedIds, listIds } from '../../features/mailboxes/email-apps/message-rows.ts';
import { moveByApp } from '../../features/mailboxes/email-apps/record-changes.ts';
import { copyMessages, sizeOfCopies } from '../../features/mailboxes/storage/copy-messages.ts';
import { expungeMessages } from '../../features/mailboxes/storage/expunge-messages.ts';
import { BadCommand } from '../../mail/imap/command-cursor.ts';
import { readSequenceSet, writeSet } from '../../mail/imap/sequence-set.ts';
import { readFolderName, requireFolder } from '../session/folder-names.ts';
import { reportChanges } from '../messages/report-changes.ts';
import { Refusal, type CommandInput, type CommandResult, type FolderSession } from '../session/session.ts';

/** Maximum number of messages that one command copies or moves, in one transaction. */
const MAX_AT_ONCE = 100_000;

export async function copy(session: FolderSession, input: CommandInput): CommandResult {
  const { folder, ids } = await readTarget(session, input);
  const { tools, login } = session;
  if (ids.length === 0) return;
  await requireSpace(tools.facts, login.teamId, await sizeOfCopies(tools.db, login, ids));
  const { copied } = await copyMessages(tools.db, login, ids, folder.id);
  tools.facts.hintMail();
  const from = writeSet(copied.map(({ fromUid }) => fromUid));
  const to = writeSet(copied.map(({ uid }) => uid));
  return copied.length === 0 ? undefined : `[COPYUID ${folder.uidValidity} ${from} ${to}] Copied`;
}

export async function move(session: FolderSession, input: CommandInput): CommandResult {
  requireWritable(session);
  const { folder, ids } = await readTarget(session, input);
  const { tools, login, selected, out } = session;
  if (ids.length === 0) return;
  const { moved } = await moveByApp(tools.db, login, ids, folder.id, { renumbers: true });
  tools.facts.hintMail();
  const own = moved.filter(({ fromFolder }) => fromFolder === selected.folder.id);
  if (own.length > 0) {
    const from = writeSet(own.map(({ fromUid }) => fromUid));
    out.line(`* OK [COPYUID ${folder.uidValidity} ${from} ${writeSet(own.map(({ uid }) => uid))}] Moved`);
  }
  await reportChanges(session, { allowExpunge: true });
}

async function readTarget(session: FolderSession, { cursor, isUid }: CommandInput) {
  cursor.space();
  const set = readSequenceSet(cursor);
  cursor.space();
  const name = readFolderName(session, cursor);
  cursor.end();
  const { selected, tools, login } = session;
  const folder = await requireFolder(session, name, 'TRYCREATE');
  if (!isUid && selected.exceeds(set)) throw new BadCommand('There is no message with this number');
  const uids = selected.resolve(set, isUid, session.savedSearch);
  if (uids.length > MAX_AT_ONCE) throw new Refusal('LIMIT', `At most ${MAX_AT_ONCE} messages at once`);
  return { folder, ids: await listIds(tools.db, login, selected.folder.id, uids) };
}

export async function expunge(session: FolderSession, { cursor, isUid }: CommandInput): CommandResult {
  requireWritable(session);
  const { selected, tools, login } = session;
  let uids: number[] | null = null;
  if (isUid) {
    cursor.space();
    uids = selected.resolve(readSequenceSet(cursor), true, session.savedSearch);
  }
  cursor.end();
  requireLevel(login.access, needInFolder(selected.folder.id));
  const ids = await listDeletedIds(tools.db, login, selected.folder.id, uids);
  if (ids.length > 0) {
    await expungeMessages(tools.db, login, ids, { inFolder: selected.folder.id });
    tools.facts.hintMail();
  }
  await reportChanges(session, { allowExpunge: true });
  return session.enabled.has('CONDSTORE') ? `[HIGHESTMODSEQ ${selected.modseq}] Expunged` : undefined;
}

function requireWritable({ selected }: FolderSession): void {
  if (selected.isReadOnly) throw new Refusal('READ-ONLY', 'The folder is open for reading only');
}
