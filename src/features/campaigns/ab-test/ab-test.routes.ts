import { route } from '../../api/route.ts';
import { chooseWinner, readVariantResults } from './ab-test.ts';
import { campaignDone, campaignParams } from '../campaigns.schema.ts';
import { variantResults, winnerInput } from '../variants.schema.ts';

const shared = {
  group: 'Campaigns',
  permission: 'full',
  role: 'member',
  boundKeys: 'kept-to-domain',
  params: campaignParams,
} as const;

const params = { campaignId: 'cmp_01kbd8x4zvf7m8rk2q3w5t6y7h' };
const counts = { recipients: 100, sent: 100, delivered: 99 };

export const abTestRoutes = [
  route({
    ...shared,
    operationId: 'getCampaignVariants',
    method: 'GET',
    path: '/v1/campaigns/{campaignId}/variants',
    scope: 'campaigns.read',
    summary: 'Get the results of an A/B test',
    description: 'The counts of each variant. Without an A/B test the list is empty.',
    errors: ['NOT_FOUND'],
    answer: variantResults,
    example: {
      params,
      answer: {
        variants: [
          { variant: 0, subject: 'New in November', ...counts, opened: 41, clicked: 7 },
          { variant: 1, subject: 'Three books for you', ...counts, opened: 52, clicked: 9 },
        ],
        winner: null,
        testSentAt: '2026-11-15T09:30:00.000Z',
        decideAt: '2026-11-15T13:30:00.000Z',
      },
    },
    handle: ({ db, caller, params: { campaignId } }) => readVariantResults(db, caller, campaignId),
  }),
  route({
    ...shared,
    operationId: 'chooseCampaignWinner',
    method: 'POST',
    path: '/v1/campaigns/{campaignId}/winner',
    scope: 'campaigns.send',
    summary: 'Choose the winner of an A/B test',
    description:
      'All other recipients get this variant. You can choose once the test has been sent and until the winner is chosen, even if opens or clicks would decide.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    body: winnerInput,
    answer: campaignDone,
    example: { params, body: { variant: 1 }, answer: { success: true } },
    async handle({ db, caller, params: { campaignId }, body }) {
      await chooseWinner(db, caller, campaignId, body.variant);
      return { success: true };
    },
  }),
];
