import { z } from 'zod';
import {
  listRecipientsByOutcome,
  type RecipientWithOutcome,
} from '../../../../features/campaigns/report/recipients-by-outcome.ts';
import { badRequest } from '../../../../platform/errors.ts';
import { pathId, text } from '../../../../platform/schema.ts';
import { listOf, listQueryWith, toList, toPageRequest } from '../routing/lists.ts';
import { resendRoute } from '../routing/resend-route.ts';

const outcome = z.enum([
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'unsubscribed',
  'suppressed',
]);
const recipient = z.object({
  id: z.string(),
  contact_id: z.string().nullable(),
  email: z.string(),
  count: z.int().optional(),
  clicked_links: z.array(z.object({ url: z.string(), clicks: z.int() })).optional(),
  bounce_type: z.string().optional(),
});

export const resendRecipientRoutes = [
  resendRoute({
    method: 'GET',
    path: '/broadcasts/{id}/recipients',
    scope: 'campaigns.read',
    permission: 'full',
    boundKeys: 'kept-to-domain',
    params: z.object({ id: pathId() }),
    query: listQueryWith({
      type: outcome,
      email: text({ min: 1, max: 320 }).optional(),
      bounce_type: text({ max: 50 }).optional(),
    }),
    answer: listOf(recipient),
    async handle({ db, caller, params: { id }, query: { type, email, bounce_type, ...query } }) {
      if (bounce_type !== undefined) throw badRequest('bounce_type is not supported as a filter.');
      const wanted = { ...toPageRequest(query), outcome: type, email };
      return toList(await listRecipientsByOutcome(db, caller, id, wanted), (each) => present(each, type));
    },
  }),
];

function present(
  { id, contactId, email, count, bounceType, links }: RecipientWithOutcome,
  type: z.output<typeof outcome>,
) {
  const base = { id, contact_id: contactId, email };
  if (type === 'opened') return { ...base, count };
  if (type === 'clicked') return { ...base, count, clicked_links: links };
  if (type !== 'bounced') return base;
  const kinds = { hard: 'permanent', soft: 'transient' };
  return { ...base, bounce_type: bounceType ? kinds[bounceType] : 'undetermined' };
}
