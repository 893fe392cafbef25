/** All message streams share the suppressions of the team. */
import { z } from 'zod';
import type { Suppression } from '../../../features/sending/suppressions/suppressions.schema.ts';
import {
  findSuppressionReasons,
  listSuppressions,
  suppressAddresses,
  unsuppressAddresses,
} from '../../../features/sending/suppressions/suppressions.ts';
import { parseAddress } from '../../../mail/mime/address.ts';
import { badRequest } from '../../../platform/errors.ts';
import { text } from '../../../platform/schema.ts';
import { collect } from '../mapping/offset-list.ts';
import { listQuery, postmarkRoute, readDateRange } from './postmark-route.ts';

const MAX_CHANGES = 50;
/** Postmark returns all of them in one response. */
const MAX_DUMP = 20_000;
const REASONS = {
  HARD_BOUNCE: 'HardBounce',
  COMPLAINT: 'SpamComplaint',
  MANUAL: 'ManualSuppression',
  ERASED: 'ManualSuppression',
} as const;
const ORIGINS = {
  HARD_BOUNCE: 'Recipient',
  COMPLAINT: 'Recipient',
  MANUAL: 'Customer',
  ERASED: 'Customer',
} as const;

const params = z.object({ streamId: text({ min: 1, max: 100 }) });
/** SDKs with one type for requests and responses send the other fields too. */
const entry = z.strictObject({
  EmailAddress: text({ min: 1, max: 320 }),
  SuppressionReason: z.unknown().optional(),
  Origin: z.unknown().optional(),
  CreatedAt: z.unknown().optional(),
});
const changes = z.strictObject({
  Suppressions: z.array(entry).min(1).max(MAX_CHANGES),
});
const changed = z.object({
  Suppressions: z.array(
    z.object({ EmailAddress: z.string(), Status: z.string(), Message: z.string().nullable() }),
  ),
});

export const suppressionRoutes = [
  postmarkRoute({
    method: 'GET',
    path: '/message-streams/{streamId}/suppressions/dump',
    scope: 'contacts.read',
    permission: 'full',
    params,
    query: listQuery('suppressionreason', 'origin', 'fromdate', 'todate', 'emailaddress'),
    answer: z.object({
      Suppressions: z.array(
        z.object({
          EmailAddress: z.string(),
          SuppressionReason: z.string(),
          Origin: z.string(),
          CreatedAt: z.string(),
        }),
      ),
    }),
    async handle({ db, teamId, query }) {
      const [from, until] = readDateRange(query);
      const { items } = await collect(
        { offset: 0, count: MAX_DUMP },
        (page) =>
          listSuppressions(db, teamId, {
            ...page,
            email: query.emailaddress,
            reason: readReason(query.suppressionreason),
          }),
        ({ reason, createdAt }) => {
          const at = Date.parse(createdAt);
          return (query.origin === undefined || ORIGINS[reason] === query.origin) && at >= from && at < until;
        },
      );
      return { Suppressions: items.map(present) };
    },
  }),
  postmarkRoute({
    method: 'POST',
    path: '/message-streams/{streamId}/suppressions',
    scope: 'contacts.write',
    permission: 'full',
    creates: 'suppressions',
    params,
    body: changes,
    answer: changed,
    async handle({ db, teamId, body }) {
      const addresses = body.Suppressions.map(({ EmailAddress }) => EmailAddress);
      const valid = addresses.filter((address) => parseAddress(address) !== null);
      await suppressAddresses(
        db,
        'MANUAL',
        valid.map((address) => ({ teamId, address })),
      );
      return report(addresses, (address) => (valid.includes(address) ? 'Suppressed' : null));
    },
  }),
  postmarkRoute({
    method: 'POST',
    path: '/message-streams/{streamId}/suppressions/delete',
    scope: 'contacts.write',
    permission: 'full',
    params,
    body: changes,
    answer: changed,
    async handle({ db, teamId, body }) {
      const addresses = body.Suppressions.map(({ EmailAddress }) => EmailAddress);
      await unsuppressAddresses(db, teamId, addresses, ['HARD_BOUNCE', 'MANUAL']);
      const left = await findSuppressionReasons(db, teamId, addresses.map(keyOf));
      return report(
        addresses,
        (address) => (keyOf(address) === '' || left.has(keyOf(address)) ? null : 'Deleted'),
        'The address is not valid, or its owner reported spam.',
      );
    },
  }),
];

function keyOf(address: string): string {
  return parseAddress(address)?.key ?? '';
}

function readReason(name: string | undefined): Suppression['reason'] | undefined {
  if (name === undefined) return undefined;
  const found = Object.entries(REASONS).find(([, theirs]) => theirs === name);
  if (!found) throw badRequest(`suppressionreason must be one of ${Object.values(REASONS).join(', ')}.`);
  return found[0] as Suppression['reason'];
}

function report(
  addresses: string[],
  statusOf: (address: string) => string | null,
  failure = 'The address is not valid.',
) {
  return {
    Suppressions: addresses.map((EmailAddress) => {
      const status = statusOf(EmailAddress);
      return { EmailAddress, Status: status ?? 'Failed', Message: status === null ? failure : null };
    }),
  };
}

function present({ email, reason, createdAt }: Suppression) {
  return {
    EmailAddress: email,
    SuppressionReason: REASONS[reason],
    Origin: ORIGINS[reason],
    CreatedAt: createdAt,
  };
}
