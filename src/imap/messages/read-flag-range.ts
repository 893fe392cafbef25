/** Reads the flags of a range of messages, which email apps request for whole folders when they connect. */
import { readFlags, type FolderFlags } from '../../features/mailboxes/email-apps/folder-flags.ts';
import type { FolderSession } from '../session/session.ts';
import type { FetchedMessage } from './fetched-message.ts';
import type { FetchPlan } from './plan-fetch.ts';
import { readAhead } from './read-ahead.ts';

/** The number of messages that one statement reads. */
const BATCH = 10_000;

export async function* readFlagRange(
  { tools, login, selected }: FolderSession,
  { changedSince, withModseq }: FetchPlan,
  uids: readonly number[],
): AsyncGenerator<Iterable<FetchedMessage>> {
  const read = (asked: readonly number[]) => {
    const range = { from: asked[0]!, to: asked.at(-1)!, withModseq };
    return readFlags(tools.db, login, selected.folder.id, range);
  };
  for await (const [asked, flags] of readAhead(uids, BATCH, read)) yield eachOf(flags, asked, changedSince);
}

/** One object stands for each message in turn, because there may be a hundred thousand. */
function* eachOf(
  { uids, bits, modseqs, labels }: FolderFlags,
  asked: readonly number[],
  changedSince: number | null,
): Generator<FetchedMessage> {
  const message: FetchedMessage = { uid: 0, modseq: 0, flags: 0, labels: undefined };
  // Both lists are sorted, so one index into each is enough to find a message.
  let place = 0;
  for (let at = 0; at < uids.length; at += 1) {
    const uid = uids[at]!;
    while (asked[place]! < uid) place += 1;
    const modseq = modseqs?.[at] ?? 0;
    if (asked[place] !== uid || (changedSince !== null && modseq <= changedSince)) continue;
    message.uid = uid;
    message.modseq = modseq;
    message.flags = bits[at]!;
    message.labels = labels.get(uid);
    yield message;
  }
}
