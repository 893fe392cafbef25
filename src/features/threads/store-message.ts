/**
 * A message and all that follows from it for its thread, in one statement: the thread is made or moved on, the
 * message is stored with its bytes, its files and the ids that it names, and listeners are told.
 */
import { htmlToPlainText } from '../../mail/html-text.ts';
import { baseSubject } from '../../mail/threading.ts';
import { sha256 } from '../../platform/crypto.ts';
import { statement, type Db } from '../../platform/database.ts';
import type { People } from './people.ts';
import { searchVectorOf } from './search-words.ts';

export interface StoredFile {
  filename: string | null;
  contentType: string;
  contentId: string | null;
  inline: boolean;
  content: Buffer;
}

export interface NewMessage {
  teamId: number;
  mailboxId: string;
  id: string;
  direction: 'in' | 'out';
  emailId: string | null;
  cancelIfReplied: boolean;
  messageId: string | null;
  inReplyTo: string | null;
  /** Oldest ancestor first. */
  references: string[];
  from: string;
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: string[];
  subject: string;
  text: string | null;
  /** Cleaned. */
  html: string | null;
  authentication: object | null;
  raw: Buffer | null;
  deliveryKey: Buffer | null;
  files: StoredFile[];
  createdAt: Date;
}

export interface ThreadChange {
  id: string;
  /** Null: where it is; a new one is among what was sent. */
  folder: 'inbox' | 'spam' | null;
  /** Everyone in it, the people of this message included. */
  people: People;
  /** Whether it comes to the top of the list: a draft does not. */
  isNews: boolean;
  event: 'message.received' | 'message.left' | 'thread.changed';
}

const MAX_SUBJECT_KEY = 200;
const MAX_SNIPPET = 200;
const MAX_MESSAGE_ID = 500;
const MAX_FILES = 1_000;

export async function storeMessage(trx: Db, message: NewMessage, thread: ThreadChange): Promise<void> {
  const { teamId, mailboxId, references } = message;
  const files = message.files.slice(0, MAX_FILES).map((file) => ({ ...file, hash: sha256(file.content) }));
  await storeFiles(trx, teamId, files);
  const plain = message.text ?? (message.html ? htmlToPlainText(message.html) : '');
  const searchVector = searchVectorOf(mailboxId, {
    from: message.from,
    to: [...message.to, ...message.cc, ...message.bcc],
    subject: message.subject,
    text: plain,
  });
  const isUnread = message.direction === 'in';
  await statement(trx)`
    with thread as (
      insert into threads as t (team_id, id, mailbox_id, folder, subject, base_subject, participants, participant_keys,
        snippet, message_count, unread_count, last_message_at)
      values (${teamId}, ${thread.id}, ${mailboxId}, coalesce(${thread.folder}::text, 'sent'), ${message.subject},
        ${toSubjectKey(message.subject)}, ${thread.people.shown}, ${thread.people.keys},
        ${toSnippet(plain)}, 1, ${isUnread ? 1 : 0}, ${message.createdAt})
      on conflict (team_id, id) do update set
        folder = coalesce(${thread.folder}::text, t.folder),
        participants = excluded.participants, participant_keys = excluded.participant_keys,
        snippet = case when ${thread.isNews}::boolean then excluded.snippet else t.snippet end,
        message_count = t.message_count + 1, unread_count = t.unread_count + excluded.unread_count,
        last_message_at = case when ${thread.isNews}::boolean
          then greatest(t.last_message_at, excluded.last_message_at) else t.last_message_at end
    ), raw as (
      insert into blobs (team_id, sha256, bytes)
      select ${teamId}, ${message.raw && sha256(message.raw)}::bytea, ${message.raw}::bytea
      where ${message.raw !== null}::boolean
      on conflict (team_id, sha256) do update set unused_since = null
    ), named as (
      insert into message_references (team_id, mailbox_id, reference, message_id)
      select distinct ${teamId}::integer, ${mailboxId}::uuid, reference, ${message.id}::uuid
      from unnest(${references.map(shortenId)}::text[]) as reference
    ), files as (
      insert into message_attachments (team_id, message_id, no, filename, content_type, content_id, inline, size, sha256)
      select ${teamId}, ${message.id}, no - 1, filename, content_type, content_id, inline, size, decode(hash, 'hex')
      from unnest(
        ${files.map(({ filename }) => filename)}::text[], ${files.map(({ contentType }) => contentType)}::text[],
        ${files.map(({ contentId }) => contentId)}::text[], ${files.map(({ inline }) => inline)}::boolean[],
        ${files.map(({ content }) => content.length)}::integer[], ${files.map(({ hash }) => hash.toString('hex'))}::text[]
      ) with ordinality as f (filename, content_type, content_id, inline, size, hash, no)
    ), event as (
      insert into mailbox_events (team_id, mailbox_id, type, thread_id, message_id)
      values (${teamId}, ${mailboxId}, ${thread.event}, ${thread.id}, ${message.id})
    )
    insert into messages (team_id, id, mailbox_id, thread_id, direction, email_id, cancel_if_replied, message_id,
      in_reply_to, reference_ids, sender, to_addresses, cc_addresses, bcc_addresses, reply_to, subject, text, html, read,
      attachment_count, authentication, raw_sha256, delivery_key, search, created_at)
    values (${teamId}, ${message.id}, ${mailboxId}, ${thread.id}, ${message.direction}, ${message.emailId},
      ${message.cancelIfReplied}, ${message.messageId && shortenId(message.messageId)}, ${message.inReplyTo},
      ${references}, ${message.from}, ${message.to}, ${message.cc}, ${message.bcc}, ${message.replyTo},
      ${message.subject}, ${message.text}, ${message.html}, ${!isUnread}, ${files.length},
      ${message.authentication && JSON.stringify(message.authentication)}::jsonb, ${message.raw && sha256(message.raw)},
      ${message.deliveryKey}, ${searchVector}::tsvector, ${message.createdAt})`;
}

/** One by one, since they may be large, and in one order, so that two messages with the same files do not block. */
export async function storeFiles(
  trx: Db,
  teamId: number,
  files: (StoredFile & { hash: Buffer })[],
): Promise<void> {
  const byHash = new Map(files.map((file) => [file.hash.toString('hex'), file]));
  for (const [, { hash, content }] of [...byHash].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    await statement(trx)`
      insert into blobs (team_id, sha256, bytes) values (${teamId}, ${hash}, ${content})
      on conflict (team_id, sha256) do update set unused_since = null`;
  }
}

/** As it stands in the indexes, whose entries have a limit. */
export function shortenId(messageId: string): string {
  return messageId.slice(0, MAX_MESSAGE_ID).toWellFormed();
}

/** What it is about, in the length of an index entry; empty where that tells nothing. */
export function toSubjectKey(subject: string): string {
  return cut(baseSubject(subject), MAX_SUBJECT_KEY);
}

export function toSnippet(plain: string): string {
  return cut(
    plain
      .slice(0, 4 * MAX_SNIPPET)
      .replaceAll(/\s+/gu, ' ')
      .trim(),
    MAX_SNIPPET,
  );
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : [...text].slice(0, length).join('').toWellFormed();
}
