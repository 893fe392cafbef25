import { versionRoutes } from '../content/versions/version-routes.ts';
import { findCampaign } from './campaign-row.ts';
import { restoreCampaign } from './campaign-versions.ts';
import { exampleCampaign } from './campaigns.routes.ts';
import { campaignSchema } from './campaigns.schema.ts';

const html = '<p>Dear {{firstName,fallback=friend}} …</p>';

export const campaignVersionRoutes = versionRoutes({
  noun: 'campaign',
  boundKeys: 'kept-to-domain',
  canConflict: true,
  kept: 'Earlier versions of the subject, preview text, content and A/B variants, newest first. A change stores a version if the last one is more than five minutes old, or if it removes more than half of the content.',
  restoring:
    'The subject, preview text, content and A/B variants of the version replace the current ones, which become a version themselves. This is allowed while the campaign can be updated (see `editable`).',
  answer: campaignSchema,
  example: {
    id: exampleCampaign.id,
    version: {
      id: 'ver_01kbd8x4zvf7m8rk2q3w5t6y7h',
      subject: 'New in November',
      savedAt: '2026-11-15T09:30:00.000Z',
      replacedAt: '2026-11-15T09:41:00.000Z',
      savedBy: 'user:usr_01kbd8x4zvf7m8rk2q3w5t6y7h',
      savedByName: 'Ada Lovelace',
      previewText: 'Three books for long evenings',
      html,
      text: null,
      translations: null,
      content: null,
      rendered: html,
      variants: null,
    },
    restored: exampleCampaign,
  },
  findOwner: async (db, caller, campaignId) => ({
    campaignId: (await findCampaign(db, caller, campaignId)).id,
  }),
  restore: restoreCampaign,
});
