/**
 * Reads whole messages for FETCH. Email apps that copy a folder request one message after the other, and many send
 * their next commands without waiting for the response. While commands are waiting, the following messages are read
 * together with the requested one. They are used only for commands that had arrived before they were read, so a client
 * never gets data that is older than its command.
 */
import { readWholeMessages, type WholeMessage } from '../../features/mailboxes/email-apps/whole-messages.ts';
import type { FolderSession } from '../session/session.ts';

/** The number of messages that one statement reads. */
export const WHOLE_BATCH = 32;
/** The length of the shortest command that requests a message. */
const COMMAND_BYTES = 24;

/** Returns the messages in the order of their UIDs. */
export async function readWhole(
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
  return [...selected.uids.subarray(start, start + Math.min(1 + waiting, WHOLE_BATCH))];
}
