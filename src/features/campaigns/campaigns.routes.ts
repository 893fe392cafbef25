import { route } from '../../platform/route.ts';
import { publicLinksOf } from '../tracking/links.ts';
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
  recipientPage,
  recipientQuery,
  type Campaign,
} from './campaigns.schema.ts';
import { createCampaign, deleteCampaign, getCampaign, updateCampaign } from './campaigns.ts';
import { previewCampaign } from './preview-campaign.ts';
import { listRecipients } from './recipients.ts';
import { pauseCampaign, resumeCampaign, scheduleCampaign, unscheduleCampaign } from './states.ts';
import { testCampaign } from './test-campaign.ts';

const shared = {
  group: 'Campaigns',
  permission: 'full',
  role: 'member',
  boundKeys: 'kept-to-domain',
} as const;

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
  unsubscribed: 0,
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
  content: null,
  contactBookIds: [listed.contactBookId],
  excludeSegmentIds: [],
  batchSize: 500,
  batchWindowMinutes: 0,
  ratePerMinute: null,
  tracking: { opens: null, clicks: null },
  opened: 0,
  clicked: 0,
  bounced: 0,
  hardBounced: 0,
  complained: 0,
  replyTo: [],
  cc: [],
  bcc: [],
  startedAt: null,
  sentAt: null,
};
const params = { campaignId: example.id };
const done = { success: true };

export const campaignRoutes = [
  route({
    ...shared,
    operationId: 'createCampaign',
    method: 'POST',
    creates: 'campaigns',
    path: '/v1/campaigns',
    summary: 'Create a campaign',
    description:
      'A DRAFT, unless `sendNow` or `scheduledAt` is given. Every mail gets `List-Unsubscribe` for one click, and a link at its foot when the content has no `{{unsubscribeUrl}}`.',
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
    handle: ({ db, caller, body }) => createCampaign(db, caller, body),
  }),
  route({
    ...shared,
    operationId: 'listCampaigns',
    method: 'GET',
    path: '/v1/campaigns',
    summary: 'List campaigns',
    description: 'Newest first, 30 a page. A page past the end is empty.',
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
    summary: 'Change a campaign',
    description:
      'Replaces what it names; `null` clears what can be empty. Possible while it is a DRAFT, and while it is SCHEDULED or PAUSED before the first recipient was released (`editable` in the answer); otherwise 409. A SCHEDULED campaign keeps its time, and a change that would keep it from being sent is refused with 400.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: campaignParams,
    body: campaignUpdate,
    answer: campaignSchema,
    example: { params, body: { name: example.name }, answer: example },
    handle: ({ db, caller, params: { campaignId }, body }) => updateCampaign(db, caller, campaignId, body),
  }),
  route({
    ...shared,
    operationId: 'deleteCampaign',
    method: 'DELETE',
    path: '/v1/campaigns/{campaignId}',
    summary: 'Delete a campaign',
    description: 'In every state but RUNNING. What was sent keeps its emails and counts.',
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
    summary: 'Schedule a campaign, or start it now',
    description:
      'From DRAFT, SCHEDULED (to change its time) and PAUSED. A merge tag without a fallback that is no field, variable or property of any contact of its books is refused (400) and named. The audience is fixed when it starts: who is subscribed, not suppressed, and in segment and topic then. Contacts that are added later do not get it; who leaves before their turn is skipped. It pauses itself, and says why in `statusReason`, when its domain is not verified any more, its book, a segment or its topic is deleted before it starts, its content cannot be rendered, or 100 letters in a row are refused.',
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
    summary: 'Turn a scheduled campaign back into a draft',
    description:
      'From SCHEDULED, and from PAUSED before the first recipient was released. It is a DRAFT then, without a time. A campaign that starts at the same moment answers 409 and runs.',
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
    summary: 'Pause a campaign',
    description: 'New sends stop within a second. Pausing again is fine.',
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
    summary: 'Go on with a paused campaign',
    description: 'Where it was; one whose time is still to come is SCHEDULED again.',
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
    summary: 'Send a test of a campaign',
    description: 'To the given addresses, in any state. Nothing of it counts for the campaign.',
    heavy: 'letters',
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
      const emailIds = await testCampaign(db, caller, campaignId, body.to, publicLinksOf(facts));
      facts.wakeCouriers();
      return { success: true, emailIds };
    },
  }),
  route({
    ...shared,
    operationId: 'previewCampaign',
    method: 'POST',
    path: '/v1/campaigns/{campaignId}/preview',
    summary: 'See what a campaign says to a contact',
    description:
      'Rendered as it is when it is sent, in any state, less what counts its reader. Nothing is sent. An address that is no contact of the book reads what a contact without any fields does.',
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
      previewCampaign(db, caller, campaignId, body.to ?? undefined, publicLinksOf(facts)),
  }),
  route({
    ...shared,
    operationId: 'listCampaignRecipients',
    method: 'GET',
    path: '/v1/campaigns/{campaignId}/recipients',
    summary: 'List who gets a campaign',
    description: 'The ledger: one row for each address, made when the campaign starts. By address.',
    errors: ['NOT_FOUND'],
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
            contactBookId: listed.contactBookId,
            contactId: 'con_01kbd8x4zvf7m8rk2q3w5t6y7h',
            state: 'skipped',
            reason: 'unsubscribed',
            emailId: null,
            status: null,
          },
        ],
        next_cursor: null,
      },
    },
    handle: ({ db, caller, params: { campaignId }, query }) => listRecipients(db, caller, campaignId, query),
  }),
];
