/** FETCH of nothing but flags, for which programs ask in whole folders when they connect. */
import { readFlags, type FlaggedMessage } from '../../features/mailboxes/programs/folder-flags.ts';
import type { FetchItem } from '../../mail/imap/fetch-items.ts';
import { writeFlags } from '../session/flags.ts';
import { announceKeywords } from '../session/report-changes.ts';
import type { FolderSession } from '../session/session.ts';

const ITEMS = ['UID', 'FLAGS', 'MODSEQ'];
/** For fewer messages the rows are read as for other items. */
const MIN_MESSAGES = 100;
/** Messages that are read at once. */
const BATCH = 10_000;
/** Lines that are written at once. */
const LINES = 500;

/** Whether the flags of these messages are read together: most UIDs in their range are asked for. */
export function isFlagsOnly(items: FetchItem[], uids: readonly number[]): boolean {
  if (!items.every((item) => item.kind === 'simple' && ITEMS.includes(item.name))) return false;
  return uids.length >= MIN_MESSAGES && uids.at(-1)! - uids[0]! < uids.length * 4;
}

export async function fetchFlags(
  session: FolderSession,
  uids: readonly number[],
  items: FetchItem[],
  changedSince: number | null,
): Promise<void> {
  const { tools, login, selected, out, wire } = session;
  for (let at = 0; at < uids.length && !wire.isClosing; at += BATCH) {
    const some = uids.slice(at, at + BATCH);
    const range = { from: some[0]!, to: some.at(-1)! };
    const found = await readFlags(tools.db, login, selected.folder.id, range);
    const isWhole = range.to - range.from + 1 === some.length;
    const asked = isWhole ? null : new Set(some);
    const messages = found.filter(
      ({ uid, modseq }) => (asked?.has(uid) ?? true) && (changedSince === null || modseq > changedSince),
    );
    announceKeywords(session, messages);
    await writeLines(session, messages, items);
    await out.drain();
  }
}

async function writeLines(
  { selected, out }: FolderSession,
  messages: FlaggedMessage[],
  items: FetchItem[],
): Promise<void> {
  const names = items.map((item) => (item.kind === 'simple' ? item.name : ''));
  let lines = '';
  for (const [at, message] of messages.entries()) {
    const number = selected.numberOf(message.uid);
    if (number > 0)
      lines += `* ${number} FETCH (${names.map((name) => writeItem(name, message)).join(' ')})\r\n`;
    if ((at + 1) % LINES !== 0) continue;
    out.write(lines);
    lines = '';
    await out.drain();
  }
  out.write(lines);
}

function writeItem(name: string, message: FlaggedMessage): string {
  if (name === 'UID') return `UID ${message.uid}`;
  return name === 'FLAGS' ? `FLAGS ${writeFlags(message)}` : `MODSEQ (${message.modseq})`;
}
