import { route } from '../../platform/route.ts';
import { publicLinksOf } from '../tracking/links.ts';
import {
  emailAccepted,
  emailBatch,
  emailInput,
  emailPage,
  emailParams,
  emailQuery,
  emailReschedule,
  emailsAccepted,
  emailSchema,
  emailSource,
  type EmailListItem,
} from './emails.schema.ts';
import { cancelEmail, getEmail, getEmailSource, rescheduleEmail } from './emails.ts';
import { listEmails } from './list-emails.ts';
import { submit, submitAll } from './submit.ts';

const group = 'Emails';
const BODY_LIMIT = 40 * 1024 * 1024;

const example: EmailListItem = {
  id: 'eml_01kbd8x4zvf7m8rk2q3w5t6y7h',
  teamId: 1,
  domainId: 1,
  from: 'Harbour Books <news@example.com>',
  to: ['ada@example.org'],
  cc: [],
  bcc: [],
  replyTo: [],
  subject: 'Your order',
  status: 'DELIVERED',
  scheduledAt: null,
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:01.000Z',
};
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
    group,
    summary: 'Send an email',
    description:
      'At most 50 recipients and 25 MiB in all. Suppressed recipients are dropped and named in the events; if none is left the email is `SUPPRESSED`.',
    permission: 'sending',
    role: 'member',
    boundKeys: 'kept-to-domain',
    errors: ['NOT_FOUND'],
    body: emailInput,
    bodyLimitBytes: BODY_LIMIT,
    answer: emailAccepted,
    example: { body: input, answer: accepted },
    async handle({ db, caller, facts, body }) {
      const content = { kind: 'fields' as const, email: body, links: publicLinksOf(facts) };
      const emailId = await submit(db, { source: 'api', caller, content });
      facts.wakeCouriers();
      return { emailId };
    },
  }),
  route({
    operationId: 'sendEmails',
    method: 'POST',
    path: '/v1/emails/batch',
    group,
    summary: 'Send up to 100 emails',
    description:
      'All or nothing. While many emails wait, a batch of more than 5 recipients leaves after emails that were sent one by one, and before campaigns.',
    permission: 'sending',
    role: 'member',
    boundKeys: 'kept-to-domain',
    errors: ['NOT_FOUND'],
    body: emailBatch,
    bodyLimitBytes: BODY_LIMIT,
    heavy: 'rows',
    answer: emailsAccepted,
    example: { body: [input], answer: { data: [accepted] } },
    async handle({ db, caller, facts, body }) {
      const links = publicLinksOf(facts);
      const submissions = body.map((email) => ({
        source: 'api' as const,
        caller,
        content: { kind: 'fields' as const, email, links },
      }));
      const ids = await submitAll(db, caller.teamId, submissions);
      facts.wakeCouriers();
      return { data: ids.map((emailId) => ({ emailId })) };
    },
  }),
  route({
    operationId: 'listEmails',
    method: 'GET',
    path: '/v1/emails',
    group,
    summary: 'List emails',
    description:
      'Newest first. With a filter or a `search` one page looks at the next 20,000 emails at most: it may hold fewer items than `limit`, even none, while `next_cursor` leads further back.',
    permission: 'full',
    role: 'member',
    boundKeys: 'kept-to-domain',
    query: emailQuery,
    answer: emailPage,
    example: {
      query: { status: 'DELIVERED', search: 'ada@example.org' },
      answer: { items: [example], next_cursor: null },
    },
    handle: ({ db, caller, query }) => listEmails(db, caller, query),
  }),
  route({
    operationId: 'getEmail',
    method: 'GET',
    path: '/v1/emails/{emailId}',
    group,
    summary: 'Get an email with its events',
    permission: 'full',
    role: 'member',
    boundKeys: 'kept-to-domain',
    errors: ['NOT_FOUND'],
    params: emailParams,
    answer: emailSchema,
    example: {
      params,
      answer: {
        ...example,
        html: '<p>It is on its way.</p>',
        text: 'It is on its way.',
        tracking: { opens: 0, humanOpens: 0, clicks: 0, humanClicks: 0 },
        emailEvents: [
          {
            emailId: example.id,
            status: 'DELIVERED',
            recipient: 'ada@example.org',
            createdAt: '2026-11-15T09:30:01.000Z',
            data: { code: 250, enhanced: '2.0.0', text: 'OK' },
          },
        ],
      },
    },
    handle: ({ db, caller, facts, params: { emailId } }) =>
      getEmail(db, caller, emailId, publicLinksOf(facts)),
  }),
  route({
    operationId: 'getEmailSource',
    method: 'GET',
    path: '/v1/emails/{emailId}/source',
    group,
    summary: 'Get the source of an email',
    permission: 'full',
    role: 'member',
    boundKeys: 'kept-to-domain',
    errors: ['NOT_FOUND'],
    params: emailParams,
    answer: emailSource,
    example: { params, answer: { emailId: example.id, raw: 'From: Harbour Books <news@example.com>\r\n…' } },
    handle: async ({ db, caller, params: { emailId } }) => ({
      emailId,
      raw: await getEmailSource(db, caller, emailId),
    }),
  }),
  route({
    operationId: 'rescheduleEmail',
    method: 'PATCH',
    path: '/v1/emails/{emailId}',
    group,
    summary: 'Change when a scheduled email leaves',
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
      facts.wakeCouriers();
      return { emailId };
    },
  }),
  route({
    operationId: 'cancelEmail',
    method: 'POST',
    path: '/v1/emails/{emailId}/cancel',
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
];
