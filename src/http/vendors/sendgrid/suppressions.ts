/**
 * SendGrid's suppression lists. Ours is one list with reasons: addresses that bounced, that complained, or that were
 * added manually. Blocked and invalid addresses are not suppressed here, so these two lists are empty.
 */
import { z } from 'zod';
import type { Suppression } from '../../../features/sending/suppressions/suppressions.schema.ts';
import {
  listSuppressions,
  removeAllSuppressions,
  suppressAddresses,
  unsuppressAddresses,
} from '../../../features/sending/suppressions/suppressions.ts';
import { parseAddress } from '../../../mail/mime/address.ts';
import { invalidField, notFound } from '../../../platform/errors.ts';
import { integerText } from '../../../platform/schema.ts';
import { collect } from '../mapping/offset-list.ts';
import {
  address,
  listQuery,
  NOTHING,
  recipientEmails,
  respondCreated,
  respondEmpty,
  sendgridRoute,
  toUnixTime,
} from './sendgrid-route.ts';

const REASONS: Record<string, Suppression['reason'] | null> = {
  bounces: 'HARD_BOUNCE',
  spam_reports: 'COMPLAINT',
  unsubscribes: 'MANUAL',
  blocks: null,
  invalid_emails: null,
};
const LAST_SECOND = 9_999_999_999;

const entry = z.object({
  created: z.int(),
  email: z.string(),
  reason: z.string().optional(),
  status: z.string().optional(),
  ip: z.string().optional(),
});
const entries = z.array(entry);
const listParams = z.object({ list: z.enum(Object.keys(REASONS) as [string, ...string[]]) });
const entryParams = listParams.extend({ email: address });
const globalParams = z.object({ email: address });
const shared = { permission: 'full' as const };

export const suppressionRoutes = [
  sendgridRoute({
    ...shared,
    method: 'GET',
    path: '/v3/suppression/{list}',
    scope: 'contacts.read',
    params: listParams,
    query: z.object({
      ...listQuery,
      start_time: integerText(0, LAST_SECOND).default(0),
      end_time: integerText(0, LAST_SECOND).default(LAST_SECOND),
      email: address.optional(),
    }),
    answer: entries,
    async handle({ db, teamId, params: { list }, query: { offset, limit: count, ...query } }) {
      const reason = REASONS[list];
      if (!reason) return [];
      const { items } = await collect(
        { offset, count },
        (page) => listSuppressions(db, teamId, { ...page, reason, email: query.email }),
        ({ createdAt }) =>
          toUnixTime(createdAt) >= query.start_time && toUnixTime(createdAt) <= query.end_time,
      );
      return items.map(present);
    },
  }),
  sendgridRoute({
    ...shared,
    method: 'GET',
    path: '/v3/suppression/{list}/{email}',
    scope: 'contacts.read',
    params: entryParams,
    answer: entries,
    async handle({ db, teamId, params: { list, email } }) {
      const reason = REASONS[list];
      if (!reason) return [];
      return (await listSuppressions(db, teamId, { limit: 1, reason, email })).items.map(present);
    },
  }),
  sendgridRoute({
    ...shared,
    method: 'DELETE',
    path: '/v3/suppression/{list}/{email}',
    scope: 'contacts.write',
    params: entryParams,
    answer: NOTHING,
    async handle({ db, teamId, params: { list, email } }) {
      const reason = REASONS[list];
      const removed = reason ? await unsuppressAddresses(db, teamId, [email], [reason]) : [];
      if (removed.length === 0) throw notFound('Suppression');
      return {};
    },
    respond: respondEmpty,
  }),
  sendgridRoute({
    ...shared,
    method: 'DELETE',
    path: '/v3/suppression/{list}',
    scope: 'contacts.write',
    params: listParams,
    body: z.strictObject({
      delete_all: z.boolean().optional(),
      emails: z.array(address).max(1_000).optional(),
    }),
    answer: NOTHING,
    async handle({ db, teamId, params: { list }, body: { delete_all, emails } }) {
      const reason = REASONS[list];
      if ((delete_all === true) === (emails !== undefined))
        throw invalidField('delete_all', 'or emails is required, and not both');
      if (reason && delete_all) await removeAllSuppressions(db, teamId, reason);
      if (reason && emails) await unsuppressAddresses(db, teamId, emails, [reason]);
      return {};
    },
    respond: respondEmpty,
  }),
  sendgridRoute({
    ...shared,
    method: 'POST',
    path: '/v3/asm/suppressions/global',
    scope: 'contacts.write',
    creates: 'suppressions',
    body: recipientEmails,
    answer: recipientEmails,
    async handle({ db, teamId, body }) {
      for (const [at, email] of body.recipient_emails.entries())
        if (!parseAddress(email))
          throw invalidField(`recipient_emails.${at}`, 'must be a valid email address');
      const found = body.recipient_emails.map((email) => ({ teamId, address: email }));
      await suppressAddresses(db, 'MANUAL', found);
      return body;
    },
    respond: respondCreated,
  }),
  sendgridRoute({
    ...shared,
    method: 'GET',
    path: '/v3/asm/suppressions/global/{email}',
    scope: 'contacts.read',
    params: globalParams,
    answer: z.object({ recipient_email: z.string().optional() }),
    async handle({ db, teamId, params: { email } }) {
      const { items } = await listSuppressions(db, teamId, { limit: 1, email, reason: 'MANUAL' });
      return items[0] ? { recipient_email: items[0].email } : {};
    },
  }),
  sendgridRoute({
    ...shared,
    method: 'DELETE',
    path: '/v3/asm/suppressions/global/{email}',
    scope: 'contacts.write',
    params: globalParams,
    answer: NOTHING,
    async handle({ db, teamId, params: { email } }) {
      const removed = await unsuppressAddresses(db, teamId, [email], ['MANUAL']);
      if (removed.length === 0) throw notFound('Suppression');
      return {};
    },
    respond: respondEmpty,
  }),
];

function present({ email, reason, createdAt }: Suppression): z.input<typeof entry> {
  const created = toUnixTime(createdAt);
  if (reason === 'HARD_BOUNCE')
    return { created, email, reason: 'The address does not exist.', status: '5.0.0' };
  return reason === 'COMPLAINT' ? { created, email, ip: '' } : { created, email };
}
