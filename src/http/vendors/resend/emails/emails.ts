import { z } from 'zod';
import { getEmail } from '../../../../features/activity/email-log/show-email.ts';
import { listEmails } from '../../../../features/activity/email-log/list-emails.ts';
import type { Email, EmailListItem, EmailStatus } from '../../../../features/sending/emails/emails.schema.ts';
import { cancelEmail, rescheduleEmail } from '../../../../features/sending/emails/emails.ts';
import { submit, submitAll, submitEach } from '../../../../features/sending/emails/submit.ts';
import { publicLinksOf } from '../../../../features/content/links/links.ts';
import type { Db } from '../../../../platform/database/database.ts';
import { AppError } from '../../../../platform/errors.ts';
import { pathId } from '../../../../platform/schema.ts';
import { check, refusal } from '../../../requests/validate.ts';
import { orNull, readTime, resendEmail, toEmailInput, type ResendEmail } from './email-shape.ts';
import { keepToTopic, type EmailOfTopic } from './email-topic.ts';
import { prepareAttachments } from './fetch-attachments.ts';
import { listRoute } from '../routing/object-routes.ts';
import { repeated, resendRoute } from '../routing/resend-route.ts';
import { EMAIL_BODY_BYTES } from '../../../../features/content/content-limits.ts';

const MAX_BATCH = 100;

const emailId = z.object({ id: pathId(3) });
const accepted = z.object({ id: z.string() });
const changed = z.object({ object: z.literal('email'), id: z.string() });
const names = z.array(z.string()).nullable();
const listedEmail = z.object({
  id: z.string(),
  to: z.array(z.string()),
  from: z.string(),
  created_at: z.string(),
  subject: z.string(),
  bcc: names,
  cc: names,
  reply_to: names,
  last_event: z.string(),
  scheduled_at: z.string().nullable(),
  message_id: z.string(),
});
const shownEmail = listedEmail.extend({
  object: z.literal('email'),
  html: z.string().nullable(),
  text: z.string().nullable(),
  tags: z.array(z.object({ name: z.string(), value: z.string() })),
  topic_id: z.null(),
});

export const resendEmailRoutes = [
  resendRoute({
    method: 'POST',
    path: '/emails',
    scope: 'emails.send',
    permission: 'sending',
    boundKeys: 'kept-to-domain',
    body: resendEmail,
    bodyLimitBytes: EMAIL_BODY_BYTES,
    answer: accepted,
    prepare: prepareAttachments,
    async handle({ db, caller, facts, body }) {
      const content = {
        kind: 'fields' as const,
        ...(await readEmail(db, caller.teamId, body)),
        limits: facts.mailLimits,
        links: publicLinksOf(facts),
      };
      const id = await submit(db, { source: 'api', caller, content });
      facts.wakeDeliveryWorkers();
      return { id };
    },
  }),
  resendRoute({
    method: 'POST',
    path: '/emails/batch',
    scope: 'emails.send',
    permission: 'sending',
    boundKeys: 'kept-to-domain',
    body: z.array(z.unknown()).min(1).max(MAX_BATCH),
    bodyLimitBytes: EMAIL_BODY_BYTES,
    heavy: 'rows',
    answer: z.object({
      data: z.array(accepted),
      errors: z.array(z.object({ index: z.int(), message: z.string() })).optional(),
    }),
    async handle({ db, caller, facts, body, header }) {
      const isPermissive = header('x-batch-validation') === 'permissive';
      const { emails, errors } = await readBatch(db, caller.teamId, body, isPermissive);
      const links = publicLinksOf(facts);
      const submissions = emails.map(({ email }) => ({
        source: 'api' as const,
        caller,
        content: { kind: 'fields' as const, ...email, limits: facts.mailLimits, links },
      }));
      const submitThem = isPermissive ? submitEach : submitAll;
      const results = await submitThem(db, caller.teamId, submissions);
      facts.wakeDeliveryWorkers();
      const data: { id: string }[] = [];
      for (const [at, result] of results.entries())
        if (result instanceof AppError) errors.push({ index: emails[at]!.index, message: result.message });
        else data.push({ id: result });
      return isPermissive ? { data, errors: errors.toSorted((a, b) => a.index - b.index) } : { data };
    },
  }),
  listRoute({
    path: '/emails',
    scope: 'mail.read',
    permission: 'full',
    list: ({ db, caller }, page) => listEmails(db, caller, page),
    item: listedEmail,
    present: presentListed,
  }),
  resendRoute({
    method: 'GET',
    path: '/emails/{id}',
    scope: 'mail.read',
    permission: 'full',
    params: emailId,
    answer: shownEmail,
    async handle({ db, caller, facts, params: { id } }) {
      return present(await getEmail(db, caller, id, publicLinksOf(facts)));
    },
  }),
  resendRoute({
    method: 'PATCH',
    path: '/emails/{id}',
    scope: 'emails.send',
    permission: 'sending',
    boundKeys: 'kept-to-domain',
    params: emailId,
    body: z.strictObject({ ...repeated('id'), scheduled_at: z.string().max(200) }),
    answer: changed,
    async handle({ db, caller, facts, params: { id }, body }) {
      await rescheduleEmail(db, caller, id, readTime(body.scheduled_at)!);
      facts.wakeDeliveryWorkers();
      return { object: 'email' as const, id };
    },
  }),
  resendRoute({
    method: 'POST',
    path: '/emails/{id}/cancel',
    scope: 'emails.send',
    storesLittle: true,
    permission: 'sending',
    boundKeys: 'kept-to-domain',
    params: emailId,
    answer: changed,
    async handle({ db, caller, params: { id } }) {
      await cancelEmail(db, caller, id);
      return { object: 'email' as const, id };
    },
  }),
];

async function readEmail(db: Db, teamId: number, body: ResendEmail): Promise<EmailOfTopic> {
  const email = toEmailInput(body);
  return body.topic_id ? keepToTopic(db, teamId, email, body.topic_id) : { email };
}

/** All emails must be valid, unless the caller wants only the valid ones to be sent. */
async function readBatch(db: Db, teamId: number, body: unknown[], isPermissive: boolean) {
  const emails: { index: number; email: EmailOfTopic }[] = [];
  const errors: { index: number; message: string }[] = [];
  for (const [index, each] of body.entries()) {
    try {
      const result = check(resendEmail, each);
      if (result.faults !== null) throw refusal(result.faults);
      emails.push({ index, email: await readEmail(db, teamId, result.value) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const message = `Email ${index}: ${error.message}`;
      if (!isPermissive) throw new AppError(error.code, message, error.issues && { issues: error.issues });
      errors.push({ index, message: error.message });
    }
  }
  return { emails, errors };
}

function presentListed(email: EmailListItem) {
  return {
    id: email.id,
    to: email.to,
    from: email.from,
    created_at: email.createdAt,
    subject: email.subject,
    bcc: orNull(email.bcc),
    cc: orNull(email.cc),
    reply_to: orNull(email.replyTo),
    last_event: toEvent(email.status),
    scheduled_at: email.scheduledAt,
    message_id: email.messageId,
  };
}

function present(email: Email) {
  const { html, text, tags } = email;
  return { object: 'email' as const, ...presentListed(email), html, text, tags, topic_id: null };
}

function toEvent(status: EmailStatus): string {
  if (status === 'CANCELLED') return 'canceled';
  if (status === 'REJECTED' || status === 'RENDERING_FAILURE') return 'failed';
  return status.toLowerCase();
}
