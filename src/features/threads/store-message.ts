/**
 * Messages and all that follows from them for their threads, in one statement: each thread is made or moved on, the
 * message is stored with its files and the ids that it names, and listeners are told.
 */
import { htmlToPlainText } from '../../mail/html-text.ts';
import { baseSubject } from '../../mail/threading.ts';
import { sha256 } from '../../platform/crypto.ts';
import { statement, together, toJson, type Db } from '../../platform/database.ts';
import type { People } from './people.ts';
import { storeBlobs } from './store-blobs.ts';
import { MAX_CHARACTERS, searchVectorOf } from './search-words.ts';

export interface StoredFile {
  filename: string | null;
  contentType: string;
  contentId: string | null;
  inline: boolean;
  content: Buffer;
}

interface NewMessage {
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

interface ThreadChange {
  id: string;
  /** Null: where it is; a new one is among what was sent. */
  folder: 'inbox' | 'spam' | null;
  /** Everyone in it, the people of this message included. */
  people: People;
  /** Whether it comes to the top of the list: a draft does not. */
  isNews: boolean;
  event: 'message.received' | 'message.left' | 'thread.changed';
}

export interface StoredMessage {
  message: NewMessage;
  thread: ThreadChange;
}

const MAX_SUBJECT_KEY = 200;
const MAX_SNIPPET = 200;
const MAX_MESSAGE_ID = 500;
const MAX_FILES = 1_000;
const HALF_OF_PAIR = /[\ud800-\udfff]/;

/** No two of them for one thread: what becomes of it is one change. */
export async function storeMessages(trx: Db, stored: StoredMessage[]): Promise<void> {
  const rows = stored.map(toRow);
  const blobs = storeBlobs(
    trx,
    rows.flatMap(({ teamId, blobs }) => blobs.map((blob) => ({ ...blob, teamId }))),
  );
  const messages = statement(trx)`
    with given as materialized (
      select * from json_to_recordset(${toJson(rows.map(({ row }) => row))}::json) as g (
        no integer, team_id integer, id uuid, mailbox_id uuid, thread_id uuid, folder text, is_news boolean, event text,
        base_subject text, participants text[], participant_keys text[], snippet text, unread integer, direction text,
        email_id uuid, cancel_if_replied boolean, message_id text, in_reply_to text, reference_ids text[],
        names text[], sender text, to_addresses text[], cc_addresses text[], bcc_addresses text[], reply_to text[],
        subject text, text text, html text, attachment_count smallint, authentication jsonb, raw_sha256 text,
        delivery_key text, search tsvector, created_at timestamptz)
    ), thread as (
      insert into threads as t (team_id, id, mailbox_id, folder, subject, base_subject, participants, participant_keys,
        snippet, message_count, unread_count, last_message_at)
      select team_id, thread_id, mailbox_id, coalesce(folder, 'sent'), subject, base_subject, participants,
        participant_keys, snippet, 1, unread, created_at
      from given
      on conflict (team_id, id) do update set
        folder = coalesce((select g.folder from given g where g.thread_id = excluded.id), t.folder),
        participants = excluded.participants, participant_keys = excluded.participant_keys,
        snippet = case when (select g.is_news from given g where g.thread_id = excluded.id)
          then excluded.snippet else t.snippet end,
        message_count = t.message_count + 1, unread_count = t.unread_count + excluded.unread_count,
        last_message_at = case when (select g.is_news from given g where g.thread_id = excluded.id)
          then greatest(t.last_message_at, excluded.last_message_at) else t.last_message_at end
    ), named as (
      insert into message_references (team_id, mailbox_id, reference, message_id)
      select distinct team_id, mailbox_id, reference, id from given, unnest(names) as reference
    ), files as (
      insert into message_attachments (team_id, message_id, no, filename, content_type, content_id, inline, size, sha256)
      select team_id, message_id, no, filename, content_type, content_id, inline, size, decode(sha256, 'hex')
      from json_to_recordset(${toJson(rows.flatMap(({ files }) => files))}::json) as f (
        team_id integer, message_id uuid, no smallint, filename text, content_type text, content_id text,
        inline boolean, size integer, sha256 text)
    ), event as (
      insert into mailbox_events (team_id, mailbox_id, type, thread_id, message_id)
      select team_id, mailbox_id, event, thread_id, id from given order by no
    )
    insert into messages (team_id, id, mailbox_id, thread_id, direction, email_id, cancel_if_replied, message_id,
      in_reply_to, reference_ids, sender, to_addresses, cc_addresses, bcc_addresses, reply_to, subject, text, html, read,
      attachment_count, authentication, raw_sha256, delivery_key, search, created_at)
    select team_id, id, mailbox_id, thread_id, direction, email_id, cancel_if_replied, message_id, in_reply_to,
      reference_ids, sender, to_addresses, cc_addresses, bcc_addresses, reply_to, subject, text, html, unread = 0,
      attachment_count, authentication, decode(raw_sha256, 'hex'), decode(delivery_key, 'hex'), search, created_at
    from given`;
  await together(blobs, messages);
}

function toRow({ message, thread }: StoredMessage, no: number) {
  const { teamId, mailboxId } = message;
  const plain = message.text ?? (message.html ? htmlToPlainText(message.html, MAX_CHARACTERS) : '');
  const files = message.files.slice(0, MAX_FILES).map((file) => ({ ...file, hash: sha256(file.content) }));
  const raw = message.raw && { hash: sha256(message.raw), content: message.raw };
  return {
    teamId,
    blobs: raw ? [raw, ...files] : files,
    files: files.map((file, at) => ({
      team_id: teamId,
      message_id: message.id,
      no: at,
      filename: file.filename,
      content_type: file.contentType,
      content_id: file.contentId,
      inline: file.inline,
      size: file.content.length,
      sha256: file.hash.toString('hex'),
    })),
    row: {
      no,
      team_id: teamId,
      id: message.id,
      mailbox_id: mailboxId,
      thread_id: thread.id,
      folder: thread.folder,
      is_news: thread.isNews,
      event: thread.event,
      base_subject: toSubjectKey(message.subject),
      participants: thread.people.shown,
      participant_keys: thread.people.keys,
      snippet: toSnippet(plain),
      unread: message.direction === 'in' ? 1 : 0,
      direction: message.direction,
      email_id: message.emailId,
      cancel_if_replied: message.cancelIfReplied,
      message_id: message.messageId && shortenId(message.messageId),
      in_reply_to: message.inReplyTo,
      reference_ids: message.references,
      names: message.references.map(shortenId),
      sender: message.from,
      to_addresses: message.to,
      cc_addresses: message.cc,
      bcc_addresses: message.bcc,
      reply_to: message.replyTo,
      subject: message.subject,
      text: message.text,
      html: message.html,
      attachment_count: files.length,
      authentication: message.authentication,
      raw_sha256: raw && raw.hash.toString('hex'),
      delivery_key: message.deliveryKey && message.deliveryKey.toString('hex'),
      search: searchVectorOf(mailboxId, {
        from: message.from,
        to: [...message.to, ...message.cc, ...message.bcc],
        subject: message.subject,
        text: plain,
      }),
      created_at: message.createdAt,
    },
  };
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
      .replaceAll(/\s\s+|[^\S ]/g, ' ')
      .trim(),
    MAX_SNIPPET,
  );
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const start = text.slice(0, length);
  if (!HALF_OF_PAIR.test(start)) return start;
  const more = text.slice(0, 2 * length);
  return [...more].slice(0, length).join('').toWellFormed();
}
