/**
 * Events of a mailbox's messages. A received message is recorded by `recordEvents` (toReceivedEvent). A sent message is
 * recorded by the statement that changes its email, in SQL over `own_message m` (email-events.ts). Both have the same
 * IDs, and the fields of present-email.ts.
 */
import { Fragment } from '../../platform/database/database.ts';
import { encodeId } from '../../platform/ids.ts';
import { presentEmailHead, type EmailHead } from './present-email.ts';
import type { EventToRecord } from './record-events.ts';

/** The public IDs of a message and their prefixes, by the columns of `own_message`. */
const IDS = {
  mailboxId: { column: 'mailbox_id', prefix: 'mbx' },
  messageId: { column: 'message_id', prefix: 'msg' },
  threadId: { column: 'thread_id', prefix: 'thr' },
} as const;

type MessageKeys = Record<keyof typeof IDS, string>;

/** The data that the stream stores beside the message itself. */
export const MESSAGE_DATA = new Fragment(
  `jsonb_build_object('mailboxId', m.mailbox_id, 'threadId', m.thread_id)`,
);

/** The IDs that webhooks get. */
export const MESSAGE_IDS = new Fragment(
  `jsonb_build_object(${Object.entries(IDS)
    .map(([field, { column, prefix }]) => `'${field}', '${prefix} ' || m.${column}`)
    .join(', ')})`,
);

function presentKeys(keys: MessageKeys): MessageKeys {
  return {
    mailboxId: encodeId(IDS.mailboxId.prefix, keys.mailboxId),
    messageId: encodeId(IDS.messageId.prefix, keys.messageId),
    threadId: encodeId(IDS.threadId.prefix, keys.threadId),
  };
}

export function toReceivedEvent(keys: MessageKeys, message: EmailHead): EventToRecord {
  const { mailboxId, messageId, threadId } = keys;
  return {
    type: 'mailbox.message.received',
    subjectId: messageId,
    data: { mailboxId, threadId },
    notice: { ...presentKeys(keys), ...presentEmailHead(message) },
  };
}
