/** What a copy takes over from a campaign: all but its past, and what was deleted since. */
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { ApiError, getJson } from '../../api/client.ts';

export async function copyCampaign(campaign: Campaign, bookId: string, bookIds: string[]): Promise<object> {
  const { previewText, html, content, replyTo, cc, bcc, batchSize, ratePerMinute, tracking } = campaign;
  const stays = bookId === campaign.contactBookId;
  const [segmentId, topicId, ...excluded] = await Promise.all([
    stays ? ifThere('/segments', campaign.segmentId) : null,
    ifThere('/topics', campaign.topicId),
    ...campaign.excludeSegmentIds.map((id) => ifThere('/segments', id)),
  ]);
  return {
    ...(html === null ? { content } : { html }),
    previewText,
    replyTo,
    cc,
    bcc,
    batchSize,
    ratePerMinute,
    tracking,
    segmentId,
    topicId,
    contactBookIds: stays ? campaign.contactBookIds.filter((id) => bookIds.includes(id)) : [bookId],
    excludeSegmentIds: excluded.filter((id) => id !== null),
  };
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
