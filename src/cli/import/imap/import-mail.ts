/**
 * Copies the folders and messages of another IMAP server into a mailbox. Each message has a key that is the same in
 * every run and is stored with the message in one transaction. So a run that was killed continues where it stopped,
 * and a second run adds only new messages. Messages that already exist are not changed.
 */
import type { TeamStorage } from '../../../features/instance/facts.ts';
import { requireSpace } from '../../../features/instance/require-space.ts';
import type { ImapFlow } from 'imapflow';
import { createFolder } from '../../../features/mailboxes/storage/change-folders.ts';
import type { MailboxRef } from '../../../features/mailboxes/storage/change-numbers.ts';
import type { FlagSet } from '../../../features/mailboxes/storage/change-flags.ts';
import { findFolderByName } from '../../../features/mailboxes/storage/folder-rows.ts';
import type { DiskSpace } from '../../../platform/disk-space.ts';
import { appendOnce } from '../../../features/mailboxes/receiving/append-message.ts';
import { findStoredKeys } from '../../../features/mailboxes/receiving/stored-keys.ts';
import { toFlagSet } from '../../../imap/session/flags.ts';
import type { Db } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { planFolders, type PlannedFolder } from './folder-plan.ts';
import type { MailReport } from './mail-report.ts';
import { listMessages, readContents, type SourceContent, type SourceMessage } from './read-folder.ts';

export interface MailImport {
  db: Db;
  mailbox: MailboxRef & { addressKey: string };
  maxMessageBytes: number;
  disk: DiskSpace;
  storage: TeamStorage;
  isDry: boolean;
  report: MailReport;
  signal: AbortSignal;
  /** Called after each message. */
  onProgress(): void;
}

const KEYS_AT_ONCE = 1_000;
const MAX_KEYWORDS = 50;
const MAX_KEYWORD_LENGTH = 100;

export async function importMail(client: ImapFlow, work: MailImport): Promise<void> {
  const listed = await client.list();
  const { folders, views } = planFolders(listed, client.namespace ? (client.namespace.prefix ?? '') : '');
  work.report.views = views;
  /** The messages of earlier folders. They are kept only if a folder with all mail follows. */
  const seen = folders.some(({ isAllMail }) => isAllMail) ? new Set<string>() : null;
  for (const folder of folders) await importFolder(client, work, folder, seen);
}

async function importFolder(
  client: ImapFlow,
  work: MailImport,
  folder: PlannedFolder,
  seen: Set<string> | null,
): Promise<void> {
  const { db, mailbox, maxMessageBytes, isDry, report, signal } = work;
  const count = report.begin(folder.path, folder.name);
  const all = await listMessages(client, folder.path);
  const messages = folder.isAllMail ? all.filter(({ identity }) => !seen!.has(identity)) : all;
  if (!folder.isAllMail) for (const { identity } of messages) seen?.add(identity);
  count.found = messages.length;
  const missing = await findMissing(db, mailbox, messages);
  count.present = messages.length - missing.length;
  const wanted = missing.filter(({ uid, size }) => {
    if (size <= maxMessageBytes) return true;
    report.refuse(count, uid, `has ${size} bytes, which is more than INBOUND_MAX_MESSAGE_MB allows`);
    return false;
  });
  if (isDry) {
    count.imported = wanted.length;
    return;
  }
  const folderId = await findOrCreate(db, mailbox, folder.name);
  const left = new Map(wanted.map((message) => [message.uid, message]));
  for await (const content of readContents(client, [...left.keys()])) {
    signal.throwIfAborted();
    const message = left.get(content.uid);
    if (!message) continue;
    left.delete(content.uid);
    const refusal = await storeMessage(work, folderId, message, content);
    if (refusal === null) count.imported += 1;
    else report.refuse(count, content.uid, refusal);
    work.onProgress();
  }
  for (const uid of left.keys()) report.refuse(count, uid, 'was not sent by the server');
}

async function findMissing(db: Db, mailbox: MailboxRef, messages: SourceMessage[]): Promise<SourceMessage[]> {
  const missing: SourceMessage[] = [];
  for (let at = 0; at < messages.length; at += KEYS_AT_ONCE) {
    const batch = messages.slice(at, at + KEYS_AT_ONCE);
    const stored = await findStoredKeys(
      db,
      mailbox,
      batch.map(({ key }) => key),
    );
    missing.push(...batch.filter(({ key }) => !stored.has(key.toString('hex'))));
  }
  return missing;
}

async function findOrCreate(db: Db, mailbox: MailboxRef, name: string): Promise<string> {
  const found = await findFolderByName(db, mailbox, name);
  return (found ?? (await createFolder(db, mailbox, name))).id;
}

/** Returns the reason why the message cannot be stored, or null. */
async function storeMessage(
  { db, mailbox, disk, storage }: MailImport,
  folder: string,
  { key }: SourceMessage,
  { raw, flags, date }: SourceContent,
): Promise<string | null> {
  if (!raw || raw.length === 0) return 'is empty';
  await requireSpace({ disk, storage }, mailbox.teamId, raw.length);
  try {
    await appendOnce(db, mailbox, { raw, folder, flags: readFlags(flags), date }, key);
    return null;
  } catch (error) {
    if (error instanceof AppError && error.code === 'BAD_REQUEST') return error.message;
    throw error;
  }
}

/** Keywords that cannot be stored are left out. */
function readFlags(flags: string[]): FlagSet {
  const system = flags.filter((flag) => flag.startsWith('\\'));
  const keywords = flags.filter((flag) => !flag.startsWith('\\') && flag.length <= MAX_KEYWORD_LENGTH);
  return toFlagSet([...system, ...keywords.slice(0, MAX_KEYWORDS)]);
}
