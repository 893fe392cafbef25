import { z } from 'zod';
import { countBounces } from '../../../features/activity/analytics/analytics.ts';
import {
  getBounce,
  listOutcomes,
  type EmailEventItem,
} from '../../../features/activity/email-log/list-outcomes.ts';
import {
  countSuppressions,
  findSuppressionReasons,
  unsuppressAddresses,
} from '../../../features/sending/suppressions/suppressions.ts';
import { parseAddress } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import { badRequest, notFound } from '../../../platform/errors.ts';
import { toIdNumber } from '../../../platform/id-numbers.ts';
import { collect } from '../mapping/offset-list.ts';
import { bounceTypeOf, HARD, SOFT, SPAM } from './bounce-types.ts';
import { includes, isOf, streamOf, tagOf, textOf } from './messages.ts';
import { listQuery, postmarkRoute, readDateRange } from './postmark-route.ts';

const params = z.object({ bounceId: z.string().max(100) });
const bounce = z.object({
  RecordType: z.literal('Bounce'),
  ID: z.int(),
  Type: z.string(),
  TypeCode: z.int(),
  Name: z.string(),
  Tag: z.string(),
  MessageID: z.string(),
  ServerID: z.int(),
  MessageStream: z.string(),
  Description: z.string(),
  Details: z.string(),
  Email: z.string(),
  From: z.string(),
  BouncedAt: z.string(),
  DumpAvailable: z.boolean(),
  Inactive: z.boolean(),
  CanActivate: z.boolean(),
  Subject: z.string(),
  Content: z.string().optional(),
});
const readable = {
  method: 'GET' as const,
  permission: 'full' as const,
  boundKeys: 'kept-to-domain' as const,
};

export const bounceRoutes = [
  postmarkRoute({
    method: 'GET',
    path: '/deliveryStats',
    scope: 'mail.read',
    permission: 'full',
    answer: z.object({
      InactiveMails: z.int(),
      Bounces: z.array(z.object({ Name: z.string(), Count: z.int(), Type: z.string().optional() })),
    }),
    async handle({ db, caller, teamId }) {
      const { hard, soft, complaints } = await countBounces(db, caller);
      return {
        InactiveMails: await countSuppressions(db, teamId),
        Bounces: [
          { Name: 'All', Count: hard + soft + complaints },
          count(HARD, hard),
          count(SOFT, soft),
          count(SPAM, complaints),
        ],
      };
    },
  }),
  postmarkRoute({
    ...readable,
    path: '/bounces',
    scope: 'mail.read',
    query: listQuery(
      'type',
      'inactive',
      'emailfilter',
      'messageid',
      'tag',
      'todate',
      'fromdate',
      'messagestream',
    ),
    answer: z.object({ TotalCount: z.int(), Bounces: z.array(bounce) }),
    async handle({ db, caller, query }) {
      if (query.inactive !== undefined)
        throw badRequest('inactive is not supported as a filter. Read the suppressions instead.');
      const [from, until] = readDateRange(query);
      const { items, total } = await collect(
        query,
        (page) => listOutcomes(db, caller, { ...page, types: ['email.bounced', 'email.complained'] }),
        (event) => {
          const at = Date.parse(event.createdAt);
          return (
            isOf(event, query) &&
            includes(event.recipient, query.emailfilter) &&
            (query.messageid === undefined || event.emailId === query.messageid) &&
            (query.type === undefined || typeOf(event).Type === query.type) &&
            at >= from &&
            at < until
          );
        },
      );
      return { TotalCount: total, Bounces: await present(db, caller.teamId, items) };
    },
  }),
  postmarkRoute({
    ...readable,
    path: '/bounces/{bounceId}',
    scope: 'mail.read',
    params,
    answer: bounce,
    async handle({ db, caller, params: { bounceId } }) {
      const event = await getBounce(db, caller, readId(bounceId));
      const [shown] = await present(db, caller.teamId, [event]);
      return { ...shown!, Content: dumpOf(event) };
    },
  }),
  postmarkRoute({
    ...readable,
    path: '/bounces/{bounceId}/dump',
    scope: 'mail.read',
    params,
    answer: z.object({ Body: z.string() }),
    handle: async ({ db, caller, params: { bounceId } }) => ({
      Body: dumpOf(await getBounce(db, caller, readId(bounceId))),
    }),
  }),
  postmarkRoute({
    method: 'PUT',
    path: '/bounces/{bounceId}/activate',
    scope: 'contacts.write',
    permission: 'full',
    params,
    answer: z.object({ Message: z.literal('OK'), Bounce: bounce }),
    async handle({ db, caller, params: { bounceId } }) {
      const event = await getBounce(db, caller, readId(bounceId));
      if (typeOf(event) === SPAM)
        throw badRequest(
          'The recipient reported the email as spam, so the address cannot be activated here.',
        );
      await unsuppressAddresses(db, caller.teamId, [event.recipient], ['HARD_BOUNCE', 'MANUAL']);
      const [shown] = await present(db, caller.teamId, [event]);
      return { Message: 'OK' as const, Bounce: shown! };
    },
  }),
];

function count({ Name, Type }: typeof HARD, Count: number) {
  return { Name, Count, Type };
}

function readId(text: string): number {
  if (!/^\d{1,16}$/.test(text)) throw notFound('Bounce', 'no-such-bounce');
  return Number(text);
}

function typeOf({ type, data }: EmailEventItem): typeof HARD {
  return bounceTypeOf(type, data) ?? HARD;
}

function dumpOf({ data }: EmailEventItem): string {
  const lines: unknown = data.transcript;
  return Array.isArray(lines) ? lines.join('\n') : '';
}

function keyOf({ recipient }: EmailEventItem): string {
  return parseAddress(recipient)?.key ?? '';
}

async function present(db: Db, teamId: number, events: EmailEventItem[]) {
  const suppressed = await findSuppressionReasons(db, teamId, events.map(keyOf));
  return events.map((event) => {
    const type = typeOf(event);
    const isInactive = suppressed.has(keyOf(event));
    return {
      RecordType: 'Bounce' as const,
      ID: toIdNumber('evt', event.id),
      ...type,
      Tag: tagOf(event),
      MessageID: event.emailId,
      ServerID: teamId,
      MessageStream: streamOf(event),
      Description: textOf(event.data.reason),
      Details: textOf(event.data.text) || textOf(event.data.reason),
      Email: event.recipient,
      From: event.from,
      BouncedAt: event.createdAt,
      DumpAvailable: dumpOf(event) !== '',
      Inactive: isInactive,
      CanActivate: isInactive && type !== SPAM,
      Subject: event.subject,
    };
  });
}
