import { route } from '../../api/route.ts';
import { publicLinksOf } from '../../content/links/links.ts';
import {
  emailAccepted,
  emailBatch,
  emailDeleted,
  emailInput,
  emailParams,
  emailReschedule,
  emailsSubmitted,
  emailSubmitted,
} from './emails.schema.ts';
import { exampleEmail as example } from './emails.examples.ts';
import { deleteEmailContent } from './delete-content.ts';
import { cancelEmail, rescheduleEmail } from './emails.ts';
import { sendAgain } from './send-again.ts';
import { submitAllForOutcomes, submitForOutcome } from './submit.ts';
import { presentOutcome } from './present-outcome.ts';
import { EMAIL_BODY_BYTES } from '../../content/content-limits.ts';

const group = 'Emails';

const params = { emailId: example.id };
const accepted = { emailId: example.id };
const input = {
  from: 'Harbour Books <news@example.com>',
  to: 'ada@example.org',
  subject: 'Your order',
  html: '<p>It is on its way.</p>',
};

export const emailRoutes = [
  route({
    operationId: 'sendEmail',
    method: 'POST',
    path: '/v1/emails',
    scope: 'emails.send',
    group,
    summary: 'Send an email',
    description:
      'At most 50 recipients and 25 MiB in total, unless the operator has set other limits. Suppressed recipients are skipped and listed in the events. If no recipient is left, the email is `SUPPRESSED`. Fields in snake_case (`scheduled_at`, `reply_to`) are read as meant, and the response has a `Warning` header.',
    permission: 'sending',
    role: 'member',
    boundKeys: 'kept-to-domain',
    errors: ['NOT_FOUND'],
    body: emailInput,
    takesSnakeCase: true,
    bodyLimitBytes: EMAIL_BODY_BYTES,
    answer: emailSubmitted,
    example: { body: input, answer: accepted },
    async handle({ db, caller, facts, body }) {
      const limits = facts.mailLimits;
      const content = { kind: 'fields' as const, email: body, limits, links: publicLinksOf(facts) };
      const outcome = await submitForOutcome(db, { source: 'api', caller, content });
      facts.wakeDeliveryWorkers();
      return presentOutcome(outcome);
    },
  }),
  route({
    operationId: 'sendEmails',
    method: 'POST',
    path: '/v1/emails/batch',
    scope: 'emails.send',
    group,
    summary: 'Send up to 100 emails',
    description:
      'All or nothing, except for emails that the send policy of the key blocks. When the queue is long, a batch with more than 5 recipients is sent after single emails and before campaigns.',
    permission: 'sending',
    role: 'member',
    boundKeys: 'kept-to-domain',
    errors: ['NOT_FOUND'],
    body: emailBatch,
    takesSnakeCase: true,
    bodyLimitBytes: EMAIL_BODY_BYTES,
    heavy: 'rows',
    answer: emailsSubmitted,
    example: { body: [input], answer: { data: [accepted] } },
    async handle({ db, caller, facts, body }) {
      const links = publicLinksOf(facts);
      const limits = facts.mailLimits;
      const submissions = body.map((email) => ({
        source: 'api' as const,
        caller,
        content: { kind: 'fields' as const, email, limits, links },
      }));
      const outcomes = await submitAllForOutcomes(db, caller.teamId, submissions, { allOrNothing: false });
      facts.wakeDeliveryWorkers();
      return { data: outcomes.map(presentOutcome) };
    },
  }),
  route({
    operationId: 'rescheduleEmail',
    method: 'PATCH',
    path: '/v1/emails/{emailId}',
    scope: 'emails.send',
    group,
    summary: 'Reschedule an email',
    permission: 'sending',
    role: 'member',
    boundKeys: 'kept-to-domain',
    errors: ['NOT_FOUND', 'CONFLICT', 'already_sent'],
    params: emailParams,
    body: emailReschedule,
    answer: emailAccepted,
    example: { params, body: { scheduledAt: '2026-12-01T09:00:00Z' }, answer: accepted },
    async handle({ db, caller, facts, params: { emailId }, body }) {
      await rescheduleEmail(db, caller, emailId, body.scheduledAt);
      facts.wakeDeliveryWorkers();
      return { emailId };
    },
  }),
  route({
    operationId: 'cancelEmail',
    method: 'POST',
    path: '/v1/emails/{emailId}/cancel',
    scope: 'emails.send',
    storesLittle: true,
    group,
    summary: 'Cancel a scheduled email',
    permission: 'sending',
    role: 'member',
    boundKeys: 'kept-to-domain',
    errors: ['NOT_FOUND', 'CONFLICT', 'already_sent'],
    params: emailParams,
    answer: emailAccepted,
    example: { params, answer: accepted },
    async handle({ db, caller, params: { emailId } }) {
      await cancelEmail(db, caller, emailId);
      return { emailId };
    },
  }),
  route({
    operationId: 'sendEmailAgain',
    method: 'POST',
    path: '/v1/emails/{emailId}/send-again',
    scope: 'emails.send',
    group,
    summary: 'Send an email again',
    description:
      'Sends a new email with the same content, recipients, tags and metadata immediately. Opens and clicks count for the new email. Emails of campaigns, account emails and emails whose content was deleted are rejected with 409.',
    permission: 'full',
    role: 'member',
    boundKeys: 'kept-to-domain',
    heavy: 'messages',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: emailParams,
    answer: emailSubmitted,
    example: { params, answer: { emailId: 'eml_01kbd9p2m3f7m8rk2q3w5t6y7h' } },
    async handle({ db, caller, facts, params: { emailId } }) {
      const outcome = await sendAgain(db, caller, emailId, publicLinksOf(facts));
      facts.wakeDeliveryWorkers();
      return presentOutcome(outcome);
    },
  }),
  route({
    operationId: 'deleteEmail',
    method: 'DELETE',
    path: '/v1/emails/{emailId}',
    scope: 'mail.delete',
    group,
    summary: 'Delete the content of an email',
    description:
      'Deletes the message with its headers, bodies and attachments, its copies in the sandbox, and its subject, also in the delivery log of webhooks. The email stays in the list with its recipients, events and counts; `html` and `text` are null and `subject` is empty. Deleting it again succeeds. An email that can still be sent is rejected with 409: cancel a scheduled email first, and wait until a queued email has been delivered or has failed. An email that is part of a thread in a mailbox is rejected too: delete the thread.',
    permission: 'full',
    role: 'member',
    boundKeys: 'kept-to-domain',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: emailParams,
    answer: emailDeleted,
    example: { params, answer: { id: example.id, success: true } },
    async handle({ db, caller, params: { emailId } }) {
      await deleteEmailContent(db, caller, emailId);
      return { id: emailId, success: true };
    },
  }),
];
