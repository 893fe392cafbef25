/**
 * The fields that a copy of a campaign gets: all except its history, its place in the public archive, and references
 * to deleted items.
 */
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { ApiError, getJson } from '../../api/client.ts';
import { sendOnce } from '../../api/send-once.ts';
import { reportTexts } from '../../texts/en/report.ts';

export async function copyCampaign(campaign: Campaign, bookId: string, bookIds: string[]): Promise<object> {
  const { previewText, html, content, text, replyTo, cc, bcc, batchSize, ratePerMinute, tracking } = campaign;
  const { variants, testPercent, decideBy, decideAfterMinutes } = campaign;
  const stays = bookId === campaign.contactBookId;
  const [excludeCampaignId, segmentId, topicId, ...excluded] = await Promise.all([
    ifThere('/campaigns', campaign.excludeCampaignId),
    stays ? ifThere('/segments', campaign.segmentId) : null,
    ifThere('/topics', campaign.topicId),
    ...campaign.excludeSegmentIds.map((id) => ifThere('/segments', id)),
  ]);
  return {
    ...(html === null ? { content } : { html }),
    previewText,
    text,
    translations: campaign.translations,
    replyTo,
    cc,
    bcc,
    batchSize,
    ratePerMinute,
    tracking,
    ...(variants && { variants, testPercent, decideBy, decideAfterMinutes }),
    segmentId,
    topicId,
    excludeCampaignId,
    notOpened: excludeCampaignId !== null && campaign.notOpened,
    contactBookIds: stays ? campaign.contactBookIds.filter((id) => bookIds.includes(id)) : [bookId],
    excludeSegmentIds: excluded.filter((id) => id !== null),
  };
}

/** Returns the campaign with the variant that won its A/B test, and without the test. */
function withWinner(campaign: Campaign): Campaign {
  const won = campaign.variants?.[campaign.winner ?? 0];
  if (!won) return campaign;
  const { subject, from, previewText, html, content } = won;
  return {
    ...campaign,
    variants: null,
    subject: subject ?? campaign.subject,
    from: from ?? campaign.from,
    previewText: previewText ?? campaign.previewText,
    ...(html || content ? { html, content, text: null } : {}),
  };
}

/** Creates a draft of the same email for the recipients who did not open the campaign. */
export async function draftForNonOpeners(sent: Campaign, bookIds: string[]): Promise<Campaign> {
  const campaign = withWinner(sent);
  const { id, name, from, subject, contactBookId } = campaign;
  const copy = await copyCampaign(campaign, contactBookId!, bookIds);
  const audience = { excludeCampaignId: id, notOpened: true };
  return sendOnce('/campaigns', {
    ...copy,
    ...audience,
    name: reportTexts.againName(name),
    from,
    subject,
  });
}

async function ifThere(path: string, id: string | null): Promise<string | null> {
  if (id === null) return null;
  try {
    await getJson(`${path}/${id}`);
    return id;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
