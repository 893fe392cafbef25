/** FETCH of flags only, which email apps request for whole folders when they connect. */
import { readFlags, type FolderFlags } from '../../features/mailboxes/email-apps/folder-flags.ts';
import type { FetchItem } from '../../mail/imap/fetch-items.ts';
import { writeFlagBits } from '../session/flags.ts';
import { announceKeywords } from '../session/report-changes.ts';
import type { FolderSession } from '../session/session.ts';
import { readAhead } from './read-ahead.ts';

const ITEMS = ['UID', 'FLAGS', 'MODSEQ'];
/** For fewer messages, the rows are read as for other items. */
const MIN_MESSAGES = 100;
/** The number of messages that one statement reads. */
const BATCH = 10_000;
/** Lines are collected up to this length before they are written. */
const PIECE_LENGTH = 32 * 1024;

/** True if the flags of these messages are read as one range: most UIDs in the range are requested. */
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
  const { tools, login, selected } = session;
  const names = items.map((item) => (item.kind === 'simple' ? item.name : ''));
  const withModseq = changedSince !== null || names.includes('MODSEQ');
  const read = (asked: readonly number[]) => {
    const range = { from: asked[0]!, to: asked.at(-1)!, withModseq };
    return readFlags(tools.db, login, selected.folder.id, range);
  };
  for await (const [asked, flags] of readAhead(uids, BATCH, read)) {
    if (session.wire.isClosing) return;
    announceKeywords(
      session,
      [...flags.labels.values()].map((labels) => ({ labels })),
    );
    await writeLines(session, flags, { asked, names, changedSince });
  }
}

interface Wanted {
  /** The requested UIDs, in the order of the flags. */
  asked: readonly number[];
  names: string[];
  changedSince: number | null;
}

async function writeLines(
  { selected, out }: FolderSession,
  { uids, bits, modseqs, labels }: FolderFlags,
  { asked, names, changedSince }: Wanted,
): Promise<void> {
  let lines = '';
  // All lists are sorted, so one index into each is enough to find a message.
  let place = 0;
  let number = selected.numberOf(asked[0]!);
  for (let at = 0; at < uids.length; at += 1) {
    const uid = uids[at]!;
    while (asked[place]! < uid) place += 1;
    if (asked[place] !== uid || (changedSince !== null && modseqs![at]! <= changedSince)) continue;
    while (selected.uids[number - 1]! < uid) number += 1;
    lines += `* ${number} FETCH (`;
    let space = '';
    for (const name of names) {
      if (name === 'UID') lines += `${space}UID ${uid}`;
      else if (name === 'MODSEQ') lines += `${space}MODSEQ (${modseqs![at]})`;
      else lines += `${space}FLAGS ${writeFlagBits(bits[at]!, labels.get(uid), selected.isRecent(uid))}`;
      space = ' ';
    }
    lines += ')\r\n';
    if (lines.length < PIECE_LENGTH) continue;
    out.write(lines);
    lines = '';
    await out.drain();
  }
  out.write(lines);
  await out.drain();
}
