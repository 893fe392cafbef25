/** FETCH (RFC 9051 section 6.4.5) with CONDSTORE and QRESYNC (RFC 7162), BINARY, PREVIEW, SAVEDATE and OBJECTID. */
import { listChangesSince } from '../../features/mailboxes/storage/list-changes.ts';
import { BadCommand, type CommandCursor } from '../../mail/imap/command-cursor.ts';
import { readFetchItems } from '../../mail/imap/fetch-items.ts';
import { isInRanges, readSequenceSet, resolveRanges, writeSet } from '../../mail/imap/sequence-set.ts';
import { planFetch, shows } from '../messages/plan-fetch.ts';
import { readFlagRange } from '../messages/read-flag-range.ts';
import { readListed } from '../messages/read-listed.ts';
import { readRows } from '../messages/read-rows.ts';
import { readWhole } from '../messages/read-whole.ts';
import { writeMessages } from '../messages/write-messages.ts';
import {
  enableCondstore,
  type CommandInput,
  type CommandResult,
  type FolderSession,
} from '../session/session.ts';

const READERS = { flags: readFlagRange, lists: readListed, rows: readRows, whole: readWhole };

export async function fetch(session: FolderSession, { cursor, isUid }: CommandInput): CommandResult {
  cursor.space();
  const set = readSequenceSet(cursor);
  cursor.space();
  const items = readFetchItems(cursor);
  const { changedSince, vanished } = readModifiers(session, cursor, isUid);
  cursor.end();
  if (shows(items, 'MODSEQ')) enableCondstore(session);
  const { selected, wire } = session;
  if (!isUid && selected.exceeds(set)) throw new BadCommand('There is no message with this number');
  const uids = selected.resolve(set, isUid, session.savedSearch);
  if (vanished) await reportVanished(session, changedSince!, set);
  const plan = planFetch(items, { uids, isUid, changedSince, isReadOnly: selected.isReadOnly });
  for await (const messages of READERS[plan.reader](session, plan, uids)) {
    if (wire.isClosing) return;
    await writeMessages(session, messages, plan);
  }
}

function readModifiers(
  session: FolderSession,
  cursor: CommandCursor,
  isUid: boolean,
): { changedSince: number | null; vanished: boolean } {
  let changedSince: number | null = null;
  let vanished = false;
  if (cursor.take(' '))
    cursor.list(() => {
      const name = cursor.atom().toUpperCase();
      if (name === 'CHANGEDSINCE') {
        cursor.space();
        changedSince = cursor.number();
        enableCondstore(session);
      } else if (name === 'VANISHED' && isUid && session.enabled.has('QRESYNC')) vanished = true;
      else throw new BadCommand(`Unknown modifier ${name.slice(0, 50)}`);
    });
  if (vanished && changedSince === null) throw new BadCommand('VANISHED needs CHANGEDSINCE');
  return { changedSince, vanished };
}

async function reportVanished(
  { tools, login, selected, out }: FolderSession,
  since: number,
  set: ReturnType<typeof readSequenceSet>,
): Promise<void> {
  const changes = await listChangesSince(tools.db, login, since, { folder: selected.folder.id });
  const ranges = set === '$' ? null : resolveRanges(set, selected.folder.nextUid - 1);
  const isAsked = (uid: number) => ranges === null || isInRanges(ranges, uid);
  const gone = changes.vanished.map(({ uid }) => uid).filter((uid) => uid > 0 && isAsked(uid));
  const uids = [...new Set(gone)].toSorted((a, b) => a - b);
  if (uids.length > 0) out.line(`* VANISHED (EARLIER) ${writeSet(uids)}`);
}
