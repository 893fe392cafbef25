/** Inboxes are mailboxes, identified by their ID or address. A mailbox has one name, which recipients see. */
import { z } from 'zod';
import type { Caller } from '../../../../features/api/caller.ts';
import {
  mailboxInput,
  mailboxUpdate,
  type Mailbox,
} from '../../../../features/mailboxes/mailboxes/mailboxes.schema.ts';
import { findMailboxByAddress } from '../../../../features/mailboxes/mailboxes/find-mailbox.ts';
import {
  createMailbox,
  deleteMailbox,
  getMailbox,
  listMailboxes,
  updateMailbox,
} from '../../../../features/mailboxes/mailboxes/mailboxes.ts';
import { summarizeMailboxes, type MailboxSummary } from '../../../../features/mailboxes/reading/summaries.ts';
import type { ThreadWithMessages } from '../../../../features/mailboxes/reading/threads.schema.ts';
import { getThread } from '../../../../features/mailboxes/reading/threads.ts';
import { findDomainId } from '../../../../features/sending/domains/find-domain.ts';
import { parseAddress } from '../../../../mail/mime/address.ts';
import type { Db } from '../../../../platform/database/database.ts';
import { notFound } from '../../../../platform/errors.ts';
import { encodeId } from '../../../../platform/ids.ts';
import { pathId } from '../../../../platform/schema.ts';
import { readFields } from '../../mapping/read-fields.ts';
import { listOf, listQuery, toList, toPageRequest } from '../routing/lists.ts';
import { repeated, resendRoute } from '../routing/resend-route.ts';

const NAMES = { address: 'email_address', name: 'from_name' };

const named = z.object({ object: z.literal('inbox'), id: z.string() });
const listed = z.object({
  id: z.string(),
  name: z.string(),
  email_address: z.string(),
  from_name: z.string().nullable(),
  unread: z.int(),
  last_received: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});
const shown = listed.extend({
  object: z.literal('inbox'),
  domain_id: z.string(),
  receiving_address: z.string().nullable(),
  drafts: z.int(),
});
const anything = z.unknown().optional();
const params = z.object({ inbox: pathId() });
/** These are the same as in our own mailbox routes. */
export const kept = {
  permission: 'full',
  boundKeys: 'kept-to-domain',
  mailboxKeys: 'kept-to-mailboxes',
} as const;

export const resendInboxRoutes = [
  resendRoute({
    method: 'POST',
    path: '/inboxes',
    scope: 'none',
    ...kept,
    mailboxKeys: undefined,
    creates: 'mailboxes',
    body: z.strictObject({
      email_address: anything,
      name: anything,
      from_name: anything,
      forwarding: z
        .literal(false, { error: 'must be false: a mailbox has no address to forward to' })
        .nullish(),
    }),
    answer: named,
    async handle({ db, caller, body: { email_address: address, name, from_name } }) {
      const input = readFields(mailboxInput, { address, name: from_name ?? name }, NAMES);
      const { id } = await createMailbox(db, caller, input);
      return { object: 'inbox' as const, id };
    },
  }),
  resendRoute({
    method: 'GET',
    path: '/inboxes',
    scope: 'mail.read',
    ...kept,
    query: listQuery,
    answer: listOf(listed),
    async handle({ db, caller, query }) {
      const page = await listMailboxes(db, caller, toPageRequest(query));
      const ids = page.items.map(({ id }) => id);
      const summaries = await summarizeMailboxes(db, caller.teamId, ids);
      return toList(page, (mailbox) => presentListed(mailbox, summaries.get(mailbox.id)!));
    },
  }),
  resendRoute({
    method: 'GET',
    path: '/inboxes/{inbox}',
    scope: 'mail.read',
    ...kept,
    params,
    answer: shown,
    async handle({ db, caller, params: { inbox } }) {
      const mailbox = await getMailbox(db, caller, await findInboxId(db, caller, inbox));
      const summary = (await summarizeMailboxes(db, caller.teamId, [mailbox.id])).get(mailbox.id)!;
      const { domain } = parseAddress(mailbox.address)!;
      return {
        object: 'inbox' as const,
        ...presentListed(mailbox, summary),
        domain_id: String((await findDomainId(db, caller.teamId, domain)) ?? ''),
        receiving_address: mailbox.address,
        drafts: summary.drafts,
      };
    },
  }),
  resendRoute({
    method: 'PATCH',
    path: '/inboxes/{inbox}',
    scope: 'none',
    ...kept,
    params,
    body: z.strictObject({ ...repeated('id', 'inbox_id'), name: anything, from_name: anything }),
    answer: named,
    async handle({ db, caller, params: { inbox }, body: { name, from_name } }) {
      const update = readFields(mailboxUpdate, { name: from_name ?? name }, NAMES);
      const { id } = await updateMailbox(db, caller, await findInboxId(db, caller, inbox), update);
      return { object: 'inbox' as const, id };
    },
  }),
  resendRoute({
    method: 'DELETE',
    path: '/inboxes/{inbox}',
    scope: 'none',
    ...kept,
    params,
    answer: named.extend({ deleted: z.boolean() }),
    async handle({ db, caller, params: { inbox } }) {
      const id = await findInboxId(db, caller, inbox);
      await deleteMailbox(db, caller, id);
      return { object: 'inbox' as const, id, deleted: true };
    },
  }),
];

/** Operations check whether the caller may use the mailbox. */
export async function findInboxId(db: Db, caller: Caller, idOrAddress: string): Promise<string> {
  if (!idOrAddress.includes('@')) return idOrAddress;
  const found = await findMailboxByAddress(db, caller.teamId, idOrAddress);
  if (!found) throw notFound('Mailbox');
  return encodeId('mbx', found.mailboxId);
}

export const threadParams = z.object({ inbox: pathId(), thread: pathId() });

/** A thread of another inbox is not found. */
export async function findInboxThread(
  db: Db,
  caller: Caller,
  { inbox, thread: id }: z.output<typeof threadParams>,
): Promise<ThreadWithMessages & { mailbox: Mailbox }> {
  const mailbox = await getMailbox(db, caller, await findInboxId(db, caller, inbox));
  const thread = await getThread(db, caller, id);
  if (thread.mailbox_id !== mailbox.id) throw notFound('Thread');
  return { ...thread, mailbox };
}

function presentListed({ id, address, name, created_at }: Mailbox, summary: MailboxSummary) {
  return {
    id,
    name: name ?? address,
    email_address: address,
    from_name: name,
    unread: summary.unread,
    last_received: summary.lastReceivedAt,
    created_at,
    updated_at: summary.updatedAt,
  };
}
