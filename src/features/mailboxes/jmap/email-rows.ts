/** Reads messages by their IDs, with the properties that JMAP lists. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import { addDerivedBodies } from '../storage/derived-bodies.ts';

/**
 * Identifies a message in JMAP. The content of an Email must not change, but a draft of webmail does. So `version` is
 * the UID of such a draft, which is new after each change. It is null for all other messages.
 */
export interface MessageRef {
  id: Row<'messages'>['id'];
  version: number | null;
}

export const VERSION = sql<
  number | null
>`case when m.raw_sha256 is null and m.email_id is null then m.uid end`;

/** `snippet` is the beginning of the text, and `rawHash` refers to the bytes. */
export type JmapEmailRow = CamelRow<
  'messages',
  | 'id'
  | 'thread_id'
  | 'folder'
  | 'uid'
  | 'read'
  | 'starred'
  | 'answered'
  | 'draft'
  | 'labels'
  | 'size'
  | 'created_at'
  | 'snippet'
  | 'email_id'
  | 'direction'
> &
  MessageRef & { rawHash: Row<'messages'>['raw_sha256']; hasAttachment: boolean };

/** True if a message has a file that is not shown inside its text. */
export const HAS_ATTACHMENT = sql<boolean>`(m.attachment_count > 0 and exists (
  select 1 from message_attachments a where a.team_id = m.team_id and a.message_id = m.id and not a.inline))`;

/** Returns the messages by ID. IDs without a message in this mailbox are left out. */
export async function readEmailRows(
  db: Db,
  { teamId, mailboxId }: MailboxRef,
  ids: readonly string[],
): Promise<Map<string, JmapEmailRow>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<JmapEmailRow>`
    select m.id, m.thread_id as "threadId", m.folder, m.uid, m.read, m.starred, m.answered, m.draft, m.labels, m.size,
      m.created_at as "createdAt", m.snippet, m.email_id as "emailId", m.direction, m.raw_sha256 as "rawHash",
      ${HAS_ATTACHMENT} as "hasAttachment", ${VERSION} as version
    from messages m
    where m.team_id = ${teamId} and m.mailbox_id = ${mailboxId} and m.id = any(${ids}::uuid[])
  `.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Reads the texts from which search snippets are made. */
export async function readEmailTexts(
  db: Db,
  { teamId, mailboxId }: MailboxRef,
  ids: readonly string[],
): Promise<Map<string, { id: string; subject: string; text: string | null; html: string | null }>> {
  const { rows } = await sql<
    Row<'messages', 'id' | 'subject' | 'text' | 'html' | 'display_html' | 'body_bytes' | 'raw_sha256'>
  >`
    select id, subject, left(text, 100000) as text, case when text is null then left(html, 200000) end as html,
      null as display_html, body_bytes, raw_sha256
    from messages where team_id = ${teamId} and mailbox_id = ${mailboxId} and id = any(${ids}::uuid[])
  `.execute(db);
  const whole = await addDerivedBodies(db, teamId, rows);
  return new Map(
    whole.map(({ id, subject, text, html }) => [
      id,
      {
        id,
        subject,
        text: text?.slice(0, 100_000) ?? null,
        html: text === null ? (html?.slice(0, 200_000) ?? null) : null,
      },
    ]),
  );
}

/** Returns the messages of threads by thread ID, oldest first. */
export async function listThreadMessages(
  db: Db,
  { teamId, mailboxId }: MailboxRef,
  threadIds: readonly string[],
): Promise<Map<string, MessageRef[]>> {
  const { rows } = await sql<MessageRef & CamelRow<'messages', 'thread_id'>>`
    select m.id, m.thread_id as "threadId", ${VERSION} as version from messages m
    where m.team_id = ${teamId} and m.mailbox_id = ${mailboxId} and m.thread_id = any(${threadIds}::uuid[])
    order by m.created_at, m.id
  `.execute(db);
  const threads = new Map<string, MessageRef[]>();
  for (const { id, threadId, version } of rows) {
    const known = threads.get(threadId);
    if (known) known.push({ id, version });
    else threads.set(threadId, [{ id, version }]);
  }
  return threads;
}
