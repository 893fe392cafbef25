/** Earlier content of a campaign: subject, preview text and the parts of the email, without A/B variants. */
import type { Db } from '../../platform/database.ts';
import type { Page, PageRequest } from '../../platform/pages.ts';
import { getVersion, listVersions, readVersionContent } from '../sending/versions/versions.ts';
import type { Version, VersionListItem } from '../sending/versions/versions.schema.ts';
import { findCampaign, type CampaignCaller } from './campaign-row.ts';
import { updateCampaign } from './campaigns.ts';
import type { Campaign } from './campaigns.schema.ts';

export async function listCampaignVersions(
  db: Db,
  caller: CampaignCaller,
  campaignId: string,
  page: PageRequest,
): Promise<Page<VersionListItem>> {
  const { teamId, id } = await findCampaign(db, caller, campaignId);
  return listVersions(db, teamId, { campaignId: id }, page);
}

export async function getCampaignVersion(
  db: Db,
  caller: CampaignCaller,
  campaignId: string,
  versionId: string,
): Promise<Version> {
  const { teamId, id } = await findCampaign(db, caller, campaignId);
  return getVersion(db, teamId, { campaignId: id }, versionId);
}

/** Allowed while the campaign can be changed. The content that is replaced becomes a version itself. */
export async function restoreCampaign(
  db: Db,
  caller: CampaignCaller,
  campaignId: string,
  versionId: string,
): Promise<Campaign> {
  const { teamId, id } = await findCampaign(db, caller, campaignId);
  const { plain, subject, ...content } = await readVersionContent(db, teamId, { campaignId: id }, versionId);
  const update = { ...content, subject: subject!, text: plain };
  return updateCampaign(db, caller, campaignId, update, 'always');
}
