/** Earlier content of a campaign: subject, preview text, the parts of the email and the variants of its A/B test. */
import type { Db } from '../../platform/database/database.ts';
import { mailbox } from '../sending/emails/emails.schema.ts';
import type { Variant } from '../content/versions/variants.ts';
import { readVersionContent } from '../content/versions/versions.ts';
import { findCampaign, type CampaignAuthor } from './campaign-row.ts';
import { updateCampaign } from './campaigns.ts';
import type { Campaign } from './campaigns.schema.ts';

/** Allowed while the campaign can be changed. The replaced content becomes a version itself. */
export async function restoreCampaign(
  db: Db,
  caller: CampaignAuthor,
  campaignId: string,
  versionId: string,
): Promise<Campaign> {
  const { teamId, id } = await findCampaign(db, caller, campaignId);
  const version = await readVersionContent(db, teamId, { campaignId: id }, versionId);
  const { plain, subject, variants, translations, ...content } = version;
  // Versions from before variants and translations were stored do not change them.
  const update = {
    ...content,
    translations: translations ?? undefined,
    subject: subject!,
    text: plain,
    keepVersion: true,
  };
  if (variants === null) return updateCampaign(db, caller, campaignId, update);
  const test = variants.length > 0 ? variants.map(toInput) : null;
  return updateCampaign(db, caller, campaignId, { ...update, variants: test });
}

function toInput({ subject, sender, previewText, html, content }: Variant) {
  return { subject, from: sender === null ? null : mailbox.parse(sender), previewText, html, content };
}
