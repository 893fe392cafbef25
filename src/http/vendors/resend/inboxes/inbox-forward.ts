/** Forwards an email of an inbox, with its files. */
import { z } from 'zod';
import { getAttachment, getMessage } from '../../../../features/mailboxes/reading/messages.ts';
import type { Message } from '../../../../features/mailboxes/reading/threads.schema.ts';
import { sendMessage } from '../../../../features/mailboxes/writing/send.ts';
import { messageInput } from '../../../../features/mailboxes/writing/sending.schema.ts';
import { EMAIL_BODY_BYTES } from '../../../../features/content/content-limits.ts';
import type { Caller } from '../../../../features/api/caller.ts';
import { escapeHtml } from '../../../../mail/html/entities.ts';
import type { Db } from '../../../../platform/database/database.ts';
import { invalidField, notFound } from '../../../../platform/errors.ts';
import { pathId } from '../../../../platform/schema.ts';
import { readFields } from '../../mapping/read-fields.ts';
import { attachmentList, NAMES, toAttachments } from '../emails/email-shape.ts';
import { prepareAttachments } from '../emails/fetch-attachments.ts';
import { resendRoute } from '../routing/resend-route.ts';
import { noHeaders, people } from './inbox-drafts.ts';
import { findInboxThread, kept, threadParams } from './inboxes.ts';

const MAX_FILES = 10;
const MAX_SUBJECT = 998;
const MAX_BYTES = 25 * 1024 * 1024;

const anything = z.unknown().optional();
const forward = z.strictObject({
  to: people,
  cc: people,
  bcc: people,
  subject: anything,
  text: z.string().nullish(),
  html: z.string().nullish(),
  attachments: attachmentList,
  headers: noHeaders,
});

export const resendForwardRoutes = [
  resendRoute({
    method: 'POST',
    path: '/inboxes/{inbox}/threads/{thread}/emails/{email}/forward',
    scope: 'mail.send',
    ...kept,
    bodyLimitBytes: EMAIL_BODY_BYTES,
    heavy: 'messages',
    params: threadParams.extend({ email: pathId() }),
    body: forward,
    answer: z.object({ id: z.string() }),
    prepare: prepareAttachments,
    async handle({ db, caller, facts, params, body: { html, text, ...body } }) {
      const { id: threadId, mailbox_id } = await findInboxThread(db, caller, params);
      const email = await getMessage(db, caller, params.email);
      if (email.thread_id !== threadId || email.status === 'draft') throw notFound('Email');
      const own = toAttachments(body.attachments) ?? [];
      if (own.length + email.attachments.length > MAX_FILES)
        throw invalidField(
          'attachments',
          `cannot be more than ${MAX_FILES} with those of the original email`,
        );
      const fields = {
        ...body,
        subject: body.subject ?? forwardSubject(email.subject),
        html: html || email.html ? `${html ?? toHtml(text ?? '')}${quoteHtml(email)}` : undefined,
        text: `${text ?? ''}${quoteText(email)}`,
        attachments: [...own, ...(await readFiles(db, caller, email))],
        undo_seconds: 0,
      };
      const { id } = await sendMessage(db, caller, mailbox_id, readFields(messageInput, fields, NAMES));
      facts.wakeDeliveryWorkers();
      facts.hintMail();
      return { id };
    },
  }),
];

function forwardSubject(subject: string): string {
  return (/^fwd?:/i.test(subject) ? subject : `Fwd: ${subject}`).slice(0, MAX_SUBJECT).toWellFormed();
}

async function readFiles(db: Db, caller: Caller, email: Message) {
  const bytes = email.attachments.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_BYTES) throw invalidField('attachments', 'cannot be larger than 25 MB in total');
  const files = [];
  for (const { n, filename, content_type, content_id } of email.attachments) {
    const file = await getAttachment(db, caller, email.id, n);
    files.push({
      filename: filename ?? `attachment-${n}`,
      content: Buffer.from(file.bytes).toString('base64'),
      content_type,
      content_id,
    });
  }
  return files;
}

function headOf({ from, created_at, subject, to, cc }: Message): string[] {
  return [
    '---------- Forwarded message ----------',
    `From: ${from}`,
    `Date: ${new Date(created_at).toUTCString()}`,
    `Subject: ${subject}`,
    `To: ${to.join(', ')}`,
    ...(cc.length > 0 ? [`Cc: ${cc.join(', ')}`] : []),
  ];
}

function quoteText(email: Message): string {
  return `\n\n${headOf(email).join('\n')}\n\n${email.text ?? ''}`;
}

/** The HTML was sanitised when the email was stored. */
function quoteHtml(email: Message): string {
  const head = headOf(email).map(escapeHtml).join('<br>');
  return `<br><br><div>${head}<br><br>${email.html ?? toHtml(email.text ?? '')}</div>`;
}

function toHtml(text: string): string {
  return escapeHtml(text).replaceAll('\n', '<br>');
}
