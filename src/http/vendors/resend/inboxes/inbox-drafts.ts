/** The drafts of an inbox, and replies. Messages are sent immediately, without the mailbox's undo time. */
import { z } from 'zod';
import type { Caller } from '../../../../features/api/caller.ts';
import { listAddresses } from '../../../../features/mailboxes/addresses/addresses.ts';
import { getMessage } from '../../../../features/mailboxes/reading/messages.ts';
import { summarizeThreads } from '../../../../features/mailboxes/reading/summaries.ts';
import type { Message } from '../../../../features/mailboxes/reading/threads.schema.ts';
import {
  createDraft,
  deleteDraft,
  getDraft,
  listDrafts,
  sendDraft,
  updateDraft,
} from '../../../../features/mailboxes/writing/drafts.ts';
import { requireSubmitted, sendMessage } from '../../../../features/mailboxes/writing/send.ts';
import {
  draftInput,
  draftUpdate,
  messageInput,
} from '../../../../features/mailboxes/writing/sending.schema.ts';
import { parseMailbox } from '../../../../mail/mime/address.ts';
import type { Db } from '../../../../platform/database/database.ts';
import { notFound } from '../../../../platform/errors.ts';
import { pathId, record, text } from '../../../../platform/schema.ts';
import { readFields } from '../../mapping/read-fields.ts';
import { attachmentList, NAMES, toAttachments } from '../emails/email-shape.ts';
import { prepareAttachments } from '../emails/fetch-attachments.ts';
import { findInboxId, findInboxThread, kept, threadParams } from './inboxes.ts';
import { listOf, listQuery, toList, toPageRequest } from '../routing/lists.ts';
import { resendRoute } from '../routing/resend-route.ts';
import { EMAIL_BODY_BYTES } from '../../../../features/content/content-limits.ts';

const SNIPPET_LENGTH = 200;

const addresses = z.array(z.string());
const attachments = z.array(
  z.object({ id: z.string(), filename: z.string(), content_type: z.string(), size: z.int() }),
);
const listed = z.object({
  id: z.string(),
  type: z.enum(['standalone', 'reply']),
  to: addresses.nullable(),
  cc: addresses,
  bcc: addresses,
  subject: z.string().nullable(),
  snippet: z.string().nullable(),
  thread_id: z.string().nullable(),
  reply_to_email_id: z.null(),
  updated_at: z.string(),
  attachments,
});
const shown = listed.omit({ snippet: true }).extend({
  object: z.literal('inbox_draft'),
  html: z.string().nullable(),
  text: z.string().nullable(),
  email_id: z.null(),
  created_at: z.string(),
});
const named = z.object({ object: z.literal('inbox_draft'), id: z.string() });
const accepted = z.object({ id: z.string() });

const anything = z.unknown().optional();
export const people = z.union([z.string().transform((one) => [one]), z.array(z.unknown()).max(50)]).nullish();
export const noHeaders = record(
  z.string(),
  z.never({ error: 'is not supported: a mailbox sends no headers of your own' }),
  { max: 100 },
).nullish();
const content = {
  cc: people,
  bcc: people,
  subject: anything,
  text: anything,
  html: anything,
  attachments: attachmentList,
};
const draftContent = z.strictObject({ to: people, ...content });
const newDraft = draftContent.extend({
  thread_id: text({ min: 1, max: 256 }).optional(),
  reply_to_email_id: text({ min: 1, max: 256 }).optional(),
});
const reply = z.strictObject({ ...content, reply_all: z.boolean().nullish(), headers: noHeaders });

const DRAFTS = '/inboxes/{inbox}/drafts';
const inboxParams = z.object({ inbox: pathId() });
const params = inboxParams.extend({ draft: pathId() });
const replyParams = threadParams.extend({ email: pathId() });

export const resendDraftRoutes = [
  resendRoute({
    method: 'GET',
    path: DRAFTS,
    scope: 'mail.read',
    ...kept,
    params: inboxParams,
    query: listQuery,
    answer: listOf(listed),
    async handle({ db, caller, params: { inbox }, query }) {
      const page = await listDrafts(db, caller, await findInboxId(db, caller, inbox), toPageRequest(query));
      const replies = await findReplies(db, caller, page.items);
      return toList(page, (draft) => presentListed(draft, replies.has(draft.id)));
    },
  }),
  resendRoute({
    method: 'POST',
    path: DRAFTS,
    scope: 'mail.draft',
    ...kept,
    creates: 'drafts',
    bodyLimitBytes: EMAIL_BODY_BYTES,
    params: inboxParams,
    body: newDraft,
    answer: named,
    prepare: prepareAttachments,
    async handle({ db, caller, facts, params: { inbox }, body: { reply_to_email_id: emailId, ...body } }) {
      const mailboxId = await findInboxId(db, caller, inbox);
      // Our drafts reply to a thread, so this email must belong to it.
      if (emailId !== undefined) await requireInThread(db, caller, emailId, body.thread_id ?? '');
      const input = readFields(draftInput, { ...body, attachments: toAttachments(body.attachments) }, NAMES);
      const { id } = await createDraft(db, caller, mailboxId, input);
      facts.hintMail();
      return { object: 'inbox_draft' as const, id };
    },
  }),
  resendRoute({
    method: 'GET',
    path: `${DRAFTS}/{draft}`,
    scope: 'mail.read',
    ...kept,
    params,
    answer: shown,
    async handle({ db, caller, params: { inbox, draft: id } }) {
      const draft = await getDraft(db, caller, await findInboxId(db, caller, inbox), id);
      const { snippet: _, ...fields } = presentListed(
        draft,
        (await findReplies(db, caller, [draft])).has(id),
      );
      return {
        object: 'inbox_draft' as const,
        ...fields,
        html: draft.html,
        text: draft.text,
        email_id: null,
        created_at: draft.created_at,
      };
    },
  }),
  resendRoute({
    method: 'PATCH',
    path: `${DRAFTS}/{draft}`,
    scope: 'mail.draft',
    ...kept,
    bodyLimitBytes: EMAIL_BODY_BYTES,
    params,
    body: draftContent,
    answer: named,
    prepare: prepareAttachments,
    async handle({ db, caller, facts, params: { inbox, draft }, body }) {
      const files = body.attachments === null ? [] : toAttachments(body.attachments);
      const update = readFields(draftUpdate, { ...body, attachments: files }, NAMES);
      const { id } = await updateDraft(db, caller, await findInboxId(db, caller, inbox), draft, update);
      facts.hintMail();
      return { object: 'inbox_draft' as const, id };
    },
  }),
  resendRoute({
    method: 'DELETE',
    path: `${DRAFTS}/{draft}`,
    scope: 'mail.draft',
    ...kept,
    params,
    answer: named.extend({ deleted: z.boolean() }),
    async handle({ db, caller, facts, params: { inbox, draft: id } }) {
      await deleteDraft(db, caller, await findInboxId(db, caller, inbox), id);
      facts.hintMail();
      return { object: 'inbox_draft' as const, id, deleted: true };
    },
  }),
  resendRoute({
    method: 'POST',
    path: `${DRAFTS}/{draft}/send`,
    scope: 'mail.reply',
    ...kept,
    heavy: 'messages',
    params,
    body: z.strictObject({ headers: noHeaders }).default({}),
    answer: accepted,
    async handle({ db, caller, facts, params: { inbox, draft } }) {
      const mailboxId = await findInboxId(db, caller, inbox);
      const { id } = requireSubmitted(await sendDraft(db, caller, mailboxId, draft, { undo_seconds: 0 }));
      facts.wakeDeliveryWorkers();
      facts.hintMail();
      return { id };
    },
  }),
  resendRoute({
    method: 'POST',
    path: '/inboxes/{inbox}/threads/{thread}/emails/{email}/reply',
    scope: 'mail.reply',
    ...kept,
    bodyLimitBytes: EMAIL_BODY_BYTES,
    params: replyParams,
    body: reply,
    answer: accepted,
    prepare: prepareAttachments,
    async handle({ db, caller, facts, params, body: { reply_all, ...body } }) {
      const { id: thread_id, mailbox_id, mailbox } = await findInboxThread(db, caller, params);
      const email = await requireInThread(db, caller, params.email, thread_id);
      const own = [
        mailbox.address,
        ...(await listAddresses(db, caller, mailbox_id)).map(({ address }) => address),
      ];
      const { to, cc } = recipientsOf(email, own, Boolean(reply_all));
      const fields = {
        ...body,
        to,
        cc: [...cc, ...(body.cc ?? [])],
        attachments: toAttachments(body.attachments),
        thread_id,
        undo_seconds: 0,
      };
      const { id } = requireSubmitted(
        await sendMessage(db, caller, mailbox_id, readFields(messageInput, fields, NAMES)),
      );
      facts.wakeDeliveryWorkers();
      facts.hintMail();
      return { id };
    },
  }),
];

async function requireInThread(db: Db, caller: Caller, emailId: string, threadId: string): Promise<Message> {
  const message = await getMessage(db, caller, emailId);
  if (message.thread_id !== threadId || message.status === 'draft') throw notFound('Email');
  return message;
}

/** A reply to one of our own emails goes to its recipients. The addresses of the mailbox are left out. */
function recipientsOf(
  email: Message,
  own: readonly string[],
  isToAll: boolean,
): { to: string[]; cc: string[] } {
  const sender = email.reply_to.length > 0 ? email.reply_to : [email.from];
  const to = email.direction === 'in' ? sender : email.to;
  const taken = new Set([...own, ...to].map(keyOf));
  const others = email.direction === 'in' ? [...email.to, ...email.cc] : email.cc;
  return { to, cc: isToAll ? others.filter((person) => !taken.has(keyOf(person))) : [] };
}

function keyOf(person: string): string {
  return parseMailbox(person)?.key ?? person;
}

/** Returns the IDs of the drafts whose thread has other messages. */
async function findReplies(db: Db, { teamId }: Caller, drafts: Message[]): Promise<Set<string>> {
  const threads = await summarizeThreads(
    db,
    teamId,
    drafts.map(({ thread_id }) => thread_id),
  );
  const replies = drafts.filter(({ thread_id }) => (threads.get(thread_id)?.messages ?? 0) > 1);
  return new Set(replies.map(({ id }) => id));
}

function presentListed(draft: Message, isReply: boolean) {
  return {
    id: draft.id,
    type: isReply ? ('reply' as const) : ('standalone' as const),
    to: draft.to.length > 0 ? draft.to : null,
    cc: draft.cc,
    bcc: draft.bcc,
    subject: draft.subject,
    snippet: draft.text?.slice(0, SNIPPET_LENGTH).toWellFormed() ?? null,
    thread_id: isReply ? draft.thread_id : null,
    reply_to_email_id: null,
    updated_at: draft.created_at,
    attachments: draft.attachments.map(({ n, filename, content_type, size }) => ({
      id: String(n),
      filename: filename ?? '',
      content_type,
      size,
    })),
  };
}
