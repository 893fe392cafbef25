/** Tools that write and send mail of mailboxes. */
import { z } from 'zod';
import type { Mailbox } from '../../../features/mailboxes/mailboxes/mailboxes.schema.ts';
import type { Message, ThreadWithMessages } from '../../../features/mailboxes/reading/threads.schema.ts';
import { parseMailbox } from '../../../mail/mime/address.ts';
import { badRequest } from '../../../platform/errors.ts';
import { untrustedShape } from './fence.ts';
import { ADDS, CHANGES, SENDS, tool } from './tool.ts';
import { outcomeShape, presentOutcome, type SendOutcome } from './send-outcome.ts';
import { idempotencyKey, mailboxId, messageShape, presentMessage, someId, threadId } from './shapes.ts';

const address = z.string().min(1).max(1000);
const people = z.array(address).max(50);
const content = {
  text: z.string().max(500_000).optional().describe('Plain text'),
  html: z.string().max(500_000).optional().describe('Instead of `text`, or with it'),
};
const timing = {
  send_at: z
    .string()
    .max(64)
    .optional()
    .describe('RFC 3339 with an offset, one minute to one year from now. Default: now'),
  undo_seconds: z
    .int()
    .min(0)
    .max(120)
    .optional()
    .describe('How long it can be taken back with cancel_scheduled'),
  cancel_if_replied: z.boolean().optional().describe('Do not send it if someone replies first'),
};
const seen = someId
  .optional()
  .describe(
    'The newest message of the conversation that you have read. If there is a newer one, nothing is sent',
  );

const HELD =
  'If the answer has the status `held`, a person has to approve it first, and `blocked` means that it will not be sent; `policy` says why and what would be allowed. Do not try to get around it: tell your user.';

const draftAnswer = z.object({ untrusted: untrustedShape, draft: messageShape });

export const writingTools = [
  tool({
    name: 'create_draft',
    title: 'Write a draft',
    description: 'Saves a draft that a person can read, change and send. Nothing is sent.',
    hints: ADDS,
    operations: ['createDraft'],
    input: z.object({
      mailbox_id: mailboxId,
      thread_id: threadId.optional().describe('The conversation that it replies to'),
      to: people.optional(),
      cc: people.optional(),
      bcc: people.optional(),
      subject: z.string().max(998).optional(),
      ...content,
      idempotency_key: idempotencyKey,
    }),
    output: draftAnswer,
    run: ({ mailbox_id: id, idempotency_key, ...body }, { call }) =>
      call<Message>('createDraft', { params: { id }, body, idempotencyKey: idempotency_key }),
    present(message, fence) {
      const draft = presentMessage(message, fence);
      return { untrusted: fence.describe(), draft };
    },
  }),
  tool({
    name: 'update_draft',
    title: 'Change a draft',
    description: 'Changes the fields that you give. Lists of people are replaced.',
    hints: CHANGES,
    operations: ['updateDraft'],
    input: z.object({
      mailbox_id: mailboxId,
      draft_id: someId,
      to: people.optional(),
      cc: people.optional(),
      bcc: people.optional(),
      subject: z.string().max(998).optional(),
      ...content,
      if_unchanged_since: z
        .string()
        .max(64)
        .optional()
        .describe('The `created_at` of the draft that you read'),
    }),
    output: draftAnswer,
    run: ({ mailbox_id: id, draft_id: draftId, ...body }, { call }) =>
      call<Message>('updateDraft', { params: { id, draftId }, body }),
    present(message, fence) {
      const draft = presentMessage(message, fence);
      return { untrusted: fence.describe(), draft };
    },
  }),
  tool({
    name: 'send_draft',
    title: 'Send a draft',
    description: `Sends a draft as it is. ${HELD}`,
    hints: SENDS,
    operations: ['sendDraft'],
    input: z.object({
      mailbox_id: mailboxId,
      draft_id: someId,
      ...timing,
      seen_message_id: seen,
      idempotency_key: idempotencyKey,
    }),
    output: outcomeShape,
    run: ({ mailbox_id: id, draft_id: draftId, idempotency_key, ...body }, { call }) =>
      call<SendOutcome>('sendDraft', { params: { id, draftId }, body, idempotencyKey: idempotency_key }),
    present: presentOutcome,
  }),
  tool({
    name: 'reply',
    title: 'Reply in a conversation',
    description: `Sends a reply to the newest message from outside, or to \`message_id\`. Recipients come from that message. ${HELD}`,
    hints: SENDS,
    operations: ['getThread', 'getMailbox', 'sendMessage'],
    input: z.object({
      thread_id: threadId,
      message_id: someId.optional().describe('The message of the conversation to reply to'),
      reply_all: z.boolean().default(false).describe('Also to the other people of that message'),
      ...content,
      ...timing,
      seen_message_id: seen,
      idempotency_key: idempotencyKey,
    }),
    output: outcomeShape,
    async run({ thread_id, message_id, reply_all, idempotency_key, ...rest }, { call }) {
      const thread = await call<ThreadWithMessages>('getThread', { params: { id: thread_id } });
      const mailbox = await call<Mailbox>('getMailbox', { params: { id: thread.mailbox_id } });
      const answered = findAnswered(thread, message_id);
      const recipients = recipientsOf(answered, mailbox.address, reply_all);
      return call<SendOutcome>('sendMessage', {
        params: { id: thread.mailbox_id },
        body: { ...rest, ...recipients, thread_id },
        idempotencyKey: idempotency_key,
      });
    },
    present: presentOutcome,
  }),
  tool({
    name: 'cancel_scheduled',
    title: 'Stop a message that waits',
    description: 'A message that has not been sent yet becomes a draft again, with the same ID.',
    hints: CHANGES,
    operations: ['takeBackMessage'],
    input: z.object({
      message_id: someId.describe('From list_scheduled, or the `id` that a sending tool returned'),
    }),
    output: z.object({ draft_id: z.string() }),
    run: ({ message_id: id }, { call }) => call<{ id: string }>('takeBackMessage', { params: { id } }),
    present: ({ id }) => ({ draft_id: id }),
  }),
  tool({
    name: 'send_email',
    title: 'Send a new email',
    description: `Sends an email outside of the mailboxes, such as a receipt, from an address on a verified domain. Replies in conversations are sent with \`reply\`. ${HELD}`,
    hints: SENDS,
    operations: ['sendEmail'],
    input: z.object({
      from: address.describe('`name@domain` or `Name <name@domain>` on a verified domain'),
      to: people.min(1),
      cc: people.optional(),
      bcc: people.optional(),
      reply_to: z.array(address).max(10).optional(),
      subject: z.string().min(1).max(998).optional().describe('Required without a template'),
      ...content,
      template_id: someId.optional().describe('Instead of text and html'),
      variables: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('Values for the merge tags of the template'),
      scheduled_at: z.string().max(64).optional().describe('RFC 3339 with an offset'),
      undo_seconds: z.int().min(0).max(120).optional(),
      idempotency_key: idempotencyKey,
    }),
    output: outcomeShape,
    run: ({ idempotency_key, reply_to, template_id, scheduled_at, undo_seconds, ...body }, { call }) =>
      call<SendOutcome>('sendEmail', {
        body: {
          ...body,
          replyTo: reply_to,
          templateId: template_id,
          scheduledAt: scheduled_at,
          undoSeconds: undo_seconds,
        },
        idempotencyKey: idempotency_key,
      }),
    present: presentOutcome,
  }),
];

function findAnswered({ messages }: ThreadWithMessages, id: string | undefined): Message {
  const sent = messages.filter(({ status }) => status !== 'draft' && status !== 'waiting');
  const found =
    id === undefined
      ? (sent.findLast(({ direction }) => direction === 'in') ?? sent.at(-1))
      : sent.find((message) => message.id === id);
  if (!found) throw badRequest('The conversation has no such message to reply to.');
  return found;
}

/** The reply to a message of our own goes to those who got it. */
function recipientsOf(message: Message, own: string, toAll: boolean): { to: string[]; cc: string[] } {
  const isOwn = message.direction === 'out';
  const answered = message.reply_to.length > 0 ? message.reply_to : [message.from];
  const to = isOwn ? message.to : answered;
  const others = isOwn ? message.cc : [...message.to, ...message.cc];
  const taken = new Set([keyOf(own), keyOf(message.delivered_to ?? own), ...to.map(keyOf)]);
  const cc = toAll ? others.filter((person) => !taken.has(keyOf(person)) && taken.add(keyOf(person))) : [];
  return { to, cc };
}

function keyOf(person: string): string {
  return parseMailbox(person)?.key ?? person.toLowerCase();
}
