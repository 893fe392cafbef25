/**
 * Events of a mailbox's messages. A message that came in is recorded by `recordEvents` (toReceivedEvent). A message that
 * was sent is recorded by the statement that changes its email, in SQL over `own_message m` (email-events.ts).
 */
import { encodeId } from '../../platform/ids.ts';
import type { NewEvent } from './record-events.ts';

/** The data that the stream stores, and the ids that webhooks get. */
export const MESSAGE_DATA = `jsonb_build_object('mailboxId', m.mailbox_id, 'threadId', m.thread_id)`;
export const MESSAGE_IDS = `jsonb_build_object('mailboxId', 'mbx ' || m.mailbox_id, 'messageId', 'msg ' || m.message_id,
  'threadId', 'thr ' || m.thread_id)`;

interface ReceivedMessage {
  id: string;
  mailboxId: string;
  threadId: string;
  from: string;
  to: string[];
  subject: string;
}

export function toReceivedEvent({ id, mailboxId, threadId, from, to, subject }: ReceivedMessage): NewEvent {
  return {
    type: 'mailbox.message.received',
    subjectId: id,
    data: { mailboxId, threadId },
    notice: {
      mailboxId: encodeId('mbx', mailboxId),
      messageId: encodeId('msg', id),
      threadId: encodeId('thr', threadId),
      from,
      to,
      subject,
    },
  };
}
