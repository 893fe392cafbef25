/** Operations on feeds. look-at-feed.ts reads them, and make-issues.ts makes campaigns of their items. */
import { sql } from 'kysely';
import { keepSenderToDomain } from '../../api/bound-keys.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { badRequest, notFound } from '../../../platform/errors.ts';
import { decodeId, newUuid } from '../../../platform/ids.ts';
import { readPageStart, toPage, type Page, type PageRequest } from '../../../platform/pages.ts';
import type { NamedAddress } from '../../../mail/mime/address.ts';
import { nextTimeOfDay } from '../../../platform/time-of-day.ts';
import { contactBookKey, requireContactBook } from '../../audience/contact-books/contact-books.ts';
import { readTemplateContent } from '../../content/templates/templates.ts';
import type { Facts } from '../../instance/facts.ts';
import { refusePrivateUrl } from '../../instance/private-urls.ts';
import { enqueue } from '../../jobs/jobs.ts';
import { findHeldDomain } from '../../sending/domains/find-domain.ts';
import type { CampaignAuthor } from '../campaign-row.ts';
import { FEED_COLUMNS, presentFeed, type FeedRow } from './feed-row.ts';
import type { Feed, FeedInput, FeedUpdate } from './feeds.schema.ts';

const DEFAULT_MAX_ITEMS = 10;

export async function createFeed(
  db: Db,
  caller: CampaignAuthor,
  facts: Facts,
  input: FeedInput,
): Promise<Feed> {
  const id = newUuid();
  const { teamId } = caller;
  const minItems = input.minItems ?? 1;
  refusePrivateUrl(facts, input.url);
  return inTransaction(db, async (trx) => {
    const references = await resolve(trx, caller, input);
    await trx
      .insertInto('feeds')
      .values({
        team_id: teamId,
        id,
        url: input.url,
        contact_book_id: references.contact_book_id!,
        template_id: references.template_id!,
        sender: references.sender!,
        mode: input.mode ?? 'each',
        ...scheduleColumns(input.schedule ?? null),
        min_items: minItems,
        max_items: input.maxItems ?? Math.max(DEFAULT_MAX_ITEMS, minItems),
        review: input.review ?? true,
        created_by: caller.by,
      })
      .execute();
    // The first look, which marks what is there as seen, must not wait for the next round.
    await enqueue(trx, 'check-feed', { teamId, feedId: id });
    return readFeed(trx, teamId, id);
  });
}

export async function getFeed(db: Db, teamId: number, feedId: string): Promise<Feed> {
  return readFeed(db, teamId, feedKey(feedId));
}

export async function listFeeds(
  db: Db,
  teamId: number,
  { contactBookId, ...page }: PageRequest & { contactBookId?: string | undefined },
): Promise<Page<Feed>> {
  const { key } = readPageStart('fed', page);
  const book = contactBookId === undefined ? null : contactBookKey(contactBookId);
  if (book !== null) await requireContactBook(db, teamId, book);
  const { rows } = await sql<FeedRow>`
    select ${FEED_COLUMNS} from feeds f
    where f.team_id = ${teamId} and (${key}::uuid is null or f.id < ${key})
      and (${book}::uuid is null or f.contact_book_id = ${book})
    order by f.id desc limit ${page.limit + 1}
  `.execute(db);
  return toPage(rows, page, presentFeed);
}

export async function updateFeed(
  db: Db,
  caller: CampaignAuthor,
  facts: Facts,
  feedId: string,
  update: FeedUpdate,
): Promise<Feed> {
  const id = feedKey(feedId);
  const { teamId } = caller;
  if (update.url !== undefined) refusePrivateUrl(facts, update.url);
  return inTransaction(db, async (trx) => {
    const before = await lockFeed(trx, teamId, id);
    if (!before) throw notFound('Feed');
    const references = await resolve(trx, caller, update);
    const values = {
      ...references,
      ...(update.mode === undefined ? {} : { mode: update.mode }),
      ...(update.schedule === undefined ? {} : scheduleColumns(update.schedule)),
      ...(update.minItems === undefined ? {} : { min_items: update.minItems }),
      ...(update.maxItems === undefined ? {} : { max_items: update.maxItems }),
      ...(update.review === undefined ? {} : { review: update.review }),
      ...(update.status === undefined ? {} : { status: update.status }),
      ...(update.url === undefined || update.url === before.url ? {} : newSource(update.url)),
    };
    const { minItems, maxItems, mode, atTime } = before;
    if ((values.min_items ?? minItems) > (values.max_items ?? maxItems))
      throw badRequest('minItems must not be more than maxItems.');
    const at = 'at_time' in values ? values.at_time : atTime;
    if ((values.mode ?? mode) === 'digest' && !at) throw badRequest('schedule is required for a digest.');
    if (Object.keys(values).length > 0) {
      await trx
        .updateTable('feeds')
        .set({ ...values, error: null, check_at: sql<Date>`now()`, updated_at: sql<Date>`now()` })
        .where('team_id', '=', teamId)
        .where('id', '=', id)
        .execute();
      await enqueue(trx, 'check-feed', { teamId, feedId: id });
    }
    return readFeed(trx, teamId, id);
  });
}

/** Campaigns that were made from the feed are kept. */
export async function deleteFeed(db: Db, teamId: number, feedId: string): Promise<void> {
  const { numAffectedRows } = await sql`
    delete from feeds where team_id = ${teamId} and id = ${feedKey(feedId)}
  `.execute(db);
  if (!numAffectedRows) throw notFound('Feed');
}

export function feedKey(feedId: string): string {
  const key = decodeId('fed', feedId);
  if (!key) throw notFound('Feed');
  return key;
}

export async function readFeed(db: Db, teamId: number, id: string): Promise<Feed> {
  const { rows } = await sql<FeedRow>`
    select ${FEED_COLUMNS} from feeds f where f.team_id = ${teamId} and f.id = ${id}
  `.execute(db);
  if (!rows[0]) throw notFound('Feed');
  return presentFeed(rows[0]);
}

/** Undefined if the feed does not exist. */
export async function lockFeed(trx: Db, teamId: number, id: string): Promise<FeedRow | undefined> {
  const { rows } = await sql<FeedRow>`
    select ${FEED_COLUMNS} from feeds f where f.team_id = ${teamId} and f.id = ${id} for update
  `.execute(trx);
  return rows[0];
}

/** Another source starts anew: what it has now counts as seen. */
function newSource(url: string) {
  return { url, etag: null, last_modified: null, seeded_at: null, title: null };
}

function scheduleColumns(schedule: FeedInput['schedule']) {
  if (!schedule) return { weekdays: null, at_time: null, time_zone: null, next_issue_at: null };
  const { at, timezone } = schedule;
  const weekdays = schedule.weekdays?.toSorted((one, other) => one - other) ?? null;
  const next = nextTimeOfDay({ at, weekdays: weekdays ?? undefined }, new Date(), timezone);
  return { weekdays, at_time: at, time_zone: timezone, next_issue_at: next };
}

interface References {
  contact_book_id?: string;
  template_id?: string;
  sender?: string;
}

/** What the input refers to must exist, and the domain of the sender is checked last. */
async function resolve(trx: Db, caller: CampaignAuthor, input: FeedUpdate): Promise<References> {
  const { teamId } = caller;
  const references: References = {};
  if (input.contactBookId !== undefined) {
    references.contact_book_id = contactBookKey(input.contactBookId);
    await requireContactBook(trx, teamId, references.contact_book_id);
  }
  if (input.templateId !== undefined) {
    const key = decodeId('tpl', input.templateId);
    if (!key) throw notFound('Template');
    await readTemplateContent(trx, teamId, input.templateId);
    references.template_id = key;
  }
  if (input.from !== undefined) references.sender = await resolveSender(trx, caller, input.from);
  return references;
}

async function resolveSender(trx: Db, caller: CampaignAuthor, from: NamedAddress & { given: string }) {
  const domainId = await findHeldDomain(trx, caller.teamId, from.domain);
  keepSenderToDomain(caller, domainId);
  if (domainId === undefined)
    throw badRequest(`from must use a domain that your team has verified; ${from.domain} is not one.`);
  return from.given;
}
