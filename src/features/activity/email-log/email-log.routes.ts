import { FileAnswer, route } from '../../api/route.ts';
import { exampleEmail as example } from '../../sending/emails/emails.examples.ts';
import {
  emailAttachmentParams,
  emailExportQuery,
  emailPage,
  emailParams,
  emailQuery,
  emailSchema,
  emailSource,
} from '../../sending/emails/emails.schema.ts';
import { publicLinksOf } from '../../content/links/links.ts';
import { contactParams } from '../../audience/contacts/contacts.schema.ts';
import { attachmentAnswer } from '../../mailboxes/reading/attachment-answer.ts';
import { listContactActivity } from './contact-activity.ts';
import { contactActivity, contactActivityQuery } from './email-log.schema.ts';
import { exportEmails } from './export-emails.ts';
import { getEmailAttachment } from './files.ts';
import { listEmails } from './list-emails.ts';
import { getEmail, getEmailSource } from './show-email.ts';

const group = 'Emails';
const params = { emailId: example.id };

export const emailLogRoutes = [
  route({
    operationId: 'listEmails',
    method: 'GET',
    path: '/v1/emails',
    scope: 'mail.read',
    group,
    summary: 'List emails',
    description:
      'Newest first. With a filter or `search`, one page covers at most the next 20,000 emails. It may have fewer items than `limit`, or none, while `next_cursor` still leads to older emails.',
    permission: 'full',
    role: 'member',
    readsReplica: true,
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
    operationId: 'exportEmails',
    method: 'GET',
    path: '/v1/emails/export',
    scope: 'mail.read',
    group,
    summary: 'Export emails as a CSV file',
    description:
      'All emails that match the filters, newest first, as CSV (RFC 4180) in UTF-8. Several addresses or tags in a cell are separated by commas. A cell that begins with `=`, `+`, `-` or `@` gets an apostrophe in front, so that no spreadsheet runs it as a formula.',
    permission: 'full',
    role: 'member',
    boundKeys: 'kept-to-domain',
    query: emailExportQuery,
    answer: 'text/csv',
    example: {
      query: { since: '2026-11-01T00:00:00Z', until: '2026-12-01T00:00:00Z' },
      answer:
        'id,createdAt,scheduledAt,status,from,to,cc,bcc,subject,messageId,campaignId,tags\r\neml_01kbd8x4zvf7m8rk2q3w5t6y7h,2026-11-15T09:30:00.000Z,,DELIVERED,news@example.com,ada@example.org,,,Your order,<eml_01kbd8x4zvf7m8rk2q3w5t6y7h@example.com>,,kind:order\r\n',
    },
    handle: async ({ db, caller, query, throwIfDisconnected }) =>
      new FileAnswer(
        'text/csv; charset=utf-8',
        'emails.csv',
        exportEmails(db, caller, query, throwIfDisconnected),
      ),
  }),
  route({
    operationId: 'getEmail',
    method: 'GET',
    path: '/v1/emails/{emailId}',
    scope: 'mail.read',
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
        contentDeletedAt: null,
        attachments: [
          {
            no: 0,
            filename: 'invoice.pdf',
            contentType: 'application/pdf',
            contentId: null,
            inline: false,
            size: 48_213,
          },
        ],
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
    scope: 'mail.read',
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
    operationId: 'getEmailAttachment',
    method: 'GET',
    path: '/v1/emails/{emailId}/attachments/{n}',
    scope: 'mail.read',
    group,
    summary: 'Get an attachment of an email',
    description:
      'Attachments are numbered from 0. The response is a download, except for PNG, JPEG, GIF and WebP images.',
    permission: 'full',
    role: 'member',
    boundKeys: 'kept-to-domain',
    errors: ['NOT_FOUND'],
    params: emailAttachmentParams,
    answer: 'application/octet-stream',
    example: { params: { ...params, n: '0' }, answer: '…' },
    handle: async ({ db, caller, params: { emailId, n } }) =>
      attachmentAnswer(await getEmailAttachment(db, caller, emailId, n), n),
  }),
  route({
    operationId: 'listContactActivity',
    method: 'GET',
    path: '/v1/contactBooks/{contactBookId}/contacts/{contactId}/activity',
    boundKeys: 'kept-to-book',
    scope: 'contacts.read',
    group: 'Contacts',
    summary: 'List what happened with a contact',
    description:
      'All emails of the team to the address of this contact, with the status of each, and the events that applications have sent for it. Newest first.',
    permission: 'full',
    role: 'member',
    readsReplica: true,
    errors: ['NOT_FOUND'],
    params: contactParams,
    query: contactActivityQuery,
    answer: contactActivity,
    example: {
      params: {
        contactBookId: 'cbk_01kbd8x4zvf7m8rk2q3w5t6y7h',
        contactId: 'con_01kbd8x4zvf7m8rk2q3w5t6y7h',
      },
      answer: {
        items: [
          {
            type: 'email',
            id: example.id,
            from: example.from,
            subject: 'News from the harbour',
            status: 'OPENED',
            campaign: { id: 'cmp_01kbd8x4zvf7m8rk2q3w5t6y7h', name: 'November' },
            scheduledAt: null,
            openedAt: '2026-11-15T10:02:00.000Z',
            clickedAt: null,
            event: null,
            createdAt: example.createdAt,
          },
        ],
        next_cursor: null,
      },
    },
    handle: ({ db, caller, params: contact, query }) => listContactActivity(db, caller, contact, query),
  }),
];
