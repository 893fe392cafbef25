import { route } from '../api/route.ts';
import { versionId, versionPage, versionQuery, versionSchema } from '../sending/versions/versions.schema.ts';
import { getCampaignVersion, listCampaignVersions, restoreCampaign } from './campaign-versions.ts';
import { exampleCampaign } from './campaigns.routes.ts';
import { campaignParams, campaignSchema } from './campaigns.schema.ts';

const shared = {
  group: 'Campaigns',
  permission: 'full',
  role: 'member',
  boundKeys: 'kept-to-domain',
} as const;

const listed = {
  id: 'ver_01kbd8x4zvf7m8rk2q3w5t6y7h',
  subject: 'New in November',
  savedAt: '2026-11-15T09:30:00.000Z',
  replacedAt: '2026-11-15T09:41:00.000Z',
};
const html = '<p>Dear {{firstName,fallback=friend}} …</p>';
const params = { campaignId: exampleCampaign.id, versionId: listed.id };
const versionParams = campaignParams.extend({ versionId });

export const campaignVersionRoutes = [
  route({
    ...shared,
    operationId: 'listCampaignVersions',
    method: 'GET',
    path: '/v1/campaigns/{campaignId}/versions',
    summary: 'List the versions of a campaign',
    description:
      'What the campaign contained before changes of its subject, preview text or content, newest first. A version is kept when the last one is more than five minutes old, and when a change removes more than half of the content. Versions are kept for 30 days, and at most 100.',
    errors: ['NOT_FOUND'],
    params: campaignParams,
    query: versionQuery,
    answer: versionPage,
    example: { params: { campaignId: params.campaignId }, answer: { items: [listed], next_cursor: null } },
    handle: ({ db, caller, params: { campaignId }, query }) =>
      listCampaignVersions(db, caller, campaignId, query),
  }),
  route({
    ...shared,
    operationId: 'getCampaignVersion',
    method: 'GET',
    path: '/v1/campaigns/{campaignId}/versions/{versionId}',
    summary: 'Get a version of a campaign',
    errors: ['NOT_FOUND'],
    params: versionParams,
    answer: versionSchema,
    example: {
      params,
      answer: {
        ...listed,
        previewText: 'Three books for long evenings',
        html,
        text: null,
        content: null,
        rendered: html,
      },
    },
    handle: ({ db, caller, params: { campaignId, versionId: id } }) =>
      getCampaignVersion(db, caller, campaignId, id),
  }),
  route({
    ...shared,
    operationId: 'restoreCampaignVersion',
    method: 'POST',
    path: '/v1/campaigns/{campaignId}/versions/{versionId}/restore',
    summary: 'Restore a version of a campaign',
    description:
      'The subject, preview text and content of the version replace the current ones, which become a version themselves. It is allowed when the campaign can be updated (see `editable`).',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: versionParams,
    answer: campaignSchema,
    example: { params, answer: exampleCampaign },
    handle: ({ db, caller, params: { campaignId, versionId: id } }) =>
      restoreCampaign(db, caller, campaignId, id),
  }),
];
