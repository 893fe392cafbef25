/** Translates a form of messages.mime, in which everything except the recipients is in the message itself. */
import { z } from 'zod';
import { emailInput, labelsOf, mailboxes } from '../../../features/sending/emails/emails.schema.ts';
import { invalidField } from '../../../platform/errors.ts';
import { validate } from '../../requests/validate.ts';
import { tagOfPath, toTag } from './labels.ts';
import type { MailgunMessage } from './message-form.ts';

const { tags, metadata } = emailInput.shape;
const shape = z.object({ to: mailboxes, tags, metadata });

export function toRawContent(message: MailgunMessage, path: { id: number; name: string }) {
  const { mime, to, cc, bcc, deliverAt } = message;
  if (!mime || mime.length === 0) throw invalidField('message', 'is required');
  if (to.length === 0) throw invalidField('to', 'is required');
  refuseContent(message);
  const checked = validate(shape, {
    to: [...to, ...cc, ...bcc],
    tags: [...new Set(message.tags)].map(toTag),
    metadata: message.userVariables,
  });
  return {
    mime,
    recipients: checked.to,
    leavesAt: deliverAt && deliverAt.getTime() > Date.now() ? deliverAt : null,
    labels: labelsOf({ ...checked, tags: [...(checked.tags ?? []), ...tagOfPath(null, path)] }),
  };
}

function refuseContent(message: MailgunMessage): void {
  const { from, subject, html, text, template, tracking, headers, replyTo, attachments, inline } = message;
  const given = {
    from,
    subject,
    html,
    text,
    template,
    attachment: attachments[0],
    inline: inline[0],
    'h:Reply-To': replyTo[0],
    'h:': Object.keys(headers)[0],
    'recipient-variables': message.recipientVariables ?? undefined,
    'o:tracking': tracking.opens || tracking.clicks || undefined,
  };
  for (const [name, value] of Object.entries(given))
    if (value !== undefined) throw invalidField(name, 'is not supported in messages.mime');
}
