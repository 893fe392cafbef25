/** The rows of a draft, for who writes it and for who sends it. A draft is a message of our own without an email. */
import { sql } from 'kysely';
import { htmlToPlainText } from '../../mail/html-text.ts';
import type { Db } from '../../platform/database.ts';
import { notFound } from '../../platform/errors.ts';
import { decodeId } from '../../platform/ids.ts';
import type { Caller } from '../../platform/route.ts';
import type { MailboxRow } from '../mailboxes/find-mailbox.ts';
import { formatPerson, type People } from './people.ts';
import { MAX_CHARACTERS, searchVectorOf } from './search-words.ts';
import { toSnippet, toSubjectKey } from './store-message.ts';

export interface DraftRow {
  id: string;
  thread_id: string;
  /** Whether its thread has nothing else. */
  isAlone: boolean;
  to_addresses: string[];
  cc_addresses: string[];
  bcc_addresses: string[];
  subject: string;
  html: string | null;
  text: string | null;
  /** When it was last saved. */
  created_at: Date;
}

/** Locked until the end of the transaction: a draft is sent or changed by one caller at a time. */
export async function requireDraft(
  trx: Db,
  caller: Caller,
  mailbox: MailboxRow,
  draftId: string,
): Promise<DraftRow> {
  const find = () => lockDraft(trx, caller.teamId, mailbox.id, decodeId('msg', draftId));
  // Its thread may have become part of another between looking and locking.
  const draft = (await find()) ?? (await find());
  if (!draft) throw notFound('Draft');
  return draft;
}

/** The thread before the message, as all who change both do. */
async function lockDraft(
  trx: Db,
  teamId: number,
  mailboxId: string,
  id: string | null,
): Promise<DraftRow | undefined> {
  const { rows } = await sql<DraftRow>`
    with thread as materialized (
      select t.id, t.message_count from threads t
      where t.team_id = ${teamId} and t.mailbox_id = ${mailboxId}
        and t.id = (select thread_id from messages where team_id = ${teamId} and id = ${id})
      for update
    )
    select m.id, m.thread_id, t.message_count = 1 as "isAlone", m.to_addresses, m.cc_addresses, m.bcc_addresses,
      m.subject, m.html, m.text, m.created_at
    from thread t join messages m on m.thread_id = t.id
    where m.team_id = ${teamId} and m.mailbox_id = ${mailboxId} and m.id = ${id}
      and m.direction = 'out' and m.email_id is null
    for update of m
  `.execute(trx);
  return rows[0];
}

/** What stands in a draft, but for its files. */
export interface DraftContent {
  to: string[];
  cc: string[];
  bcc: string[];
  subject: string;
  /** Cleaned. */
  html: string | null;
  text: string | null;
}

/** In place, however often somebody pauses while typing. `people` are those of its whole thread. */
export async function saveDraftRow(
  trx: Db,
  teamId: number,
  mailbox: MailboxRow,
  draft: DraftRow,
  content: DraftContent,
  people: People,
): Promise<void> {
  const { to, cc, bcc, subject, html, text } = content;
  const from = formatPerson(mailbox);
  const plain = text ?? (html ? htmlToPlainText(html, MAX_CHARACTERS) : '');
  const search = searchVectorOf(mailbox.id, { from, to: [...to, ...cc, ...bcc], subject, text: plain });
  const now = new Date();
  // A thread of its own is about what the draft is about; another one goes on as it was.
  const shown = draft.isAlone
    ? sql`, subject = ${subject}, base_subject = ${toSubjectKey(subject)}, snippet = ${toSnippet(plain)},
        last_message_at = ${now}`
    : sql``;
  await sql`
    with thread as (
      update threads set participants = ${people.shown}, participant_keys = ${people.keys} ${shown}
      where team_id = ${teamId} and id = ${draft.thread_id}
    ), event as (
      insert into mailbox_events (team_id, mailbox_id, type, thread_id, message_id)
      values (${teamId}, ${mailbox.id}, 'thread.changed', ${draft.thread_id}, ${draft.id})
    )
    update messages set sender = ${from}, to_addresses = ${to}, cc_addresses = ${cc}, bcc_addresses = ${bcc},
      subject = ${subject}, html = ${html}, text = ${text}, search = ${search}::tsvector, created_at = ${now}
    where team_id = ${teamId} and id = ${draft.id}
  `.execute(trx);
}

/** With all that hangs on it; a thread that had nothing else goes too. */
export async function removeMessage(
  trx: Db,
  teamId: number,
  { id, thread_id }: Pick<DraftRow, 'id' | 'thread_id'>,
): Promise<void> {
  await sql`
    with gone as (
      delete from messages where team_id = ${teamId} and id = ${id} returning read
    ), named as (
      delete from message_references where team_id = ${teamId} and message_id = ${id}
    ), files as (
      delete from message_attachments where team_id = ${teamId} and message_id = ${id} returning sha256
    ), marked as (
      update blobs set unused_since = now() where team_id = ${teamId} and sha256 in (select sha256 from files)
    )
    update threads set message_count = message_count - 1,
      unread_count = unread_count - (select count(*) from gone where not read)
    where team_id = ${teamId} and id = ${thread_id}
  `.execute(trx);
  await sql`
    delete from threads where team_id = ${teamId} and id = ${thread_id} and message_count = 0
  `.execute(trx);
}
