/** APPEND of one or several messages (RFC 3502), with all forms of literals. */
import { requireLevel } from '../../features/api/mailbox-access.ts';
import { needInFolder } from '../../features/mailboxes/access/message-needs.ts';
import { appendMessages } from '../../features/mailboxes/receiving/append-message.ts';
import { requireSpace } from '../../features/instance/require-space.ts';
import type { CommandCursor } from '../../mail/imap/command-cursor.ts';
import { encodeBinaryParts } from '../../mail/imap/encode-binary.ts';
import { readDateTime } from '../../mail/imap/write-values.ts';
import { writeSet } from '../../mail/imap/sequence-set.ts';
import { readFlagList, toFlagSet } from '../session/flags.ts';
import { readFolderName, requireFolder } from '../session/folder-names.ts';
import { Refusal, type CommandInput, type CommandResult, type UserSession } from '../session/session.ts';

interface NewMessage {
  raw: Buffer;
  flags: string[];
  date: Date | null;
}

export async function append(session: UserSession, { cursor }: CommandInput): CommandResult {
  cursor.space();
  const name = readFolderName(session, cursor);
  const messages: NewMessage[] = [];
  do {
    cursor.space();
    messages.push(readMessage(cursor));
  } while (!cursor.isAtEnd);
  const { tools, login } = session;
  const folder = await requireFolder(session, name, 'TRYCREATE');
  requireLevel(login.access, needInFolder(folder.id));
  const input = messages.map(({ raw, flags, date }) => ({
    raw,
    folder: folder.id,
    flags: toFlagSet(flags),
    date,
  }));
  const bytes = messages.reduce((sum, { raw }) => sum + raw.length, 0);
  await requireSpace(tools.facts, login.teamId, bytes);
  const stored = await tools.memory.work(login.teamId, bytes, () => appendMessages(tools.db, login, input));
  tools.facts.hintMail();
  return `[APPENDUID ${folder.uidValidity} ${writeSet(stored.map(({ uid }) => uid))}] Stored`;
}

function readMessage(cursor: CommandCursor): NewMessage {
  const flags = cursor.sees('(') ? readFlagList(cursor) : [];
  if (flags.length > 0 || cursor.sees(' ')) cursor.take(' ');
  let date: Date | null = null;
  if (cursor.sees('"')) {
    date = readDateTime(cursor.string()) ?? cursor.fail('Expected a date and time');
    cursor.space();
  }
  // RFC 6855 section 4: UTF8 (~{…}).
  const isUtf8 = cursor.take('UTF8 (');
  const isBinary = cursor.sees('~');
  const raw = cursor.literal() ?? cursor.fail('Expected a literal');
  if (isUtf8) cursor.expect(')');
  if (raw.length === 0) throw new Refusal('CANNOT', 'The message is empty');
  if (!raw.includes(0)) return { raw, flags, date };
  // RFC 3516 section 4.4: only a literal8 may contain NUL.
  const encoded = isBinary ? encodeBinaryParts(raw) : null;
  if (!encoded) throw new Refusal('UNKNOWN-CTE', 'The message contains NUL bytes');
  return { raw: encoded, flags, date };
}
