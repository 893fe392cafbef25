/** The threads of an inbox and their emails. */
import { z } from 'zod';
import type { Caller } from '../../../../features/api/caller.ts';
import { updateThread } from '../../../../features/mailboxes/reading/change-threads.ts';
import { deleteThread } from '../../../../features/mailboxes/reading/delete-threads.ts';
import { summarizeThreads, type ThreadSummary } from '../../../../features/mailboxes/reading/summaries.ts';
import { cursorBehind, listThreads } from '../../../../features/mailboxes/reading/threads.ts';
import { getMessage } from '../../../../features/mailboxes/reading/messages.ts';
import type { Message, Thread } from '../../../../features/mailboxes/reading/threads.schema.ts';
import type { Db } from '../../../../platform/database/database.ts';
import { invalidField, notFound } from '../../../../platform/errors.ts';
import type { Page } from '../../../../platform/pages.ts';
import { pathId } from '../../../../platform/schema.ts';
import { searchFields, toSearch } from './inbox-search.ts';
import { shownFolder } from './shown-folder.ts';
import { labelsOf, presentLabels, type ShownLabel } from './shown-labels.ts';
import { findInboxId, findInboxThread, kept, threadParams } from './inboxes.ts';
import { listOf, listQuery, listQueryWith, pageOf, toList, toPageRequest } from '../routing/lists.ts';
import { resendRoute } from '../routing/resend-route.ts';

const addresses = z.array(z.string());
const labels = z.array(z.object({ id: z.string(), name: z.string(), color: z.string() }));
const summary = z.object({
  object: z.literal('inbox_thread'),
  id: z.string(),
  subject: z.string().nullable(),
  folder: z.string(),
  labels,
  read: z.boolean(),
});
const listed = summary.omit({ object: true }).extend({
  from: z.string().nullable(),
  to: addresses,
  cc: addresses,
  bcc: addresses,
  email_count: z.int(),
  has_attachment: z.boolean(),
  has_draft: z.boolean(),
  received_at: z.string(),
});
const shownEmail = z.object({
  id: z.string(),
  direction: z.enum(['inbound', 'outbound']),
  from: z.string(),
  to: addresses,
  cc: addresses,
  bcc: addresses,
  reply_to: addresses,
  subject: z.string().nullable(),
  message_id: z.string().nullable(),
  html: z.string().nullable(),
  text: z.string().nullable(),
  attachments: z.array(
    z.object({ id: z.string(), filename: z.string().nullable(), size: z.int().nullable() }),
  ),
  read: z.boolean(),
  received_at: z.string(),
});

const filters = {
  folders: z.enum(['inbox', 'archive', 'spam', 'sent', 'trash'], { error: 'must be one folder' }).optional(),
  labels: z
    .string()
    .regex(/^[^\s,]{1,100}$/, { error: 'must be one label' })
    .optional(),
  read: z.enum(['true', 'false']).optional(),
};
const filteredQuery = listQueryWith(filters);

const THREADS = '/inboxes/{inbox}/threads';
const inboxParams = z.object({ inbox: pathId() });

export const resendThreadRoutes = [
  resendRoute({
    method: 'GET',
    path: THREADS,
    scope: 'mail.read',
    ...kept,
    params: inboxParams,
    query: filteredQuery,
    answer: listOf(listed),
    async handle({ db, caller, params: { inbox }, query }) {
      const labels = await labelsOf(db, caller, await findInboxId(db, caller, inbox));
      return toList(await listFound(db, caller, inbox, query, undefined), ({ thread, found }) =>
        presentListed(thread, found, labels),
      );
    },
  }),
  resendRoute({
    method: 'GET',
    path: `${THREADS}/search`,
    scope: 'mail.read',
    ...kept,
    params: inboxParams,
    query: listQueryWith({ ...filters, ...searchFields }),
    answer: listOf(listed.extend({ matched_email_id: z.null() })),
    async handle({ db, caller, params: { inbox }, query }) {
      const labels = await labelsOf(db, caller, await findInboxId(db, caller, inbox));
      return toList(await listFound(db, caller, inbox, query, toSearch(query)), ({ thread, found }) => ({
        ...presentListed(thread, found, labels),
        matched_email_id: null,
      }));
    },
  }),
  resendRoute({
    method: 'GET',
    path: `${THREADS}/{thread}`,
    scope: 'mail.read',
    ...kept,
    params: threadParams,
    answer: summary,
    handle: ({ db, caller, params }) => showThread(db, caller, params),
  }),
  resendRoute({
    method: 'PATCH',
    path: `${THREADS}/{thread}`,
    scope: 'mail.labels',
    ...kept,
    params: threadParams,
    body: z
      .strictObject({
        read: z.boolean().optional(),
        folder: z.enum(['inbox', 'archive', 'spam', 'trash']).optional(),
      })
      .refine(({ read, folder }) => read !== undefined || folder !== undefined, {
        error: 'must have read or folder',
      }),
    answer: summary,
    async handle({ db, caller, facts, params, body }) {
      await findInboxThread(db, caller, params);
      await updateThread(db, caller, params.thread, body);
      facts.hintMail();
      return showThread(db, caller, params);
    },
  }),
  resendRoute({
    method: 'DELETE',
    path: `${THREADS}/{thread}`,
    scope: 'mail.delete',
    ...kept,
    params: threadParams,
    answer: z.object({ object: z.literal('inbox_thread'), id: z.string(), deleted: z.boolean() }),
    async handle({ db, caller, facts, params }) {
      const { id } = await findInboxThread(db, caller, params);
      await deleteThread(db, caller, id);
      facts.hintMail();
      return { object: 'inbox_thread' as const, id, deleted: true };
    },
  }),
  resendRoute({
    method: 'GET',
    path: `${THREADS}/{thread}/emails`,
    scope: 'mail.read',
    ...kept,
    params: threadParams,
    query: listQuery,
    answer: listOf(shownEmail),
    async handle({ db, caller, params, query }) {
      const { messages } = await findInboxThread(db, caller, params);
      const newestFirst = messages.filter(isEmail).toReversed();
      return toList(
        pageOf(newestFirst, query, ({ id }) => id),
        presentEmail,
      );
    },
  }),
  resendRoute({
    method: 'GET',
    path: `${THREADS}/{thread}/emails/{email}`,
    scope: 'mail.read',
    ...kept,
    params: threadParams.extend({ email: pathId() }),
    answer: shownEmail,
    async handle({ db, caller, params }) {
      const { id } = await findInboxThread(db, caller, params);
      const message = await getMessage(db, caller, params.email);
      if (message.thread_id !== id || !isEmail(message)) throw notFound('Email');
      return presentEmail(message);
    },
  }),
];

async function listFound(
  db: Db,
  caller: Caller,
  inbox: string,
  { folders, labels: label, read, limit, after, before }: z.output<typeof filteredQuery>,
  q: string | undefined,
): Promise<Page<{ thread: Thread; found: ThreadSummary | undefined }>> {
  const page = toPageRequest({ limit, after, before });
  if (before !== undefined) throw invalidField('before', 'is not supported: this list is read forwards');
  const mailboxId = await findInboxId(db, caller, inbox);
  const { items, next_cursor } = await listThreads(db, caller, mailboxId, {
    limit,
    offset: 0,
    cursor: page.cursor === undefined ? undefined : await cursorBehind(db, caller, page.cursor),
    folder: folders,
    label,
    unread: read === undefined ? undefined : read === 'false',
    q,
  });
  const ids = items.map(({ id }) => id);
  const summaries = await summarizeThreads(db, caller.teamId, ids);
  return { items: items.map((thread) => ({ thread, found: summaries.get(thread.id) })), next_cursor };
}

/** Drafts have their own list. */
function isEmail({ status }: Message): boolean {
  return status !== 'draft';
}

async function showThread(db: Db, caller: Caller, params: z.output<typeof threadParams>) {
  const thread = await findInboxThread(db, caller, params);
  const { id, subject, folder, unread, messages } = thread;
  const labels = await labelsOf(db, caller, thread.mailbox_id);
  const names = new Set(messages.flatMap((message) => message.labels));
  return {
    object: 'inbox_thread' as const,
    id,
    subject,
    folder: shownFolder(folder),
    labels: presentLabels(labels, [...names].toSorted()),
    read: !unread,
  };
}

/** Without a summary, the thread was deleted in the meantime. */
function presentListed(
  thread: Thread,
  found: ThreadSummary | undefined,
  labels: ReadonlyMap<string, ShownLabel>,
) {
  return {
    id: thread.id,
    subject: thread.subject,
    folder: shownFolder(thread.folder),
    labels: presentLabels(labels, found?.labels ?? []),
    read: !thread.unread,
    from: found?.from ?? null,
    to: found?.to ?? [],
    cc: found?.cc ?? [],
    bcc: found?.bcc ?? [],
    email_count: thread.message_count,
    has_attachment: found?.hasAttachment ?? false,
    has_draft: found?.hasDraft ?? false,
    received_at: thread.last_message_at,
  };
}

function presentEmail(message: Message): z.input<typeof shownEmail> {
  return {
    id: message.id,
    direction: message.direction === 'in' ? 'inbound' : 'outbound',
    from: message.from,
    to: message.to,
    cc: message.cc,
    bcc: message.bcc,
    reply_to: message.reply_to,
    subject: message.subject,
    message_id: message.message_id,
    html: message.html,
    text: message.text,
    attachments: message.attachments.map(({ n, filename, size }) => ({ id: String(n), filename, size })),
    read: message.read,
    received_at: message.created_at,
  };
}
