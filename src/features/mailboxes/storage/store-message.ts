/**
 * Stores messages and updates their threads in one statement: creates or updates each thread, stores the message with
 * its files and referenced IDs, assigns its UID and change number, and records the event for live updates.
 */
import { htmlToPlainText } from '../../../mail/html/text.ts';
import { baseSubject } from '../../../mail/mime/threading.ts';
import {
  runTogether,
  statement,
  toNumberArray,
  toJson,
  type Db,
} from '../../../platform/database/database.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import type { People } from './participants.ts';
import { RECORD_LIVE_UPDATES } from '../../events/live-updates.ts';
import { contentHash } from '../../content/stored/content-hash.ts';
import { storeBlobs } from '../../content/stored/store-blobs.ts';
import { canDerive, sizeOfBody } from './derived-bodies.ts';
import type { MoreAddresses } from './more-addresses.ts';
import { MAX_CHARACTERS, searchedTextOf } from './search-words.ts';

export interface StoredFile extends CamelRow<
  'message_attachments',
  'filename' | 'content_type' | 'content_id' | 'inline'
> {
  content: Buffer;
}

interface NewMessage {
  teamId: number;
  mailboxId: string;
  id: string;
  direction: 'in' | 'out';
  /** The ID of an existing folder. */
  folder: string;
  flags: Flags;
  labels: string[];
  emailId: string | null;
  cancelIfReplied: boolean;
  /** The UUID of the person who wrote it here. Missing for received messages, email apps and API keys. */
  authorId?: string | null;
  messageId: string | null;
  inReplyTo: string | null;
  /** The oldest ancestor comes first. */
  references: string[];
  from: string;
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: string[];
  /** Missing for messages that are written here. */
  moreAddresses?: MoreAddresses | null;
  subject: string;
  text: string | null;
  /** The HTML must be sanitised. */
  html: string | null;
  /** Missing for messages that are written here. */
  displayHtml?: string | null;
  authentication: object | null;
  /** What the spam filter said. Missing where nothing was checked. */
  spam?: object | null;
  raw: Buffer | null;
  deliveryKey: Buffer | null;
  /** The normalised recipient of the envelope, for received messages. */
  deliveredTo?: string | null;
  /** How to leave the mailing list that sent the message. */
  listUnsubscribe?: object | null;
  files: StoredFile[];
  /** The time in the Date header and its day in the sender's time zone. */
  sent?: { at: Date; on: string } | null;
  createdAt: Date;
}

export interface Flags {
  read: boolean;
  starred: boolean;
  answered: boolean;
  draft: boolean;
  deleted: boolean;
}

export const NO_FLAGS: Flags = {
  read: false,
  starred: false,
  answered: false,
  draft: false,
  deleted: false,
};

interface ThreadChange {
  id: string;
  /** All participants, including those of this message. */
  people: People;
  /** True if the thread moves to the top of the list. A draft does not move it. */
  movesToTop: boolean;
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
const SURROGATE = /[\ud800-\udfff]/;

/**
 * Each message must belong to a different thread, because one statement can update a thread only once. The change
 * numbers of the mailboxes are locked first. The steps of the last statement, by their names in it:
 *
 *   input       the messages to store; `nth` numbers those for the same folder
 *   number      the next change number of each mailbox
 *   place       the first UID of the messages in each folder; the folder's next UID moves past all of them
 *   thread      the threads, created or updated; a message moves its thread to the inbox, or out of trash and spam
 *   referenced  the Message-IDs by which later messages find the thread
 *   searched    the words
 *   files       the attachments
 *   live_update the updates for listening clients                                    RECORD_LIVE_UPDATES
 */
export async function storeMessages(trx: Db, stored: StoredMessage[]): Promise<void> {
  const places = placesInFolders(stored);
  const rows = stored.map((each, no) =>
    toRow(each, {
      no,
      nth: places[no]!,
      isDerived: canDerive(trx, each.message.raw, each.message.flags.draft),
    }),
  );
  const blobs = storeBlobs(
    trx,
    rows.flatMap(({ teamId, blobs }) => blobs.map((blob) => ({ ...blob, teamId }))),
  );
  // A statement is sent when it is made, so the locks come before the messages.
  const locks = lockChangeNumbers(trx, stored);
  const messages = statement(trx)`
    with input as materialized (
      select * from json_to_recordset(${toJson(rows.map(({ row }) => row))}::json) as g (
        no integer, nth integer, team_id integer, id uuid, mailbox_id uuid, thread_id uuid, folder text, moves_to_top boolean, event text,
        base_subject text, participants text[], participant_keys text[], snippet text, unread integer, direction text, read boolean, starred boolean, answered boolean,
        draft boolean, deleted boolean, labels text[], size integer,
        email_id uuid, cancel_if_replied boolean, author_id uuid, message_id text, in_reply_to text, reference_ids text[],
        names text[], sender text, to_addresses text[], cc_addresses text[], bcc_addresses text[], reply_to text[],
        more_addresses jsonb, subject text, text text, html text, display_html text, body_bytes integer, attachment_count smallint, authentication jsonb, spam jsonb, raw_sha256 text,
        delivery_key text, delivered_to text, list_unsubscribe jsonb, words text, sent_at timestamptz, sent_on date, created_at timestamptz)
    ), number as (
      update mailbox_change_numbers c set modseq = c.modseq + 1
      from (select distinct team_id, mailbox_id from input) i
      where c.team_id = i.team_id and c.mailbox_id = i.mailbox_id returning c.team_id, c.mailbox_id, c.modseq
    ), place as (
      update folders f set next_uid = f.next_uid + i.count
      from (select team_id, mailbox_id, folder, count(*) as count from input group by team_id, mailbox_id, folder) i
      where f.team_id = i.team_id and f.mailbox_id = i.mailbox_id and f.id = i.folder
      returning f.team_id, f.mailbox_id, f.id as folder, f.next_uid - i.count as first_uid
    ), thread as (
      insert into threads as t (team_id, id, mailbox_id, folder, subject, base_subject, participants, participant_keys,
        snippet, message_count, unread_count, starred_count, last_message_at)
      select team_id, thread_id, mailbox_id, case folder when 'drafts' then 'sent' else folder end, subject, base_subject, participants,
        participant_keys, snippet, 1, unread, starred::integer, created_at
      from input
      on conflict (team_id, id) do update set
        folder = case when excluded.folder = 'inbox' or t.folder in ('trash', 'spam') then excluded.folder else t.folder end,
        participants = excluded.participants, participant_keys = excluded.participant_keys,
        snippet = case when (select g.moves_to_top from input g where g.thread_id = excluded.id)
          then excluded.snippet else t.snippet end,
        message_count = t.message_count + 1, unread_count = t.unread_count + excluded.unread_count,
        starred_count = t.starred_count + excluded.starred_count,
        last_message_at = case when (select g.moves_to_top from input g where g.thread_id = excluded.id)
          then greatest(t.last_message_at, excluded.last_message_at) else t.last_message_at end
    ), referenced as (
      insert into message_references (team_id, mailbox_id, reference, message_id)
      select distinct team_id, mailbox_id, reference, id from input, unnest(names) as reference
    ), searched as (
      insert into message_words (team_id, message_id, words) select team_id, id, words from input
    ), files as (
      insert into message_attachments (team_id, message_id, no, filename, content_type, content_id, inline, size, sha256)
      select team_id, message_id, no, filename, content_type, content_id, inline, size, decode(sha256, 'hex')
      from json_to_recordset(${toJson(rows.flatMap(({ files }) => files))}::json) as f (
        team_id integer, message_id uuid, no smallint, filename text, content_type text, content_id text,
        inline boolean, size integer, sha256 text)
    ), live_update as (
      select team_id, mailbox_id, event as type, thread_id, id as message_id from input order by no
    ), ${RECORD_LIVE_UPDATES}
    insert into messages (team_id, id, mailbox_id, thread_id, direction, email_id, cancel_if_replied, author_id, message_id,
      in_reply_to, reference_ids, sender, to_addresses, cc_addresses, bcc_addresses, reply_to, more_addresses, subject, text, html, display_html, body_bytes, snippet,
      read, starred, answered, draft, deleted, labels, folder, uid, modseq, created_modseq, size, attachment_count,
      authentication, spam, raw_sha256, delivery_key, delivered_to, list_unsubscribe, sent_at, sent_on, created_at)
    select team_id, id, mailbox_id, thread_id, direction, email_id, cancel_if_replied, author_id, message_id, in_reply_to,
      reference_ids, sender, to_addresses, cc_addresses, bcc_addresses, reply_to, more_addresses, subject, text, html, display_html, body_bytes, snippet,
      read, starred, answered, draft, deleted, labels, folder, first_uid + nth, modseq, modseq,
      coalesce(size, (
        select coalesce(c.full_size, c.inflated_size, octet_length(c.raw)) from email_contents c
        where c.team_id = input.team_id and c.email_id = input.email_id)),
      attachment_count, authentication, spam, decode(raw_sha256, 'hex'), decode(delivery_key, 'hex'), delivered_to, list_unsubscribe, sent_at, sent_on, created_at
    from input join number using (team_id, mailbox_id) join place using (team_id, mailbox_id, folder)`;
  await runTogether(blobs, locks, messages);
}

function lockChangeNumbers(trx: Db, stored: StoredMessage[]) {
  const mailboxes = [...new Map(stored.map(({ message }) => [message.mailboxId, message])).values()];
  return statement(trx)`
    select 1 from mailbox_change_numbers
    where (team_id, mailbox_id) in (
      select * from unnest(${toNumberArray(mailboxes, ({ teamId }) => teamId)}::integer[],
        ${mailboxes.map(({ mailboxId }) => mailboxId)}::uuid[]))
    order by team_id, mailbox_id for update`;
}

/** Numbers the messages for the same folder from 0. PostgreSQL would have to sort the rows, with their texts, for it. */
function placesInFolders(stored: StoredMessage[]): number[] {
  const counts = new Map<string, number>();
  return stored.map(({ message: { mailboxId, folder } }) => {
    const key = `${mailboxId} ${folder}`;
    const place = counts.get(key) ?? 0;
    counts.set(key, place + 1);
    return place;
  });
}

function toRow(
  { message, thread }: StoredMessage,
  { no, nth, isDerived }: { no: number; nth: number; isDerived: boolean },
) {
  const { teamId, mailboxId } = message;
  const plain = message.text ?? (message.html ? htmlToPlainText(message.html, MAX_CHARACTERS) : '');
  const files = message.files
    .slice(0, MAX_FILES)
    .map((file) => ({ ...file, hash: contentHash(file.content) }));
  const raw = message.raw && { hash: contentHash(message.raw), content: message.raw };
  const recipients = [...message.to, ...message.cc, ...message.bcc];
  const { from, subject } = message;
  const body = isDerived
    ? withoutBody(message)
    : { ...message, displayHtml: message.displayHtml ?? null, bytes: null };
  return {
    teamId,
    blobs: raw ? [raw, ...files] : files,
    files: files.map((file, at) => toFileRow(message, file, at)),
    // Without spreading: V8 makes such a large object several times as fast if it knows all names beforehand.
    row: {
      no,
      nth,
      team_id: teamId,
      id: message.id,
      mailbox_id: mailboxId,
      thread_id: thread.id,
      folder: message.folder,
      read: message.flags.read,
      starred: message.flags.starred,
      answered: message.flags.answered,
      draft: message.flags.draft,
      deleted: message.flags.deleted,
      labels: message.labels,
      size: message.raw && message.raw.length,
      moves_to_top: thread.movesToTop,
      event: thread.event,
      base_subject: toSubjectKey(message.subject),
      participants: thread.people.shown,
      participant_keys: thread.people.keys,
      snippet: toSnippet(plain),
      unread: message.direction === 'in' && !message.flags.read ? 1 : 0,
      direction: message.direction,
      email_id: message.emailId,
      cancel_if_replied: message.cancelIfReplied,
      author_id: message.authorId ?? null,
      message_id: message.messageId && shortenId(message.messageId),
      in_reply_to: message.inReplyTo,
      reference_ids: message.references,
      names: message.references.map(shortenId),
      sender: from,
      to_addresses: message.to,
      cc_addresses: message.cc,
      bcc_addresses: message.bcc,
      reply_to: message.replyTo,
      more_addresses: message.moreAddresses ?? null,
      subject,
      text: body.text,
      html: body.html,
      display_html: body.displayHtml,
      body_bytes: body.bytes,
      attachment_count: files.length,
      authentication: message.authentication,
      spam: message.spam ?? null,
      raw_sha256: raw && raw.hash.toString('hex'),
      delivery_key: message.deliveryKey && message.deliveryKey.toString('hex'),
      delivered_to: message.deliveredTo ?? null,
      list_unsubscribe: message.listUnsubscribe ?? null,
      words: searchedTextOf(mailboxId, { from, to: recipients, subject, text: plain }),
      sent_at: message.sent?.at ?? null,
      sent_on: message.sent?.on ?? null,
      created_at: message.createdAt,
    },
  };
}

function toFileRow({ teamId, id }: NewMessage, file: StoredFile & { hash: Buffer }, at: number) {
  return {
    team_id: teamId,
    message_id: id,
    no: at,
    filename: file.filename,
    content_type: file.contentType,
    content_id: file.contentId,
    inline: file.inline,
    size: file.content.length,
    sha256: file.hash.toString('hex'),
  };
}

/** What the row has instead of a body that is made from the source when it is read. */
function withoutBody({ text, html, displayHtml = null }: NewMessage) {
  return { text: null, html: null, displayHtml: null, bytes: sizeOfBody({ text, html, displayHtml }) };
}

/** Shortens a Message-ID to the length that the indexes hold. */
export function shortenId(messageId: string): string {
  return messageId.slice(0, MAX_MESSAGE_ID).toWellFormed();
}

/** The base subject, shortened for the index. Empty if the subject does not identify a conversation. */
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
  if (!SURROGATE.test(start)) return start;
  const more = text.slice(0, 2 * length);
  return [...more].slice(0, length).join('').toWellFormed();
}
