import { route } from '../api/route.ts';
import { renderBody } from '../content/mjml.ts';
import { publicLinksOf } from '../content/links/links.ts';
import { listCampaigns } from './campaign-row.ts';
import {
  campaignDone,
  campaignInput,
  campaignList,
  campaignParams,
  campaignPreview,
  campaignPreviewInput,
  campaignQuery,
  campaignSchedule,
  campaignSchema,
  campaignTest,
  campaignTested,
  campaignUpdate,
  type Campaign,
} from './campaigns.schema.ts';
import { createCampaign, deleteCampaign, getCampaign, updateCampaign } from './campaigns.ts';
import { previewCampaign } from './preview-campaign.ts';
import { ratesOf } from './rates.ts';
import { pauseCampaign, resumeCampaign, scheduleCampaign, unscheduleCampaign } from './states.ts';
import { testCampaign } from './test-campaign.ts';

const shared = {
  group: 'Campaigns',
  permission: 'full',
  role: 'member',
  boundKeys: 'kept-to-domain',
} as const;

const NOTHING = { sent: 0, delivered: 0, opened: 0, clicked: 0, bounced: 0, complained: 0, unsubscribed: 0 };
const listed = {
  id: 'cmp_01kbd8x4zvf7m8rk2q3w5t6y7h',
  name: 'November news',
  from: 'Harbour Books <news@example.com>',
  subject: 'New in November, {{firstName,fallback=friend}}',
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
  status: 'DRAFT' as const,
  scheduledAt: null,
  total: 0,
  sent: 0,
  delivered: 0,
  opened: 0,
  clicked: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
  rates: ratesOf(NOTHING),
  tracked: { opens: true, clicks: true },
  contactBookId: 'cbk_01kbd8x4zvf7m8rk2q3w5t6y7h',
  topicId: null,
  segmentId: null,
};
const example: Campaign = {
  ...listed,
  statusReason: null,
  editable: true,
  previewText: 'Three books for long evenings',
  html: '<p>Dear {{firstName,fallback=friend}} …</p>',
  text: null,
  translations: null,
  content: null,
  contactBookIds: [listed.contactBookId],
  excludeSegmentIds: [],
  excludeCampaignId: null,
  notOpened: false,
  batchSize: 500,
  batchWindowMinutes: 0,
  ratePerMinute: null,
  tracking: { opens: null, clicks: null },
  hardBounced: 0,
  replyTo: [],
  cc: [],
  bcc: [],
  startedAt: null,
  sentAt: null,
  localTime: null,
  bestHour: null,
  showInArchive: false,
  contentSavedAt: '2026-11-15T09:30:00.000Z',
  variants: null,
  testPercent: 20,
  decideBy: 'opens',
  decideAfterMinutes: 240,
  testSentAt: null,
  winner: null,
  decidedAt: null,
};
/** The example in the documentation. */
export const exampleCampaign = example;
const params = { campaignId: example.id };
const done = { success: true };

export const campaignRoutes = [
  route({
    ...shared,
    operationId: 'createCampaign',
    method: 'POST',
    creates: 'campaigns',
    path: '/v1/campaigns',
    scope: 'campaigns.write',
    summary: 'Create a campaign',
    description:
      'The campaign is a DRAFT unless you send `sendNow` or `scheduledAt`, for which a key with scopes needs `campaigns.send`. Every email gets a `List-Unsubscribe` header for one-click unsubscribe. If the content has no `{{unsubscribeUrl}}`, an unsubscribe link is added at the end.',
    errors: ['NOT_FOUND'],
    body: campaignInput,
    answer: campaignSchema,
    example: {
      body: {
        name: example.name,
        from: example.from,
        subject: example.subject,
        previewText: example.previewText,
        contactBookId: listed.contactBookId,
        html: example.html,
      },
      answer: example,
    },
    prepare: ({ teamId, body }) => renderBody(teamId, body),
    handle: ({ db, caller, body }) => createCampaign(db, caller, body),
  }),
  route({
    ...shared,
    operationId: 'listCampaigns',
    method: 'GET',
    path: '/v1/campaigns',
    scope: 'campaigns.read',
    summary: 'List campaigns',
    readsReplica: true,
    description: 'Newest first, 30 per page. A page past the end is empty.',
    query: campaignQuery,
    answer: campaignList,
    example: { query: { page: '1', status: 'DRAFT' }, answer: { campaigns: [listed], totalPage: 1 } },
    handle: ({ db, caller, query }) => listCampaigns(db, caller, query),
  }),
  route({
    ...shared,
    operationId: 'getCampaign',
    method: 'GET',
    path: '/v1/campaigns/{campaignId}',
    scope: 'campaigns.read',
    summary: 'Get a campaign',
    errors: ['NOT_FOUND'],
    params: campaignParams,
    answer: campaignSchema,
    example: { params, answer: example },
    handle: ({ db, caller, params: { campaignId } }) => getCampaign(db, caller, campaignId),
  }),
  route({
    ...shared,
    operationId: 'updateCampaign',
    method: 'PATCH',
    path: '/v1/campaigns/{campaignId}',
    scope: 'campaigns.write',
    summary: 'Update a campaign',
    description:
      'Only the fields you send are changed. `null` clears optional fields. A campaign can be updated while it is a DRAFT, or while it is SCHEDULED or PAUSED and no recipient has been queued yet (see `editable`); otherwise the response is 409. A SCHEDULED campaign keeps its send time, and a change that would prevent it from being sent is rejected with 400.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: campaignParams,
    body: campaignUpdate,
    answer: campaignSchema,
    example: { params, body: { name: example.name }, answer: example },
    prepare: ({ teamId, body }) => renderBody(teamId, body),
    handle: ({ db, caller, params: { campaignId }, body }) => updateCampaign(db, caller, campaignId, body),
  }),
  route({
    ...shared,
    operationId: 'deleteCampaign',
    method: 'DELETE',
    path: '/v1/campaigns/{campaignId}',
    scope: 'campaigns.write',
    summary: 'Delete a campaign',
    description:
      'A campaign can be deleted in every state except RUNNING. Emails that were already sent keep their history and statistics.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: campaignParams,
    answer: campaignSchema,
    example: { params, answer: example },
    handle: ({ db, caller, params: { campaignId } }) => deleteCampaign(db, caller, campaignId),
  }),
  route({
    ...shared,
    operationId: 'scheduleCampaign',
    method: 'POST',
    path: '/v1/campaigns/{campaignId}/schedule',
    scope: 'campaigns.send',
    summary: 'Schedule or send a campaign',
    description:
      'The campaign must be DRAFT, SCHEDULED (to change its time) or PAUSED. If a merge tag has no fallback and is not a field, variable or property of any contact, the request is rejected with 400. The recipient list is created when the campaign starts: all contacts who are then subscribed, not suppressed, and in the segment and topic, and whom `excludeCampaignId` does not exclude. Contacts added later do not get the campaign, and contacts who unsubscribe before their email is sent are skipped. The campaign is paused automatically, with the reason in `statusReason`, if its domain is no longer verified, if its contact book, topic, one of its segments or the campaign in `excludeCampaignId` is deleted before it starts, if its content cannot be rendered, or if 100 emails in a row are rejected.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: campaignParams,
    body: campaignSchedule,
    answer: campaignDone,
    example: { params, body: { scheduledAt: '2026-12-01T09:00:00Z', batchSize: 500 }, answer: done },
    async handle({ db, caller, params: { campaignId }, body }) {
      await scheduleCampaign(db, caller, campaignId, body);
      return done;
    },
  }),
  route({
    ...shared,
    operationId: 'unscheduleCampaign',
    method: 'POST',
    path: '/v1/campaigns/{campaignId}/unschedule',
    scope: 'campaigns.send',
    storesLittle: true,
    summary: 'Unschedule a campaign',
    description:
      'Turns the campaign back into a DRAFT without a send time. The campaign must be SCHEDULED, or PAUSED with no recipient queued yet. If it starts at the same moment, the response is 409 and the campaign runs.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: campaignParams,
    answer: campaignDone,
    example: { params, answer: done },
    async handle({ db, caller, params: { campaignId } }) {
      await unscheduleCampaign(db, caller, campaignId);
      return done;
    },
  }),
  route({
    ...shared,
    operationId: 'pauseCampaign',
    method: 'POST',
    path: '/v1/campaigns/{campaignId}/pause',
    scope: 'campaigns.send',
    storesLittle: true,
    summary: 'Pause a campaign',
    description: 'Sending stops within a second. Pausing a paused campaign has no effect.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: campaignParams,
    answer: campaignDone,
    example: { params, answer: done },
    async handle({ db, caller, params: { campaignId } }) {
      await pauseCampaign(db, caller, campaignId);
      return done;
    },
  }),
  route({
    ...shared,
    operationId: 'resumeCampaign',
    method: 'POST',
    path: '/v1/campaigns/{campaignId}/resume',
    scope: 'campaigns.send',
    summary: 'Resume a campaign',
    description:
      'Sending continues where it stopped. If the send time is still in the future, the campaign is SCHEDULED again.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: campaignParams,
    answer: campaignDone,
    example: { params, answer: done },
    async handle({ db, caller, params: { campaignId } }) {
      await resumeCampaign(db, caller, campaignId);
      return done;
    },
  }),
  route({
    ...shared,
    operationId: 'testCampaign',
    method: 'POST',
    path: '/v1/campaigns/{campaignId}/test',
    scope: 'campaigns.send',
    summary: 'Send a test email',
    description:
      'Sends the campaign to the given addresses, in any state. Test emails do not count in the statistics of the campaign.',
    heavy: 'messages',
    errors: ['NOT_FOUND'],
    params: campaignParams,
    body: campaignTest,
    answer: campaignTested,
    example: {
      params,
      body: { to: ['ada@example.org'] },
      answer: { success: true, emailIds: ['eml_01kbd8x4zvf7m8rk2q3w5t6y7h'] },
    },
    async handle({ db, caller, facts, params: { campaignId }, body }) {
      const emailIds = await testCampaign(db, caller, campaignId, body, publicLinksOf(facts));
      facts.wakeDeliveryWorkers();
      return { success: true, emailIds };
    },
  }),
  route({
    ...shared,
    operationId: 'previewCampaign',
    method: 'POST',
    path: '/v1/campaigns/{campaignId}/preview',
    scope: 'campaigns.read',
    storesLittle: true,
    summary: 'Preview a campaign',
    description:
      'Renders the campaign for one contact, in any state, without tracking. Nothing is sent. If the address is not a contact in the book, the campaign is rendered for a contact without any fields.',
    errors: ['NOT_FOUND'],
    params: campaignParams,
    body: campaignPreviewInput,
    answer: campaignPreview,
    example: {
      params,
      body: { to: 'ada@example.org' },
      answer: {
        to: 'ada@example.org',
        subject: 'New in November, Ada',
        html: '<p>Dear Ada …</p>',
        text: 'Dear Ada …',
      },
    },
    handle: ({ db, caller, facts, params: { campaignId }, body }) =>
      previewCampaign(db, caller, campaignId, body, publicLinksOf(facts)),
  }),
];
