/**
 * Makes campaigns of the items of a feed that wait. It is one transaction that locks the feed: the campaign exists if
 * and only if its items no longer wait, so a crash or a second process makes none twice. Content comes from the
 * template, and the items are kept with the campaign (`feed` in its merge tags), so that a person can edit a draft.
 */
import { ownCaller } from '../../api/caller.ts';
import { recordAudit, SYSTEM } from '../../audit/record-audit.ts';
import type { Facts } from '../../instance/facts.ts';
import { sql } from 'kysely';
import { AppError, badRequest } from '../../../platform/errors.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { nextTimeOfDay } from '../../../platform/time-of-day.ts';
import { getTemplate } from '../../content/templates/templates.ts';
import { campaignInput, type CampaignInput } from '../campaigns.schema.ts';
import { createCampaign } from '../campaigns.ts';
import { scheduleCampaign } from '../states.ts';
import type { FeedValues, ShownItem } from '../feed-values.ts';
import { lockFeed } from './feeds.ts';
import type { FeedRow } from './feed-row.ts';

const MAX_NAME = 200;
/** Returns the UUIDs of the campaigns. A failure is kept as the error of the feed, and the items wait on. */
export async function makeIssues(
  db: Db,
  facts: Facts,
  { teamId, feedId }: { teamId: number; feedId: string },
): Promise<string[]> {
  try {
    return await inTransaction(db, async (trx) => {
      const feed = await lockFeed(trx, teamId, feedId);
      if (!feed || feed.status !== 'ACTIVE') return [];
      const { rows } = await sql<{ now: Date }>`select now() as now`.execute(trx);
      const { now } = rows[0]!;
      if (feed.nextIssueAt && feed.nextIssueAt > now) return [];
      const made = await makeAll(trx, facts.secret, feed);
      await planNext(trx, feed, now);
      return made;
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'UNAVAILABLE' || error.code === 'INTERNAL')
      throw error;
    await sql`
      update feeds set error = ${`No campaign could be made: ${error.message}`}
      where team_id = ${teamId} and id = ${feedId}
    `.execute(db);
    return [];
  }
}

type WaitingItem = { hash: Row<'feed_items'>['item_hash']; item: ShownItem };

async function makeAll(trx: Db, secret: Buffer, feed: FeedRow): Promise<string[]> {
  const isDigest = feed.mode === 'digest';
  const { rows: waiting } = await sql<WaitingItem>`
    select item_hash as hash, item from feed_items
    where team_id = ${feed.teamId} and feed_id = ${feed.id} and item is not null
    order by position ${isDigest ? sql`desc` : sql``} limit ${feed.maxItems}
  `.execute(trx);
  if (waiting.length === 0 || (isDigest && waiting.length < feed.minItems)) return [];
  if (!isDigest) {
    const made: string[] = [];
    for (const one of waiting) made.push(await makeIssue(trx, secret, feed, [one]));
    return made;
  }
  const made = await makeIssue(trx, secret, feed, waiting);
  // Older items than the latest ones do not wait for the digest after this one.
  await sql`
    update feed_items set item = null where team_id = ${feed.teamId} and feed_id = ${feed.id} and item is not null
  `.execute(trx);
  return [made];
}

async function makeIssue(trx: Db, secret: Buffer, feed: FeedRow, waiting: WaitingItem[]): Promise<string> {
  const { teamId } = feed;
  const caller = ownCaller(teamId, feed.createdBy);
  const items = waiting.map(({ item }) => item);
  const values: FeedValues = { title: feed.title ?? new URL(feed.url).hostname, url: feed.url, items };
  const created = await createCampaign(trx, caller, await toInput(trx, feed, values));
  const id = decodeId('cmp', created.id)!;
  await sql`
    update campaigns set feed = ${JSON.stringify(values)}::jsonb where team_id = ${teamId} and id = ${id}
  `.execute(trx);
  await sql`
    update feed_items set item = null, campaign_id = ${id}
    where team_id = ${teamId} and feed_id = ${feed.id} and item_hash = any(${waiting.map(({ hash }) => hash)}::bytea[])
  `.execute(trx);
  if (!feed.review) {
    await scheduleCampaign(trx, caller, created.id, {});
    const after = { name: created.name, feed: encodeId('fed', feed.id) };
    await recordAudit(trx, secret, teamId, {
      actor: SYSTEM,
      action: 'campaign.started',
      target: created.id,
      after,
    });
  }
  return id;
}

async function toInput(trx: Db, feed: FeedRow, { title, items }: FeedValues): Promise<CampaignInput> {
  const template = await getTemplate(trx, feed.teamId, encodeId('tpl', feed.templateId));
  const isDigest = feed.mode === 'digest';
  const name = isDigest ? title : items[0]!.title || title;
  const { data, error } = campaignInput.safeParse({
    name: [...name].slice(0, MAX_NAME).join('').trim() || 'Feed',
    from: feed.sender,
    subject: template.subject || withoutTags(name) || withoutTags(title),
    ...(template.content ? { content: template.content } : { html: template.html, text: template.text }),
    translations: template.translations,
    contactBookId: encodeId('cbk', feed.contactBookId),
  });
  if (data) return data;
  const [issue] = error.issues;
  throw badRequest(`The template cannot be used: ${issue!.path.join('.')} ${issue!.message}.`);
}

async function planNext(trx: Db, feed: FeedRow, now: Date): Promise<void> {
  const { atTime, timeZone, weekdays } = feed;
  if (!atTime || !timeZone) return;
  const next = nextTimeOfDay({ at: atTime, weekdays: weekdays ?? undefined }, now, timeZone);
  await sql`
    update feeds set next_issue_at = ${next} where team_id = ${feed.teamId} and id = ${feed.id}
  `.execute(trx);
}

/** Merge tags in the words of others stay text. */
function withoutTags(text: string): string {
  return text.replaceAll(/\{(?=[{%])/g, '{ ').trim();
}
