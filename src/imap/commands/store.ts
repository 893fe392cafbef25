/** STORE (RFC 9051 section 6.4.6) with UNCHANGEDSINCE (RFC 7162 section 3.1.3). */
import { requireLevel } from '../../features/api/mailbox-access.ts';
import { needOfFlags } from '../../features/mailboxes/access/message-needs.ts';
import { requireSpace } from '../../features/instance/require-space.ts';
import {
  addsLabels,
  type FlagChange,
  type FlagsChanged,
} from '../../features/mailboxes/storage/change-flags.ts';
import { readMessages, type ProgramMessage } from '../../features/mailboxes/email-apps/message-rows.ts';
import { changeFlagsByApp } from '../../features/mailboxes/email-apps/record-changes.ts';
import { BadCommand, type CommandCursor } from '../../mail/imap/command-cursor.ts';
import type { FetchItem } from '../../mail/imap/fetch-items.ts';
import { readSequenceSet, writeSet } from '../../mail/imap/sequence-set.ts';
import { readFlagList, toFlagSet } from '../session/flags.ts';
import { toFetched } from '../messages/fetched-message.ts';
import { itemsOfReport, reportChanges } from '../messages/report-changes.ts';
import { writeMessages } from '../messages/write-messages.ts';
import { announceKeywords } from '../session/keywords.ts';
import {
  enableCondstore,
  Refusal,
  type CommandInput,
  type CommandResult,
  type FolderSession,
} from '../session/session.ts';

export async function store(session: FolderSession, { cursor, isUid }: CommandInput): CommandResult {
  cursor.space();
  const set = readSequenceSet(cursor);
  cursor.space();
  const unchangedSince = readUnchangedSince(session, cursor);
  const { change, isSilent } = readChange(cursor);
  cursor.end();
  const { selected, tools, login } = session;
  if (selected.isReadOnly) throw new Refusal('READ-ONLY', 'The folder is open for reading only');
  if (!isUid && selected.exceeds(set)) throw new BadCommand('There is no message with this number');
  requireLevel(login.access, needOfFlags(selected.folder.id, change));
  if (addsLabels(change)) await requireSpace(tools.facts, login.teamId, 0);
  const uids = selected.resolve(set, isUid, session.savedSearch);
  const before = await readMessages(tools.db, login, selected.folder.id, uids);
  const ids = before.map(({ id }) => id);
  const options = unchangedSince === null ? {} : { unchangedSince };
  const { stale, changed, modseq } =
    ids.length === 0 ? NOTHING : await changeFlagsByApp(tools.db, login, ids, change, options);
  if (changed.length > 0) tools.facts.hintMail();
  // The change numbers are consecutive, so no one else has changed anything since the last report.
  if (changed.length > 0 && modseq === selected.modseq + 1) {
    selected.modseq = modseq;
    session.changeNumber = modseq;
  }
  const failed = new Set(stale);
  const isQuiet = isSilent && unchangedSince === null && !session.enabled.has('CONDSTORE');
  if (isQuiet) await respondQuietly(session, change, changed, modseq);
  else {
    const after = await readMessages(tools.db, login, selected.folder.id, uids);
    await respond(session, after, { isSilent, failed, isConditional: unchangedSince !== null });
  }
  if (stale.length === 0) return;
  const modified = before
    .filter(({ id }) => failed.has(id))
    .map(({ uid }) => (isUid ? uid : selected.numberOf(uid)));
  return `[MODIFIED ${writeSet(modified)}] Some messages have changed in the meantime`;
}

const NOTHING: FlagsChanged = { stale: [], changed: [], modseq: 0 };

/** The client knows the flags that it has set. */
async function respondQuietly(
  session: FolderSession,
  change: FlagChange,
  changed: FlagsChanged['changed'],
  modseq: number,
): Promise<void> {
  const { labels = [] } = ('set' in change ? change.set : change.add) ?? {};
  announceKeywords(session, changed.length > 0 ? [...labels] : []);
  const told = new Map(changed.map(({ uid }) => [uid, modseq]));
  await reportChanges(session, { allowExpunge: false, told });
}

const NEW_MODSEQ: FetchItem[] = [
  { kind: 'simple', name: 'UID' },
  { kind: 'simple', name: 'MODSEQ' },
];

/** Reports the flags of all named messages, and then the changes by others. */
async function respond(
  session: FolderSession,
  messages: ProgramMessage[],
  { isSilent, failed, isConditional }: { isSilent: boolean; failed: Set<string>; isConditional: boolean },
): Promise<void> {
  const told = new Map<number, number>();
  const own = messages.filter(({ id }) => !failed.has(id));
  announceKeywords(
    session,
    own.flatMap(({ labels }) => labels),
  );
  for (const { uid, modseq } of own) told.set(uid, modseq);
  // RFC 7162 section 3.1.3: a client that uses change numbers needs the new one.
  const needsModseq = isConditional || session.enabled.has('CONDSTORE');
  const items = isSilent ? NEW_MODSEQ : itemsOfReport(session);
  if (!isSilent || needsModseq) await writeMessages(session, own.map(toFetched), { items });
  await reportChanges(session, { allowExpunge: false, told });
}

function readUnchangedSince(session: FolderSession, cursor: CommandCursor): number | null {
  if (!cursor.take('(UNCHANGEDSINCE ')) return null;
  const modseq = cursor.number();
  cursor.expect(') ');
  enableCondstore(session);
  return modseq;
}

function readChange(cursor: CommandCursor): { change: FlagChange; isSilent: boolean } {
  const sign = cursor.match(/[+-]/y);
  cursor.expect('FLAGS');
  const isSilent = cursor.take('.SILENT');
  cursor.space();
  const names = cursor.sees('(') ? readFlagList(cursor) : readBareFlags(cursor);
  const set = toFlagSet(names);
  if (sign === '+') return { change: { add: set }, isSilent };
  return { change: sign === '-' ? { remove: set } : { set }, isSilent };
}

function readBareFlags(cursor: CommandCursor): string[] {
  const names = [cursor.flag()];
  while (cursor.take(' ')) names.push(cursor.flag());
  return names;
}
