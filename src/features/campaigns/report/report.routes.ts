import { FileAnswer, route } from '../../api/route.ts';
import { campaignParams } from '../campaigns.schema.ts';
import { exportRecipients } from './export-recipients.ts';
import { RATE_BASES, ratesOf } from '../rates.ts';
import { listRecipients } from './recipients.ts';
import { recipientFileQuery, recipientPage, recipientQuery } from './recipients.schema.ts';
import { reportCampaign } from './report.ts';
import { campaignReport } from '../report.schema.ts';

const shared = {
  group: 'Campaigns',
  permission: 'full',
  role: 'member',
  boundKeys: 'kept-to-domain',
  errors: ['NOT_FOUND'],
} as const;

const params = { campaignId: 'cmp_01kbd8x4zvf7m8rk2q3w5t6y7h' };
const counts = {
  total: 1_000,
  sent: 1_000,
  delivered: 980,
  opened: 412,
  clicked: 96,
  bounced: 20,
  hardBounced: 14,
  complained: 1,
  unsubscribed: 5,
  machineOpened: 310,
  machineClicked: 22,
};
const tracked = { opens: true, clicks: true };

export const campaignReportRoutes = [
  route({
    ...shared,
    operationId: 'getCampaignReport',
    method: 'GET',
    path: '/v1/campaigns/{campaignId}/report',
    scope: 'campaigns.read',
    summary: 'Get the report of a campaign',
    readsReplica: true,
    description:
      'Opens and clicks are those of people. Those of bots, such as privacy proxies and link scanners, are counted separately in the fields that begin with `machine`. Each open and click counts once per recipient, in the timeline at its first time. Before the campaign starts, all counts are 0.',
    params: campaignParams,
    answer: campaignReport,
    example: {
      params,
      answer: {
        counts,
        rates: ratesOf(counts),
        rateBases: RATE_BASES,
        tracked,
        timeline: [
          {
            at: '2026-11-15T09:00:00.000Z',
            opened: 412,
            clicked: 96,
            unsubscribed: 5,
            machineOpened: 310,
            machineClicked: 22,
          },
        ],
        timelineInterval: 'hour',
        links: [{ url: 'https://example.com/november', clicks: 121, people: 96, machineClicks: 44 }],
        domains: [{ domain: 'example.org', sent: 600, delivered: 590, bounced: 10, opened: 260 }],
        otherDomains: { domains: 31, sent: 400, delivered: 390, bounced: 10, opened: 152 },
        languages: [
          { language: null, sent: 900, opened: 350, clicked: 90, unsubscribed: 2 },
          { language: 'de', sent: 280, opened: 120, clicked: 40, unsubscribed: 1 },
        ],
        bestHour: {
          withinHours: 24,
          holdoutPercent: 10,
          best: { sent: 1080, opened: 430, clicked: 120, unsubscribed: 3 },
          holdout: { sent: 120, opened: 40, clicked: 10, unsubscribed: 0 },
        },
        bounces: [{ reason: 'unknown_address', count: 14 }],
        bounceClasses: [{ class: 'invalid_recipient', count: 14 }],
        comparison: {
          campaigns: [
            {
              id: 'cmp_01kbd8x4zvf7m8rk2q3w5t6y7j',
              name: 'October news',
              startedAt: '2026-10-15T09:00:00.000Z',
              sent: 950,
              rates: ratesOf(counts),
              tracked,
            },
          ],
          average: ratesOf(counts),
        },
      },
    },
    handle: ({ db, caller, params: { campaignId } }) => reportCampaign(db, caller, campaignId),
  }),
  route({
    ...shared,
    operationId: 'listCampaignRecipients',
    method: 'GET',
    path: '/v1/campaigns/{campaignId}/recipients',
    scope: 'campaigns.read',
    summary: 'List the recipients of a campaign',
    readsReplica: true,
    description:
      'One entry per address, ordered by address. The list is created when the campaign starts. With `format=csv` or the header `Accept: text/csv`, the response is the file of `/recipients.csv`.',
    params: campaignParams,
    query: recipientQuery,
    answer: recipientPage,
    example: {
      params,
      query: { state: 'skipped' },
      answer: {
        items: [
          {
            email: 'ada@example.org',
            contactBookId: 'cbk_01kbd8x4zvf7m8rk2q3w5t6y7h',
            contactId: 'con_01kbd8x4zvf7m8rk2q3w5t6y7h',
            state: 'skipped',
            reason: 'unsubscribed',
            class: null,
            emailId: null,
            status: null,
            openedAt: null,
            clickedAt: null,
            variant: null,
            dueAt: null,
          },
        ],
        next_cursor: null,
      },
    },
    async handle({ db, caller, params: { campaignId }, query, header, throwIfDisconnected }) {
      const { format, ...list } = query;
      const { state, search } = list;
      if (format === 'csv' || (format === undefined && wantsCsv(header('accept')))) {
        const request = { caller, campaignId, filters: { state, search }, throwIfDisconnected };
        return toFile(campaignId, await exportRecipients(db, request));
      }
      return listRecipients(db, caller, campaignId, list);
    },
  }),
  route({
    ...shared,
    operationId: 'exportCampaignRecipients',
    method: 'GET',
    path: '/v1/campaigns/{campaignId}/recipients.csv',
    scope: 'campaigns.read',
    summary: 'Export the recipients of a campaign as a CSV file',
    description:
      'All recipients in the given state, ordered by address, as CSV (RFC 4180) in UTF-8. A cell that a spreadsheet would run as a formula gets an apostrophe in front.',
    params: campaignParams,
    query: recipientFileQuery,
    answer: 'text/csv',
    example: {
      params,
      query: { state: 'bounced' },
      answer:
        'email,state,reason,status,openedAt,clickedAt,contactId,emailId\r\nada@example.org,bounced,unknown_address,BOUNCED,,,con_01kbd8x4zvf7m8rk2q3w5t6y7h,eml_01kbd8x4zvf7m8rk2q3w5t6y7h\r\n',
    },
    async handle({ db, caller, params: { campaignId }, query, throwIfDisconnected }) {
      const request = { caller, campaignId, filters: query, throwIfDisconnected };
      return toFile(campaignId, await exportRecipients(db, request));
    },
  }),
];

/** JSON is the default, also for clients that accept any type. */
function wantsCsv(accept: string | undefined): boolean {
  const types = (accept ?? '')
    .toLowerCase()
    .split(',')
    .map((type) => type.split(';', 1)[0]!.trim());
  return types.includes('text/csv') && !types.includes('application/json');
}

function toFile(campaignId: string, chunks: AsyncIterable<string>): FileAnswer {
  return new FileAnswer('text/csv; charset=utf-8', `recipients-${campaignId}.csv`, chunks);
}
