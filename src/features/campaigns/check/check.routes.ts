import { route } from '../../api/route.ts';
import { campaignParams } from '../campaigns.schema.ts';
import { checkCampaign } from './check-campaign.ts';
import { campaignCheck, checkQuery, MAX_CHECKED_LINKS } from './check.schema.ts';

const params = { campaignId: 'cmp_01kbd8x4zvf7m8rk2q3w5t6y7h' };

export const campaignCheckRoutes = [
  route({
    operationId: 'checkCampaign',
    method: 'GET',
    path: '/v1/campaigns/{campaignId}/check',
    scope: 'campaigns.read',
    group: 'Campaigns',
    summary: 'Check a campaign before it is sent',
    description: `Lists the problems of the campaign and counts who would get it. Up to ${MAX_CHECKED_LINKS} links and images are requested, for up to 15 seconds, to see whether they work. A spam filter scores the email, and blocklists are asked about the domains of its links. Private addresses are requested only if WEBHOOK_ALLOW_PRIVATE is on. Nothing is sent.`,
    heavy: 'reads',
    permission: 'full',
    role: 'member',
    boundKeys: 'kept-to-domain',
    errors: ['NOT_FOUND'],
    params: campaignParams,
    query: checkQuery,
    answer: campaignCheck,
    example: {
      params,
      answer: {
        ready: true,
        findings: [
          {
            code: 'broken_links',
            level: 'warning',
            message: '1 link or image cannot be reached. Correct or remove it.',
            variant: null,
            places: ['https://example.com/old'],
          },
        ],
        links: [
          {
            url: 'https://example.com/old',
            kind: 'link',
            tracked: true,
            state: 'broken',
            statusCode: 404,
            problem: null,
          },
        ],
        linksLeftOut: 0,
        htmlBytes: 8_412,
        spam: { by: 'rspamd', score: 1.2, spamFrom: 6, isSpam: false, reasons: [] },
        oneClick: true,
        days: 1,
        sender: { domain: 'example.com', dkimAligned: true, spfAligned: true, dmarcRecord: true },
        audience: {
          contacts: 1_120,
          recipients: 1_000,
          leftOut: [
            { reason: 'unsubscribed', count: 104 },
            { reason: 'suppressed', count: 16 },
          ],
          books: [
            { id: 'cbk_01kbd8x4zvf7m8rk2q3w5t6y7h', name: 'Readers', contacts: 1_120, recipients: 1_000 },
          ],
          segment: null,
          topic: null,
        },
      },
    },
    handle: ({ db, caller, facts, params: { campaignId }, query }) =>
      checkCampaign(db, caller, campaignId, query, facts),
  }),
];
