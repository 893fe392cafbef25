/**
 * Mailgun's suppression lists. Each shows our suppressions with one reason: bounces, complaints, and unsubscribes for
 * those that were added manually. Ours belong to the team, so every domain of the team shows the same lists, and an
 * address is only on the list of its first reason.
 */
import { z } from 'zod';
import {
  findSuppression,
  listSuppressionsByReason,
  removeSuppressionsByReason,
  suppressAddresses,
} from '../../../features/sending/suppressions/suppressions.ts';
import {
  suppressionInput,
  type Suppression,
} from '../../../features/sending/suppressions/suppressions.schema.ts';
import { AppError, invalidField } from '../../../platform/errors.ts';
import { integerText } from '../../../platform/schema.ts';
import { FormBody } from '../../requests/read-form.ts';
import { validate } from '../../requests/validate.ts';
import { domainPath, findPathDomain, mailgunRoute } from './mailgun-route.ts';

interface List {
  name: 'bounces' | 'complaints' | 'unsubscribes';
  reason: Suppression['reason'];
  removed: string;
  allRemoved: string;
}

const LISTS: List[] = [
  {
    name: 'bounces',
    reason: 'HARD_BOUNCE',
    removed: 'Bounced address has been removed',
    allRemoved: 'Bounced addresses for this domain have been removed',
  },
  {
    name: 'complaints',
    reason: 'COMPLAINT',
    removed: 'Spam complaint has been removed',
    allRemoved: 'Complaint addresses for this domain have been removed',
  },
  {
    name: 'unsubscribes',
    reason: 'MANUAL',
    removed: 'Unsubscribe event has been removed',
    allRemoved: 'Unsubscribe addresses for this domain have been removed',
  },
];

const MAX_ADDED = 1_000;
const MAX_LIMIT = 1_000;

const shown = z.object({
  address: z.string(),
  created_at: z.string(),
  code: z.string().optional(),
  error: z.string().optional(),
  tags: z.array(z.string()).optional(),
});
const listQuery = z.strictObject({
  limit: integerText(1, MAX_LIMIT).default(100),
  page: z.enum(['first', 'last', 'next', 'previous']).default('first'),
  address: z.string().max(400).optional(),
});
const onePath = z.object({ ...domainPath, address: z.string().max(400) });

/** Posthorn stores neither the code and text of a bounce nor an earlier time. */
const added = z.strictObject({
  address: suppressionInput.shape.email,
  code: z.union([z.string(), z.number()]).optional(),
  error: z.string().max(10_000).optional(),
  created_at: z.string().max(100).optional(),
  tag: z.string().optional(),
  tags: z.array(z.string()).max(100).optional(),
});

export const mailgunSuppressionRoutes = LISTS.flatMap((list) => [
  listRoute(list),
  showRoute(list),
  addRoute(list),
  removeRoute(list),
  clearRoute(list),
]);

function listRoute(list: List) {
  return mailgunRoute({
    method: 'GET',
    path: `/{domain}/${list.name}`,
    scope: 'contacts.read',
    permission: 'full',
    params: z.object(domainPath),
    query: listQuery,
    answer: z.object({
      items: z.array(shown),
      paging: z.object({ first: z.string(), next: z.string(), previous: z.string(), last: z.string() }),
    }),
    async handle({ db, caller, facts, params, query }) {
      const { name } = await findPathDomain(db, caller, params.domain);
      const { page, limit, address = null } = query;
      const isBackward = page === 'previous' || page === 'last';
      const found = await listSuppressionsByReason(db, caller.teamId, list.reason, {
        after: page === 'next' || page === 'previous' ? address : null,
        order: isBackward ? 'desc' : 'asc',
        limit,
      });
      const items = (isBackward ? found.toReversed() : found).map((each) => present(list, each));
      const urlOf = (to: string, from?: string) => {
        const search = new URLSearchParams({
          page: to,
          ...(from ? { address: from } : {}),
          limit: String(limit),
        });
        return `${facts.baseUrl}/v3/${name}/${list.name}?${search.toString()}`;
      };
      return {
        items,
        paging: {
          first: urlOf('first'),
          next: urlOf('next', items.at(-1)?.address ?? address ?? undefined),
          previous: urlOf('previous', items[0]?.address ?? address ?? undefined),
          last: urlOf('last'),
        },
      };
    },
  });
}

function showRoute(list: List) {
  return mailgunRoute({
    method: 'GET',
    path: `/{domain}/${list.name}/{address}`,
    scope: 'contacts.read',
    permission: 'full',
    params: onePath,
    answer: shown,
    async handle({ db, caller, params }) {
      await findPathDomain(db, caller, params.domain);
      const found = await findSuppression(db, caller.teamId, list.reason, params.address);
      if (!found) throw notOn(list);
      return present(list, found);
    },
  });
}

function addRoute(list: List) {
  return mailgunRoute({
    method: 'POST',
    path: `/{domain}/${list.name}`,
    scope: 'contacts.write',
    permission: 'full',
    creates: 'suppressions',
    takesForms: true,
    params: z.object(domainPath),
    body: z.unknown(),
    answer: z.object({ message: z.string(), address: z.string().optional() }),
    async handle({ db, caller, params, body }) {
      await findPathDomain(db, caller, params.domain);
      const entries = readAdded(body);
      const found = entries.map(({ address }) => ({ teamId: caller.teamId, address }));
      await suppressAddresses(db, list.reason, found);
      if (Array.isArray(body))
        return { message: `${found.length} addresses have been added to the ${list.name} table` };
      const message = `Address has been added to the ${list.name} table`;
      return { message, address: found[0]!.address };
    },
  });
}

function removeRoute(list: List) {
  return mailgunRoute({
    method: 'DELETE',
    path: `/{domain}/${list.name}/{address}`,
    scope: 'contacts.write',
    permission: 'full',
    params: onePath,
    answer: z.object({ message: z.string(), address: z.string() }),
    async handle({ db, caller, params: { domain, address } }) {
      await findPathDomain(db, caller, domain);
      if ((await removeSuppressionsByReason(db, caller.teamId, list.reason, address)) === 0)
        throw notOn(list);
      return { message: list.removed, address };
    },
  });
}

function clearRoute(list: List) {
  return mailgunRoute({
    method: 'DELETE',
    path: `/{domain}/${list.name}`,
    scope: 'contacts.write',
    permission: 'full',
    params: z.object(domainPath),
    answer: z.object({ message: z.string() }),
    async handle({ db, caller, params }) {
      await findPathDomain(db, caller, params.domain);
      await removeSuppressionsByReason(db, caller.teamId, list.reason, null);
      return { message: list.allRemoved };
    },
  });
}

function readAdded(body: unknown) {
  const form =
    body instanceof FormBody ? Object.fromEntries(body.texts.map(({ name, value }) => [name, value])) : body;
  const entries = Array.isArray(form)
    ? validate(z.array(added).min(1).max(MAX_ADDED), form)
    : [validate(added, form)];
  for (const { tag, tags = [] } of entries)
    for (const each of [...tags, ...(tag === undefined ? [] : [tag])])
      if (each !== '*') throw invalidField('tag', 'must be *: an address is suppressed for all mail');
  return entries;
}

function notOn(list: List): AppError {
  return new AppError('NOT_FOUND', `Address not found in ${list.name} table`);
}

function present({ name }: List, { email, createdAt }: Suppression) {
  return {
    address: email,
    created_at: new Date(createdAt).toUTCString(),
    ...(name === 'bounces' ? { code: '550', error: '' } : {}),
    ...(name === 'unsubscribes' ? { tags: ['*'] } : {}),
  };
}
