import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { cancelTagged } from '../../../features/sending/emails/cancel-tagged.ts';
import { checkAll, submitAll } from '../../../features/sending/emails/submit.ts';
import { publicLinksOf } from '../../../features/content/links/links.ts';
import { AppError, notFound } from '../../../platform/errors.ts';
import { mailBody } from './mail-shape.ts';
import { respondCreated, sendgridRoute } from './sendgrid-route.ts';
import { BATCH_TAG, toEmails } from './to-emails.ts';
import { EMAIL_BODY_BYTES } from '../../../features/content/content-limits.ts';

const BATCH_ID = /^[A-Za-z0-9_-]{1,100}$/;

const sending = { permission: 'sending' as const, boundKeys: 'kept-to-domain' as const };

export const mailRoutes = [
  sendgridRoute({
    ...sending,
    method: 'POST',
    path: '/v3/mail/send',
    scope: 'emails.send',
    body: mailBody,
    bodyLimitBytes: EMAIL_BODY_BYTES,
    answer: z.object({ isSent: z.boolean(), messageId: z.string().nullable() }),
    async handle({ db, caller, facts, body }) {
      const emails = await toEmails(db, caller.teamId, body);
      const links = publicLinksOf(facts);
      const submissions = {
        *[Symbol.iterator]() {
          for (const each of emails) {
            const content = { kind: 'fields' as const, ...each, limits: facts.mailLimits, links };
            yield { source: 'api' as const, caller, content };
          }
        },
      };
      if (body.mail_settings?.sandbox_mode?.enable) {
        await checkAll(db, submissions);
        return { isSent: false, messageId: null };
      }
      const ids = await submitAll(db, caller.teamId, submissions);
      facts.wakeDeliveryWorkers();
      return { isSent: true, messageId: ids[0] ?? null };
    },
    respond({ isSent, messageId }) {
      const headers: Record<string, string> = messageId === null ? {} : { 'x-message-id': messageId };
      return { status: isSent ? 202 : 200, headers };
    },
  }),
  sendgridRoute({
    ...sending,
    method: 'POST',
    path: '/v3/mail/batch',
    scope: 'emails.send',
    answer: z.object({ batch_id: z.string() }),
    handle: async () => ({ batch_id: randomBytes(24).toString('base64url') }),
    respond: respondCreated,
  }),
  sendgridRoute({
    ...sending,
    method: 'GET',
    path: '/v3/mail/batch/{batchId}',
    scope: 'emails.send',
    params: z.object({ batchId: z.string() }),
    answer: z.object({ batch_id: z.string() }),
    async handle({ params: { batchId } }) {
      if (!BATCH_ID.test(batchId)) throw notFound('Batch');
      return { batch_id: batchId };
    },
  }),
  sendgridRoute({
    ...sending,
    method: 'POST',
    path: '/v3/user/scheduled_sends',
    scope: 'emails.send',
    body: z.strictObject({
      batch_id: z.string().regex(BATCH_ID, { error: 'must be an id from /v3/mail/batch' }),
      status: z.enum(['cancel', 'pause']),
    }),
    answer: z.object({ batch_id: z.string(), status: z.literal('cancel') }),
    async handle({ db, caller, body: { batch_id, status } }) {
      if (status === 'pause')
        throw new AppError('NOT_IMPLEMENTED', 'A scheduled email can be cancelled but not paused.');
      await cancelTagged(db, caller, { name: BATCH_TAG, value: batch_id });
      return { batch_id, status };
    },
    respond: respondCreated,
  }),
];
