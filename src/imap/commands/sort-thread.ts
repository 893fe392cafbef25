/** SORT and THREAD (RFC 5256, RFC 5957). */
import { readSortable } from '../../features/mailboxes/programs/sortable-messages.ts';
import { BadCommand } from '../../mail/imap/command-cursor.ts';
import { readSearchKeys } from '../../mail/imap/search-keys.ts';
import {
  SORT_KEYS,
  sortMessages,
  threadBySubject,
  writeThreads,
  type SortKey,
} from '../../mail/imap/sort-thread.ts';
import { threadByReferences } from '../../mail/imap/thread-references.ts';
import type { CommandInput, CommandResult, FolderSession } from '../session/session.ts';
import { requireCharset, runSearch } from './search.ts';

const MAX_KEYS = 20;

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
  const messages = await findMessages(session, cursor);
  const numbers = sortMessages(messages, keys).map(({ uid }) =>
    isUid ? uid : session.selected.numberOf(uid),
  );
  session.out.line(`* SORT${numbers.map((number) => ` ${number}`).join('')}`);
}

export async function thread(session: FolderSession, { cursor, isUid }: CommandInput): CommandResult {
  cursor.space();
  const algorithm = cursor.atom().toUpperCase();
  if (algorithm !== 'REFERENCES' && algorithm !== 'ORDEREDSUBJECT') throw new BadCommand('Unknown algorithm');
  const messages = await findMessages(session, cursor);
  const roots = algorithm === 'REFERENCES' ? threadByReferences(messages) : threadBySubject(messages);
  const written = writeThreads(roots, (uid) => (isUid ? uid : session.selected.numberOf(uid)));
  session.out.line(written === '' ? '* THREAD' : `* THREAD ${written}`);
}

/** Reads the charset and the search keys, and finds the messages. */
async function findMessages(session: FolderSession, cursor: CommandInput['cursor']) {
  cursor.space();
  requireCharset(cursor.astring());
  cursor.space();
  const found = await runSearch(session, readSearchKeys(cursor), false);
  const { tools, login, selected } = session;
  return readSortable(
    tools.db,
    login,
    selected.folder.id,
    found.map(({ uid }) => uid),
  );
}
