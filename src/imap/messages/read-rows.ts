/** Reads the rows of messages, marks them as read if that was asked for, and adds what is shown of their structures. */
import { changeFlags } from '../../features/mailboxes/storage/change-flags.ts';
import { readMessages, type ProgramMessage } from '../../features/mailboxes/email-apps/message-rows.ts';
import { toFlagBits } from '../../features/mailboxes/email-apps/folder-flags.ts';
import { readStructures } from '../../features/mailboxes/email-apps/message-source.ts';
import type { FolderSession } from '../session/session.ts';
import { toFetched, type RowMessage } from './fetched-message.ts';
import type { FetchPlan } from './plan-fetch.ts';

/** The number of messages that one statement reads. */
const BATCH = 500;

export async function* readRows(
  session: FolderSession,
  plan: FetchPlan,
  uids: readonly number[],
): AsyncGenerator<RowMessage[]> {
  const { tools, login, selected } = session;
  for (let at = 0; at < uids.length; at += BATCH) {
    const asked = uids.slice(at, at + BATCH);
    const rows = await readMessages(tools.db, login, selected.folder.id, asked, plan.changedSince);
    yield await completeRows(session, plan, rows);
  }
}

export async function completeRows<Row extends ProgramMessage>(
  session: FolderSession,
  plan: FetchPlan,
  rows: readonly Row[],
): Promise<RowMessage<Row>[]> {
  const messages = rows.map(toFetched);
  if (plan.marks) await markAsRead(session, messages);
  if (plan.structures !== 'none') await addStructures(session, plan, messages);
  return messages;
}

/** Reading a body without PEEK sets \Seen. The new flags are part of the response. */
async function markAsRead(session: FolderSession, messages: readonly RowMessage[]): Promise<void> {
  const { tools, login } = session;
  const unread = messages.filter(({ row }) => !row.read).map(({ row }) => row.id);
  if (unread.length === 0) return;
  const { changed, modseq } = await changeFlags(tools.db, login, unread, { add: { flags: ['read'] } });
  tools.facts.hintMail();
  session.changeNumber = null;
  const marked = new Set(changed.map(({ id }) => id));
  for (const message of messages) {
    if (!marked.has(message.row.id)) continue;
    message.flags = toFlagBits({ ...message.row, read: true });
    message.modseq = modseq;
    message.isMarked = true;
  }
}

async function addStructures(
  { tools, login }: FolderSession,
  { structures }: FetchPlan,
  messages: readonly RowMessage[],
): Promise<void> {
  const wanted = structures === 'sizes' ? messages.filter(({ row }) => row.size === null) : messages;
  const found = await readStructures(
    tools.db,
    login,
    wanted.map(({ row }) => row),
    { onlyHeaders: structures !== 'all' },
  );
  for (const message of wanted) {
    const structure = found.get(message.row.id);
    if (structure) Object.assign(message, structure, { header: structure.header.toString('latin1') });
  }
}
