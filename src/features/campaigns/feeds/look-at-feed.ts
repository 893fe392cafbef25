/**
 * Reads a feed and remembers its items. The first look marks all items as seen; later looks let those that are new wait
 * for their campaign. An item is known by its guid, or else by its link, for as long as the feed exists, so no item is
 * sent twice, however often it is edited. The network is asked outside of a transaction.
 */
import { sql } from 'kysely';
import { enqueue } from '../../jobs/jobs.ts';
import { FetchFailure } from '../../instance/fetch-file.ts';
import type { Facts } from '../../instance/facts.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import type { FeedRow } from './feed-row.ts';
import { feedKey, lockFeed, readFeed } from './feeds.ts';
import type { feedChecked } from './feeds.schema.ts';
import type { z } from 'zod';
import { makeIssues } from './make-issues.ts';
import { FeedProblem, parseFeed, type ParsedFeed } from './parse-feed.ts';

const MAX_BYTES = 2 * 1024 * 1024;
const TIMEOUT_MS = 15_000;
const CHECK_MINUTES = 15;
const FEEDS_PER_ROUND = 500;

/** Adds a job for each feed that is due. Runs every minute. */
export async function queueDueFeeds(db: Db): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { rows } = await sql<CamelRow<'feeds', 'team_id' | 'id'>>`
      update feeds f set check_at = now() + make_interval(mins => ${CHECK_MINUTES}::integer)
      from (
        select team_id, id from feeds
        where status = 'ACTIVE' and (check_at <= now() or next_issue_at <= now())
          and team_id not in (select id from teams where closed_at is not null)
        order by check_at limit ${FEEDS_PER_ROUND} for update skip locked
      ) due
      where f.team_id = due.team_id and f.id = due.id
      returning f.team_id as "teamId", f.id
    `.execute(trx);
    for (const { teamId, id } of rows)
      await enqueue(trx, 'check-feed', { teamId, feedId: id }, { jobKey: `check-feed ${id}` });
  });
}

export type FeedChecked = z.infer<typeof feedChecked>;

/** Looks now, for a person. A paused feed is read, but makes no campaigns. */
export async function checkFeedNow(
  db: Db,
  facts: Facts,
  teamId: number,
  feedId: string,
): Promise<FeedChecked> {
  const key = feedKey(feedId);
  const { status } = await readFeed(db, teamId, key);
  const newItems = await lookAtFeed(db, facts, { teamId, feedId: key });
  const made = status === 'ACTIVE' ? await makeIssues(db, facts, { teamId, feedId: key }) : [];
  return {
    feed: await readFeed(db, teamId, key),
    newItems: newItems ?? 0,
    campaignIds: made.map((id) => encodeId('cmp', id)),
  };
}

/** The job. A feed that was paused or deleted since is left alone. */
export async function checkFeed(
  db: Db,
  facts: Facts,
  { teamId, feedId }: { teamId: number; feedId: string },
): Promise<void> {
  const { rows } = await sql`
    select 1 from feeds where team_id = ${teamId} and id = ${feedId} and status = 'ACTIVE'
  `.execute(db);
  if (rows.length === 0) return;
  await lookAtFeed(db, facts, { teamId, feedId });
  await makeIssues(db, facts, { teamId, feedId });
}

/** Returns the number of new items, or null if the feed could not be read. */
async function lookAtFeed(
  db: Db,
  facts: Facts,
  { teamId, feedId }: { teamId: number; feedId: string },
): Promise<number | null> {
  const { rows } = await sql<CamelRow<'feeds', 'url' | 'etag' | 'last_modified'>>`
    select url, etag, last_modified as "lastModified" from feeds where team_id = ${teamId} and id = ${feedId}
  `.execute(db);
  const source = rows[0];
  if (!source) return null;
  const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), facts.stopping]);
  const fetched = await facts.fetchChanged(source.url, { ...source, maxBytes: MAX_BYTES, signal });
  if (fetched instanceof FetchFailure && facts.stopping.aborted) return null;
  const parsed = fetched instanceof FetchFailure || fetched === null ? null : await tryParse(fetched);
  const problem =
    fetched instanceof FetchFailure
      ? `The feed cannot be read: ${fetched.reason}.`
      : parsed instanceof FeedProblem
        ? `The feed cannot be read: ${parsed.message}.`
        : null;
  return inTransaction(db, async (trx) => {
    const feed = await lockFeed(trx, teamId, feedId);
    // Another source was set in the meantime.
    if (feed?.url !== source.url) return null;
    const isRead = parsed !== null && !(parsed instanceof FeedProblem);
    const found = isRead ? await storeItems(trx, feed, parsed) : 0;
    const { etag, lastModified } = isRead && !(fetched instanceof FetchFailure) ? fetched! : source;
    await sql`
      update feeds set last_checked_at = now(), error = ${problem}, etag = ${etag}, last_modified = ${lastModified},
        check_at = now() + make_interval(mins => ${CHECK_MINUTES}::integer),
        title = coalesce(${isRead ? parsed.title : null}, title),
        seeded_at = ${isRead ? sql`coalesce(seeded_at, now())` : sql`seeded_at`}
      where team_id = ${teamId} and id = ${feedId}
    `.execute(trx);
    return problem === null ? found : null;
  });
}

async function tryParse({
  body,
  contentType,
  url,
}: {
  body: Buffer;
  contentType: string;
  url: string;
}): Promise<ParsedFeed | FeedProblem> {
  try {
    return await parseFeed(body, { contentType, url });
  } catch (error) {
    if (error instanceof FeedProblem) return error;
    throw error;
  }
}

/** Returns the number of items that wait from now on. */
async function storeItems(trx: Db, { teamId, id, seededAt }: FeedRow, parsed: ParsedFeed): Promise<number> {
  // Feeds begin with the latest item.
  const oldestFirst = parsed.items.toReversed();
  const items = oldestFirst.map((item) => JSON.stringify({ ...item, key: undefined }));
  const { rows } = await sql`
    insert into feed_items (team_id, feed_id, item_hash, item)
    select ${teamId}, ${id}, sha256(convert_to(key, 'UTF8')), case when ${seededAt !== null}::boolean then item end
    from unnest(${oldestFirst.map(({ key }) => key)}::text[], ${items}::jsonb[]) with ordinality as t (key, item, no)
    order by no
    on conflict do nothing
    returning 1 as new
  `.execute(trx);
  return seededAt === null ? 0 : rows.length;
}
