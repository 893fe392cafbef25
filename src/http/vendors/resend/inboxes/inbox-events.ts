/** The data of Resend's `inbox.*` webhooks. */
import type { ToldEvent } from '../../../../features/webhooks/event-facts.ts';
import { readLabelFacts, readMemberEmails } from '../../../../features/webhooks/inbox-facts.ts';
import type { Db } from '../../../../platform/database/database.ts';
import { encodeId } from '../../../../platform/ids.ts';
import { shownFolder } from './shown-folder.ts';
import { LABEL_COLOR } from './shown-labels.ts';

/** Resend's types by ours. */
export const INBOX_TYPES = {
  'mailbox.created': 'inbox.created',
  'mailbox.updated': 'inbox.updated',
  'mailbox.deleted': 'inbox.deleted',
  'mailbox.thread.created': 'inbox.thread.created',
  // email.received of Resend is our mailbox.message.received.
  'mailbox.thread.received': 'inbox.email.received',
  'mailbox.message.sent': 'inbox.email.sent',
  'mailbox.thread.assigned': 'inbox.thread.assigned',
  'mailbox.thread.unassigned': 'inbox.thread.unassigned',
  'mailbox.thread.labelled': 'inbox.thread.labels.updated',
  'mailbox.thread.moved': 'inbox.thread.folder.updated',
  'mailbox.draft.created': 'inbox.draft.created',
  'mailbox.draft.updated': 'inbox.draft.updated',
  'mailbox.draft.sent': 'inbox.draft.sent',
  'mailbox.draft.deleted': 'inbox.draft.deleted',
};
type InboxType = keyof typeof INBOX_TYPES;

export function isInboxType(type: string): type is InboxType {
  return Object.hasOwn(INBOX_TYPES, type);
}

export async function toInboxData(db: Db, event: ToldEvent): Promise<Record<string, unknown>> {
  const { data, type } = event.payload;
  const inbox = { source: sourceOf(data.by), inbox_id: data.mailboxId };
  const thread = { ...inbox, thread_id: data.threadId };
  switch (type as InboxType) {
    case 'mailbox.created':
    case 'mailbox.updated':
    case 'mailbox.deleted':
      return inbox;
    case 'mailbox.draft.created':
    case 'mailbox.draft.updated':
    case 'mailbox.draft.deleted':
      return { ...thread, draft_id: data.draftId };
    case 'mailbox.draft.sent':
      return { ...thread, draft_id: data.draftId, email_id: data.messageId, ...emailOf(event) };
    case 'mailbox.thread.created':
    case 'mailbox.thread.received':
    case 'mailbox.message.sent':
      return { ...thread, email_id: data.messageId, ...emailOf(event) };
    case 'mailbox.thread.assigned':
    case 'mailbox.thread.unassigned': {
      const by = typeof data.by === 'string' ? data.by.replace(/^user:/, '') : null;
      const emails = await readMemberEmails(db, event.teamId, [data.userId, data.previousUserId, by]);
      const addressOf = (id: unknown) => emails.get(String(id)) ?? null;
      const previous = { previous_assignee_email: addressOf(data.previousUserId) };
      if (type === 'mailbox.thread.unassigned') return { ...thread, ...previous };
      return {
        ...thread,
        assignee_email: addressOf(data.userId),
        assigned_by_email: addressOf(by),
        ...previous,
      };
    }
    case 'mailbox.thread.labelled': {
      const labels = await readLabelFacts(db, event.teamId, data.mailboxId);
      const present = (keywords: unknown) =>
        ((keywords ?? []) as string[]).map(
          (name) => labels.get(name) ?? { id: name, name, color: LABEL_COLOR },
        );
      return { ...thread, added: present(data.added), removed: present(data.removed) };
    }
    case 'mailbox.thread.moved':
      return {
        ...thread,
        from: folderOf(data.previousFolder, 'inbox'),
        to: folderOf(data.folder, 'archive'),
      };
  }
}

/**
 * The message without its text. Inbox, thread and draft, which Resend may send as well, are left out: they change, and
 * every attempt sends the same bytes.
 */
function emailOf({ message }: ToldEvent): { email?: object } {
  if (!message) return {};
  const isOwn = message.direction === 'out';
  return {
    email: {
      id: encodeId('msg', message.id),
      direction: isOwn ? 'outbound' : 'inbound',
      from: message.sender,
      to: message.to,
      cc: message.cc,
      bcc: message.bcc,
      reply_to: message.replyTo,
      subject: message.subject,
      message_id: message.messageId,
      attachments: message.files.map(({ id, filename, size }) => ({ id, filename, size })),
      // As it was when the event happened.
      read: isOwn,
      received_at: message.createdAt.toISOString(),
    },
  };
}

/** Who did it: a person, an API key, or the server. */
function sourceOf(by: unknown): 'api' | 'dashboard' | 'system' {
  const name = typeof by === 'string' ? by : '';
  if (name.startsWith('user:')) return 'dashboard';
  return name.startsWith('key_') ? 'api' : 'system';
}

function folderOf(folder: unknown, missing: string): string {
  return typeof folder === 'string' ? shownFolder(folder) : missing;
}
