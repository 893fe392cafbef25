/** Streams emails as CSV (RFC 4180), newest first, page by page at the client's pace. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { exportQueue, writeCsvRow } from '../../../platform/csv.ts';
import type { Db } from '../../../platform/database/database.ts';
import { keepToDomain } from '../../api/bound-keys.ts';
import type { Caller } from '../../api/caller.ts';
import type { EmailFilter, EmailListItem } from '../../sending/emails/emails.schema.ts';
import { listEmails } from './list-emails.ts';

const PAGE_ROWS = 500;
const COLUMNS = [
  'id',
  'createdAt',
  'scheduledAt',
  'status',
  'from',
  'to',
  'cc',
  'bcc',
  'subject',
  'messageId',
  'campaignId',
  'tags',
] as const;

/** Throws all expected errors before the response begins. `throwIfDisconnected` is called before each page. */
export function exportEmails(
  db: Db,
  caller: Caller,
  filter: EmailFilter,
  throwIfDisconnected: () => void,
): AsyncIterable<string> {
  if (filter.domainId !== undefined) keepToDomain(caller, filter.domainId);
  return writePages((cursor) =>
    exportQueue(caller.teamId, async () => {
      throwIfDisconnected();
      return listEmails(db, caller, { ...filter, limit: PAGE_ROWS, cursor });
    }),
  );
}

async function* writePages(
  read: (cursor: string | undefined) => ReturnType<typeof listEmails>,
): AsyncGenerator<string> {
  yield writeCsvRow([...COLUMNS]);
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    if (page.items.length > 0) yield page.items.map(writeEmail).join('');
    cursor = page.next_cursor ?? undefined;
    await nextTurn();
  } while (cursor !== undefined);
}

function writeEmail(email: EmailListItem): string {
  const tags = email.tags.map(({ name, value }) => `${name}:${value}`);
  return writeCsvRow(
    COLUMNS.map((name) => {
      const value = name === 'tags' ? tags : email[name];
      return Array.isArray(value) ? value.join(', ') : (value ?? '');
    }),
  );
}
