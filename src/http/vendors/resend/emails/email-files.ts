/** The attachments of sent emails, and received messages of all mailboxes of the team. */
import { z } from 'zod';
import { listEmailAttachments } from '../../../../features/activity/email-log/files.ts';
import type { EmailAttachment } from '../../../../features/sending/emails/emails.schema.ts';
import { displayMessage } from '../../../../features/mailboxes/reading/display.ts';
import { getRawMessage } from '../../../../features/mailboxes/reading/messages.ts';
import {
  getReceived,
  listReceived,
  type ReceivedMessage,
} from '../../../../features/mailboxes/reading/received.ts';
import type { Caller } from '../../../../features/api/caller.ts';
import { decodeWords } from '../../../../mail/mime/parse/encoded-words.ts';
import { readAnyHeaders } from '../../../../mail/mime/parse/raw-headers.ts';
import type { Db } from '../../../../platform/database/database.ts';
import { notFound } from '../../../../platform/errors.ts';
import { pathId } from '../../../../platform/schema.ts';
import { linkTo, presentFile, shownFile } from './files.ts';
import { orNull } from './email-shape.ts';
import { listOf, listQuery, pageOf, toList } from '../routing/lists.ts';
import { listRoute } from '../routing/object-routes.ts';
import { resendRoute } from '../routing/resend-route.ts';

const params = z.object({ id: pathId() });
const fileParams = params.extend({ file: pathId() });
const addresses = z.array(z.string());
const listed = z.object({
  id: z.string(),
  to: addresses,
  from: z.string(),
  created_at: z.string(),
  subject: z.string(),
  cc: addresses.nullable(),
  bcc: addresses.nullable(),
  reply_to: addresses.nullable(),
  received_for: addresses,
  message_id: z.string(),
  attachments: z.array(
    z.object({
      id: z.string(),
      filename: z.string().nullable(),
      size: z.int(),
      content_type: z.string(),
      content_id: z.string().nullable(),
      content_disposition: z.string(),
    }),
  ),
});
const shown = listed.extend({
  object: z.literal('email'),
  html: z.string().nullable(),
  text: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  raw: z.object({ download_url: z.string(), expires_at: z.string() }),
});
const kept = { permission: 'full', boundKeys: 'kept-to-domain' } as const;
const RECEIVED = '/emails/receiving';

type Owner = 'email' | 'message';

/** Builds the same routes for sent emails and received messages. */
function fileRoutes(path: string, of: Owner) {
  const list = (db: Db, caller: Caller, id: string) =>
    of === 'email' ? listEmailAttachments(db, caller, id) : listReceivedFiles(db, caller, id);
  return [
    resendRoute({
      method: 'GET',
      path: `${path}/{id}/attachments`,
      scope: 'mail.read',
      ...kept,
      params,
      query: listQuery,
      answer: listOf(shownFile),
      async handle({ db, caller, facts, params: { id }, query }) {
        const page = pageOf(await list(db, caller, id), query, ({ no }) => String(no));
        return toList(page, (file) => presentFile(facts, caller.teamId, { of, id }, file));
      },
    }),
    resendRoute({
      method: 'GET',
      path: `${path}/{id}/attachments/{file}`,
      scope: 'mail.read',
      ...kept,
      params: fileParams,
      answer: shownFile,
      async handle({ db, caller, facts, params: { id, file: no } }) {
        const file = (await list(db, caller, id)).find((each) => String(each.no) === no);
        if (!file) throw notFound('Attachment');
        return presentFile(facts, caller.teamId, { of, id }, file);
      },
    }),
  ];
}

export const resendFileRoutes = [
  ...fileRoutes('/emails', 'email'),
  ...fileRoutes(RECEIVED, 'message'),
  listRoute({
    path: RECEIVED,
    scope: 'mail.read',
    ...kept,
    list: ({ db, caller }, page) => listReceived(db, caller, page),
    item: listed,
    present: presentListed,
  }),
  resendRoute({
    method: 'GET',
    path: `${RECEIVED}/{id}`,
    scope: 'mail.read',
    ...kept,
    params,
    query: z.object({ html_format: z.enum(['data_uri', 'cid']).default('data_uri') }),
    answer: shown,
    async handle({ db, caller, facts, params: { id }, query }) {
      const message = await getReceived(db, caller, id);
      const { bytes } = await getRawMessage(db, caller, id);
      const { headers } = readAnyHeaders(bytes);
      const html =
        query.html_format === 'cid' ? message.html : (await displayMessage(db, caller, id, 'shown')).html;
      return {
        object: 'email' as const,
        ...presentListed(message),
        html,
        text: message.text,
        headers: Object.fromEntries(
          headers.map(({ name, value }) => [name.toLowerCase(), decodeWords(value)]),
        ),
        raw: linkTo(facts, caller.teamId, { of: 'message', id, part: null }),
      };
    },
  }),
];

async function listReceivedFiles(db: Db, caller: Caller, id: string): Promise<EmailAttachment[]> {
  const { attachments } = await getReceived(db, caller, id);
  return attachments.map(({ n, filename, content_type, content_id, inline, size }) => ({
    no: n,
    filename,
    contentType: content_type,
    contentId: content_id,
    inline,
    size,
  }));
}

function presentListed(message: ReceivedMessage) {
  return {
    id: message.id,
    to: message.to,
    from: message.from,
    created_at: message.created_at,
    subject: message.subject,
    cc: orNull(message.cc),
    bcc: null,
    reply_to: orNull(message.reply_to),
    received_for: [message.mailbox],
    message_id: message.message_id ?? '',
    attachments: message.attachments.map(({ n, inline, ...file }) => ({
      ...file,
      id: String(n),
      content_disposition: inline ? 'inline' : 'attachment',
    })),
  };
}
