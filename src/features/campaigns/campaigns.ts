/** Campaigns: making, changing and removing them. Their states are in states.ts, what sends them in runner.ts. */
import { sql } from 'kysely';
import type { Mailbox } from '../../mail/address.ts';
import { keepSenderToDomain } from '../../platform/bound-keys.ts';
import { inTransaction, type Db } from '../../platform/database.ts';
import { badRequest, conflict, notFound } from '../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../platform/ids.ts';
import { contactBookKey } from '../contact-books/contact-books.ts';
import { findHeldDomain } from '../domains/find-domain.ts';
import { asGiven } from '../emails/emails.schema.ts';
import { segmentKey } from '../segments/segments.ts';
import {
  canBeChanged,
  findCampaign,
  presentCampaign,
  type Asking,
  type CampaignRow,
} from './campaign-row.ts';
import {
  DEFAULT_BATCH_SIZE,
  type Campaign,
  type CampaignInput,
  type CampaignUpdate,
} from './campaigns.schema.ts';
import {
  checkBeforeLock,
  describeRefusal,
  discardAudience,
  requireReady,
  scheduleCampaign,
} from './states.ts';
import type { TagCheck } from './unknown-tags.ts';

export async function createCampaign(db: Db, caller: Asking, input: CampaignInput): Promise<Campaign> {
  const id = newUuid();
  const campaignId = encodeId('cmp', id);
  return inTransaction(db, async (trx) => {
    const domainId = await findSenderDomain(trx, caller, input.from);
    const audience = await resolveAudience(trx, caller.teamId, input);
    await trx
      .insertInto('campaigns')
      .values({
        team_id: caller.teamId,
        id,
        domain_id: requireDomain(domainId, input.from),
        name: input.name,
        sender: input.from.given,
        subject: input.subject,
        preview_text: input.previewText || null,
        html: input.html || null,
        content: input.content ?? null,
        reply_to: asGiven(input.replyTo),
        cc_addresses: asGiven(input.cc),
        bcc_addresses: asGiven(input.bcc),
        contact_book_ids: audience.contact_book_ids!,
        segment_id: audience.segment_id ?? null,
        exclude_segment_ids: audience.exclude_segment_ids ?? [],
        topic_id: audience.topic_id ?? null,
        track_opens: input.tracking?.opens ?? null,
        track_clicks: input.tracking?.clicks ?? null,
        status: 'DRAFT',
        batch_size: input.batchSize ?? DEFAULT_BATCH_SIZE,
        rate_per_minute: input.ratePerMinute ?? null,
      })
      .execute();
    if (input.sendNow) await scheduleCampaign(trx, caller, campaignId, {});
    else if (input.scheduledAt)
      await scheduleCampaign(trx, caller, campaignId, { scheduledAt: input.scheduledAt });
    return getCampaign(trx, caller, campaignId);
  });
}

export async function getCampaign(db: Db, caller: Asking, campaignId: string): Promise<Campaign> {
  return presentCampaign(db, await findCampaign(db, caller, campaignId));
}

/**
 * Possible until the first release, because everybody gets the same campaign. The lock decides between this and a
 * runner that starts the campaign at the same moment. A SCHEDULED campaign must stay fit to be sent.
 */
export async function updateCampaign(
  db: Db,
  caller: Asking,
  campaignId: string,
  update: CampaignUpdate,
): Promise<Campaign> {
  const checked = await checkChanged(db, await findCampaign(db, caller, campaignId), update);
  return inTransaction(db, async (trx) => {
    const before = await findCampaign(trx, caller, campaignId, 'locked');
    const domainId = update.from && (await findSenderDomain(trx, caller, update.from));
    const books = before.contactBookIds;
    const audience = await resolveAudience(trx, caller.teamId, update, books, before.segmentId);
    if (!canBeChanged(before)) throw conflict(describeRefusal(before, 'changed'));
    const values = {
      ...valuesOf(update),
      ...audience,
      ...(update.from ? { domain_id: requireDomain(domainId, update.from), sender: update.from.given } : {}),
    };
    const after = { html: before.html, content: before.content, ...values };
    if (!after.html && !after.content) throw badRequest('html or content is required.');
    if (Object.keys(values).length > 0) {
      await trx
        .updateTable('campaigns')
        .set({ ...values, updated_at: sql`now()` })
        .where('team_id', '=', caller.teamId)
        .where('id', '=', before.id)
        .execute();
    }
    if (Object.keys(audience).length > 0) await discardAudience(trx, before);
    if (before.status === 'SCHEDULED') {
      await requireReady(trx, await findCampaign(trx, caller, campaignId), checked);
    }
    return getCampaign(trx, caller, campaignId);
  });
}

/** The tags of the campaign as it will be. */
async function checkChanged(db: Db, before: CampaignRow, update: CampaignUpdate): Promise<TagCheck | null> {
  if (before.status !== 'SCHEDULED') return null;
  const { subject, preview_text, html, content } = valuesOf(update);
  const books = namedBooks(update).map((id) => decodeId('cbk', id));
  return checkBeforeLock(db, {
    ...before,
    subject: subject ?? before.subject,
    previewText: preview_text === undefined ? before.previewText : preview_text,
    html: html === undefined ? before.html : html,
    content: content === undefined ? before.content : content,
    contactBookIds:
      books.length > 0 ? [...new Set(books.filter((id) => id !== null))] : before.contactBookIds,
  });
}

/** What was sent of it keeps its emails and counts; what still waits for it is taken from the queue by the runner. */
export async function deleteCampaign(db: Db, caller: Asking, campaignId: string): Promise<Campaign> {
  return inTransaction(db, async (trx) => {
    const row = await findCampaign(trx, caller, campaignId, 'locked');
    if (row.status === 'RUNNING')
      throw conflict('A campaign that is RUNNING cannot be deleted. Pause it first.');
    await sql`
      update campaigns set deleted_at = now(), updated_at = now() where team_id = ${row.teamId} and id = ${row.id}
    `.execute(trx);
    return presentCampaign(trx, row);
  });
}

/** Null clears. */
function valuesOf(update: CampaignUpdate) {
  const all = {
    name: update.name,
    subject: update.subject,
    preview_text: update.previewText === '' ? null : update.previewText,
    // New content takes the place of HTML, which would win.
    html: update.html === '' || (update.content && update.html === undefined) ? null : update.html,
    content: update.content,
    reply_to: update.replyTo === undefined ? undefined : asGiven(update.replyTo),
    cc_addresses: update.cc === undefined ? undefined : asGiven(update.cc),
    bcc_addresses: update.bcc === undefined ? undefined : asGiven(update.bcc),
    batch_size: update.batchSize === null ? DEFAULT_BATCH_SIZE : update.batchSize,
    rate_per_minute: update.ratePerMinute,
    track_opens: update.tracking === null ? null : update.tracking?.opens,
    track_clicks: update.tracking === null ? null : update.tracking?.clicks,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Partial<{
    [Name in keyof typeof all]: Exclude<(typeof all)[Name], undefined>;
  }>;
}

/** Undefined when the team does not hold it. A key that is bound to a domain sends from that one alone. */
async function findSenderDomain(db: Db, caller: Asking, from: Mailbox): Promise<number | undefined> {
  const domainId = await findHeldDomain(db, caller.teamId, from.domain);
  keepSenderToDomain(caller, domainId);
  return domainId;
}

/** Asked last: whether a domain is verified is a matter of the moment. */
function requireDomain(domainId: number | undefined, from: Mailbox): number {
  if (domainId === undefined) {
    throw badRequest(`from must use a domain that your team has verified; ${from.domain} is not one.`);
  }
  return domainId;
}

interface Audience {
  contact_book_ids: string[];
  segment_id: string | null;
  exclude_segment_ids: string[];
  topic_id: string | null;
}

/** Who it goes to, as far as the input names it: all that is named must exist, and fit together. */
async function resolveAudience(
  db: Db,
  teamId: number,
  input: CampaignUpdate,
  booksBefore: string[] = [],
  segmentBefore: string | null = null,
): Promise<Partial<Audience>> {
  const audience: Partial<Audience> = {};
  const named = namedBooks(input);
  if (named.length > 0) {
    audience.contact_book_ids = [...new Set(named.map(contactBookKey))];
    const { rows } = await sql`
      select 1 from contact_books where team_id = ${teamId} and id = any(${audience.contact_book_ids}::uuid[])
    `.execute(db);
    if (rows.length < audience.contact_book_ids.length) throw notFound('Contact book');
  }
  if (input.segmentId !== undefined) audience.segment_id = input.segmentId && segmentKey(input.segmentId);
  if (input.excludeSegmentIds !== undefined) {
    audience.exclude_segment_ids = [...new Set((input.excludeSegmentIds ?? []).map(segmentKey))];
  }
  // One that it has already may have been deleted since: then it says so when it is to start.
  const segment = audience.segment_id === undefined ? segmentBefore : audience.segment_id;
  const namedSegments = [
    ...(audience.segment_id ? [audience.segment_id] : []),
    ...(audience.exclude_segment_ids ?? []),
  ];
  const bookOf = await findBooksOfSegments(db, teamId, [...namedSegments, ...(segment ? [segment] : [])]);
  if (namedSegments.some((id) => !bookOf.has(id))) throw notFound('Segment');
  if (input.topicId !== undefined) {
    audience.topic_id = input.topicId && decodeId('top', input.topicId);
    if (input.topicId && !(await hasTopic(db, teamId, audience.topic_id))) throw notFound('Topic');
  }
  const books = audience.contact_book_ids ?? booksBefore;
  const book = segment && bookOf.get(segment);
  if (book && !books.includes(book)) {
    throw badRequest('segmentId must be a segment of one of the contact books of the campaign.');
  }
  return audience;
}

function namedBooks({ contactBookId, contactBookIds }: CampaignUpdate): string[] {
  return [...(contactBookId ? [contactBookId] : []), ...(contactBookIds ?? [])];
}

/** The book of each segment that there is. */
async function findBooksOfSegments(db: Db, teamId: number, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: string; book: string }>`
    select id, contact_book_id as book from segments where team_id = ${teamId} and id = any(${ids}::uuid[])
  `.execute(db);
  return new Map(rows.map(({ id, book }) => [id, book]));
}

async function hasTopic(db: Db, teamId: number, id: string | null): Promise<boolean> {
  const { rows } = await sql`select 1 from topics where team_id = ${teamId} and id = ${id}`.execute(db);
  return rows.length > 0;
}
