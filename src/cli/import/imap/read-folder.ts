/** Reads the messages of one folder of another server. */
import type { ImapFlow } from 'imapflow';
import { sha256 } from '../../../platform/crypto.ts';

/** A message that can be imported. */
export interface SourceMessage {
  uid: number;
  size: number;
  /** The key is the same in every run, even if the server has renumbered its messages. */
  key: Buffer;
  /** The identity is the same for copies of a message in other folders. */
  identity: string;
}

export interface SourceContent {
  uid: number;
  raw: Buffer | null;
  flags: string[];
  date: Date | null;
}

/** The number of messages per request. */
const BATCH = 50;

/** Opens the folder for reading and lists its messages in the order of their UIDs. */
export async function listMessages(client: ImapFlow, path: string): Promise<SourceMessage[]> {
  const { exists } = await client.mailboxOpen(path, { readOnly: true });
  if (exists === 0) return [];
  const found: Omit<SourceMessage, 'key'>[] = [];
  const query = { uid: true, internalDate: true, size: true, headers: ['message-id'] };
  for await (const { uid, internalDate, size = 0, headers } of client.fetch('1:*', query)) {
    const messageId = headers
      ?.toString('latin1')
      .replace(/^message-id:/i, '')
      .trim();
    const name = messageId || `${size} bytes`;
    found.push({ uid, size, identity: `${name} ${toDate(internalDate)?.toISOString() ?? ''}` });
  }
  // Equal messages of a folder are distinguished by their order.
  const seen = new Map<string, number>();
  return found
    .toSorted((a, b) => a.uid - b.uid)
    .map((message) => {
      const nth = (seen.get(message.identity) ?? 0) + 1;
      seen.set(message.identity, nth);
      return { ...message, key: sha256(['import imap', path, message.identity, nth].join('\0')) };
    });
}

/** Reads messages of the open folder. Messages that were deleted in the meantime are missing. */
export async function* readContents(client: ImapFlow, uids: number[]): AsyncGenerator<SourceContent> {
  const query = { uid: true, internalDate: true, flags: true, source: true };
  for (let at = 0; at < uids.length; at += BATCH) {
    const range = uids.slice(at, at + BATCH).join(',');
    for await (const { uid, internalDate, flags, source } of client.fetch(range, query, { uid: true }))
      yield { uid, raw: source ?? null, flags: [...(flags ?? [])], date: toDate(internalDate) };
  }
}

function toDate(date: Date | string | undefined): Date | null {
  const read = date === undefined ? null : new Date(date);
  return read && !Number.isNaN(read.getTime()) ? read : null;
}
