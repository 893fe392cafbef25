/** SORT and THREAD (RFC 5256, RFC 5957). */
import { setImmediate as yieldEventLoop } from 'node:timers/promises';
import { readOrderRows, sortByColumns } from '../../features/mailboxes/email-apps/sortable-messages.ts';
import { BadCommand } from '../../mail/imap/command-cursor.ts';
import type { MessageOrder } from '../../mail/imap/order-messages.ts';
import { readSearchKeys } from '../../mail/imap/search-keys.ts';
import { SORT_KEYS, type SortKey } from '../../mail/imap/sort-thread.ts';
import { writeOrderOffLoop } from '../../mail/offload/order-messages.ts';
import { createTeamQueue } from '../../platform/concurrency/team-queue.ts';
import type { SelectedFolder } from '../session/selected-folder.ts';
import { runSlowWork } from '../session/slow-work.ts';
import { Refusal, type CommandInput, type CommandResult, type FolderSession } from '../session/session.ts';
import { requireCharset, runSearch } from './search.ts';

const MAX_KEYS = 20;
/** Sorting more messages would need more memory than a thread has. */
const MAX_ORDERED = 250_000;
/** The amount of numbers that are written without yielding, which takes about 10 ms. */
const SLICE = 50_000;
/** More messages than this are sorted for one client at a time, so that a thread stays free for incoming mail. */
const MANY = 1_000;

const orderQueue = createTeamQueue({ atOnce: 1, perTeam: 1 });

export async function sort(session: FolderSession, { cursor, isUid }: CommandInput): CommandResult {
  cursor.space();
  const keys = cursor.list((): SortKey => {
    const isReverse = cursor.take('REVERSE ');
    const given = cursor.atom().toUpperCase();
    const name = SORT_KEYS.find((candidate) => candidate === given);
    if (!name) throw new BadCommand(`Unknown sort key ${given.slice(0, 50)}`);
    return { name, isReverse };
  });
  if (keys.length === 0 || keys.length > MAX_KEYS) throw new BadCommand('Expected sort keys');
  const uids = await findMessages(session, cursor);
  const { tools, login, selected } = session;
  const sorted = await runSlowWork(session, 'numbers', () =>
    sortByColumns(tools.db, login, selected.folder.id, { uids, keys }),
  );
  const text = sorted
    ? await writeNumbers(selected, sorted, isUid)
    : await writeOrdered(session, uids, { kind: 'sort', keys }, isUid);
  session.out.line(text === '' ? '* SORT' : `* SORT ${text}`);
}

export async function thread(session: FolderSession, { cursor, isUid }: CommandInput): CommandResult {
  cursor.space();
  const algorithm = cursor.atom().toUpperCase();
  if (algorithm !== 'REFERENCES' && algorithm !== 'ORDEREDSUBJECT') throw new BadCommand('Unknown algorithm');
  const uids = await findMessages(session, cursor);
  const text = await writeOrdered(session, uids, { kind: 'thread', algorithm }, isUid);
  session.out.line(text === '' ? '* THREAD' : `* THREAD ${text}`);
}

async function writeNumbers(selected: SelectedFolder, uids: Uint32Array, isUid: boolean): Promise<string> {
  const texts: string[] = [];
  for (let at = 0; at < uids.length; at += SLICE) {
    const slice = uids.subarray(at, at + SLICE);
    texts.push((isUid ? slice : slice.map((uid) => selected.numberOf(uid))).join(' '));
    await yieldEventLoop();
  }
  return texts.join(' ');
}

async function writeOrdered(
  { tools, login, selected, wire }: FolderSession,
  uids: Uint32Array,
  order: MessageOrder,
  isUid: boolean,
): Promise<string> {
  if (uids.length > MAX_ORDERED)
    throw new Refusal('LIMIT', `At most ${MAX_ORDERED} messages can be put in this order. Search for fewer`);
  const write = async () => {
    if (wire.isClosing) return '';
    const batches = await readOrderRows(tools.db, login, selected.folder.id, { uids, order });
    return writeOrderOffLoop({ batches, order, folderUids: isUid ? null : selected.uids });
  };
  return uids.length > MANY ? orderQueue(login.teamId, write) : write();
}

/** Reads the charset and the search keys, and finds the messages. */
async function findMessages(session: FolderSession, cursor: CommandInput['cursor']): Promise<Uint32Array> {
  cursor.space();
  requireCharset(cursor.astring());
  cursor.space();
  return (await runSearch(session, readSearchKeys(cursor), false)).uids;
}
