/** Summaries of mailboxes and threads for lists in the APIs of other vendors, one page at a time. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { isDraft } from '../storage/message-kinds.ts';

export interface MailboxSummary {
  /** Threads in the inbox with unread messages. */
  unread: number;
  drafts: number;
  lastReceivedAt: string | null;
  updatedAt: string;
}

type MailboxFacts = Row<'mailboxes', 'id' | 'updated_at'> & {
  unread: number;
  drafts: number;
  last_received: Row<'messages'>['created_at'] | null;
};

/** Returns the summaries by mailbox ID. */
export async function summarizeMailboxes(
  db: Db,
  teamId: number,
  mailboxIds: string[],
): Promise<Map<string, MailboxSummary>> {
  const keys = mailboxIds.map((id) => decodeId('mbx', id));
  const { rows } = await sql<MailboxFacts>`
    select box.id, box.updated_at,
      (select coalesce(sum(unread), 0)::integer from mailbox_folder_counts c
        where c.team_id = box.team_id and c.mailbox_id = box.id and c.folder = 'inbox') as unread,
      (select count(*)::integer from messages m
        where m.team_id = box.team_id and m.mailbox_id = box.id and ${isDraft('m')}) as drafts,
      (select m.created_at from messages m
        where m.team_id = box.team_id and m.mailbox_id = box.id and m.direction = 'in'
        order by m.id desc limit 1) as last_received
    from mailboxes box where box.team_id = ${teamId} and box.id = any(${keys}::uuid[])
  `.execute(db);
  return new Map(
    rows.map((row) => [
      encodeId('mbx', row.id),
      {
        unread: row.unread,
        drafts: row.drafts,
        lastReceivedAt: row.last_received?.toISOString() ?? null,
        updatedAt: row.updated_at.toISOString(),
      },
    ]),
  );
}

export interface ThreadSummary {
  /** The participants of the newest message. */
  from: string;
  to: string[];
  cc: string[];
  bcc: string[];
  /** The labels of all messages, sorted. */
  labels: string[];
  hasAttachment: boolean;
  hasDraft: boolean;
  messages: number;
}

type ThreadFacts = Row<
  'messages',
  'thread_id' | 'sender' | 'to_addresses' | 'cc_addresses' | 'bcc_addresses' | 'labels'
> & { has_attachment: boolean; has_draft: boolean; messages: number };

/** Returns the summaries by thread ID. */
export async function summarizeThreads(
  db: Db,
  teamId: number,
  threadIds: string[],
): Promise<Map<string, ThreadSummary>> {
  const keys = threadIds.map((id) => decodeId('thr', id));
  const { rows } = await sql<ThreadFacts>`
    select t.id as thread_id, newest.sender, newest.to_addresses, newest.cc_addresses, newest.bcc_addresses, all_of.*
    from unnest(${keys}::uuid[]) as t (id)
    cross join lateral (
      select sender, to_addresses, cc_addresses, bcc_addresses from messages m
      where m.team_id = ${teamId} and m.thread_id = t.id order by m.created_at desc, m.id desc limit 1
    ) newest
    cross join lateral (
      select bool_or(m.attachment_count > 0) as has_attachment, bool_or(${isDraft('m')}) as has_draft,
        count(*)::integer as messages,
        array(select distinct label from messages l, unnest(l.labels) as label
          where l.team_id = ${teamId} and l.thread_id = t.id order by label) as labels
      from messages m where m.team_id = ${teamId} and m.thread_id = t.id
    ) all_of
  `.execute(db);
  return new Map(
    rows.map((row) => [
      encodeId('thr', row.thread_id),
      {
        from: row.sender,
        to: row.to_addresses,
        cc: row.cc_addresses,
        bcc: row.bcc_addresses,
        labels: row.labels,
        hasAttachment: row.has_attachment,
        hasDraft: row.has_draft,
        messages: row.messages,
      },
    ]),
  );
}
