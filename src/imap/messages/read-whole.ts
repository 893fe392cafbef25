/**
 * Reads messages with their bytes. Email apps that copy a folder request one message after the other, and many send
 * their next commands without waiting for the response. While commands are waiting, the following messages are read
 * together with the requested one. They are used only for commands that had arrived before they were read, so a client
 * never gets data that is older than its command.
 */
import type { ProgramMessage } from '../../features/mailboxes/email-apps/message-rows.ts';
import { readSource } from '../../features/mailboxes/email-apps/message-source.ts';
import { readWholeMessages, type WholeMessage } from '../../features/mailboxes/email-apps/whole-messages.ts';
import { parseMimeTree } from '../../mail/mime/parse/mime-tree.ts';
import { AppError } from '../../platform/errors.ts';
import type { FolderSession } from '../session/session.ts';
import type { FetchedMessage } from './fetched-message.ts';
import type { FetchPlan } from './plan-fetch.ts';
import { readAhead } from './read-ahead.ts';
import { completeRows } from './read-rows.ts';

/** The number of messages that one statement reads. */
const BATCH = 32;
/** The length of the shortest command that requests a message. */
const COMMAND_BYTES = 24;

/** Only one large message at a time is in memory. */
export async function* readWhole(
  session: FolderSession,
  plan: FetchPlan,
  uids: readonly number[],
): AsyncGenerator<FetchedMessage[]> {
  const read = (asked: readonly number[]) => readBatch(session, asked, plan.changedSince);
  for await (const [, rows] of readAhead(uids, BATCH, read)) {
    let ready: FetchedMessage[] = [];
    for (const message of await completeRows(session, plan, rows)) {
      const { row } = message;
      message.source = row.bytes ?? (await findSource(session, row));
      if (message.source && plan.withTree) message.tree = parseMimeTree(message.source);
      ready.push(message);
      if (row.bytes) continue;
      yield ready;
      ready = [];
    }
    if (ready.length > 0) yield ready;
  }
}

/** Returns null if the message was deleted in the meantime, or its bytes are lost. */
async function findSource({ tools, login }: FolderSession, message: ProgramMessage): Promise<Buffer | null> {
  try {
    return await readSource(tools.db, login, message);
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

/** Returns the messages in the order of their UIDs. */
async function readBatch(
  session: FolderSession,
  uids: readonly number[],
  changedSince: number | null,
): Promise<WholeMessage[]> {
  if (uids.length === 1 && changedSince === null) return readNext(session, uids[0]!);
  const { tools, login, selected } = session;
  return (await readWholeMessages(tools.db, login, selected.folder.id, uids, changedSince)).messages;
}

async function readNext(session: FolderSession, uid: number): Promise<WholeMessage[]> {
  const { tools, login, selected, wire } = session;
  const known = takeAhead(session, uid);
  if (known) return [known];
  const asked = withFollowing(session, uid);
  const { chunks } = wire;
  const { messages, modseq } = await readWholeMessages(tools.db, login, selected.folder.id, asked);
  session.changeNumber = modseq;
  const byUid = new Map(messages.map((message) => [message.uid, message]));
  session.ahead = { selected, chunks, byUid, lastUid: uid };
  return [takeAhead(session, uid)].filter((message) => message !== null);
}

function takeAhead({ ahead, selected, wire }: FolderSession, uid: number): WholeMessage | null {
  if (ahead?.selected !== selected || ahead.chunks !== wire.chunks) return null;
  const message = ahead.byUid.get(uid);
  if (!message) return null;
  ahead.byUid.delete(uid);
  ahead.lastUid = uid;
  return message;
}

/**
 * Returns this UID. If the last command requested the UID before it, also returns as many of the next ones as commands
 * may be waiting.
 */
function withFollowing({ ahead, selected, wire }: FolderSession, uid: number): number[] {
  const start = selected.numberOf(uid) - 1;
  if (ahead?.selected !== selected || ahead.lastUid !== selected.uids[start - 1]) return [uid];
  const waiting = Math.floor(wire.waitingBytes / COMMAND_BYTES);
  return [...selected.uids.subarray(start, start + Math.min(1 + waiting, BATCH))];
}
