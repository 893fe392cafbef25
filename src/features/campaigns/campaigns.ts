/** Creates, changes and deletes campaigns. States are in states.ts, sending in runner.ts. */
import { sql } from 'kysely';
import type { NamedAddress } from '../../mail/mime/address.ts';
import type { Caller } from '../api/caller.ts';
import { requireScope } from '../api/policy-keys.ts';
import { keepSenderToDomain } from '../api/bound-keys.ts';
import { inTransaction, type Db } from '../../platform/database/database.ts';
import { badRequest, conflict, notFound } from '../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../platform/ids.ts';
import type { Row } from '../../platform/database/rows.ts';
import { contactBookKey } from '../audience/contact-books/contact-books.ts';
import { findHeldDomain } from '../sending/domains/find-domain.ts';
import { asWritten } from '../sending/emails/emails.schema.ts';
import type { Translations } from '../content/translations.ts';
import type { Variant } from '../content/versions/variants.ts';
import { keepVersion } from '../content/versions/versions.ts';
import { segmentKey } from '../audience/segments/segments.ts';
import {
  canBeChanged,
  findCampaign,
  presentCampaign,
  type CampaignAuthor,
  type CampaignCaller,
  type CampaignRow,
} from './campaign-row.ts';
import {
  DEFAULT_BATCH_SIZE,
  NOT_OPENED_ALONE,
  NOT_WITH_TEST,
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
import { testValues } from './variants.ts';
import { hasContent } from './variants.schema.ts';

/** A caller who may start the campaign as well. */
type CampaignMaker = CampaignAuthor & Pick<Caller, 'permission' | 'scopes' | 'policyIds'>;

export async function createCampaign(db: Db, caller: CampaignMaker, input: CampaignInput): Promise<Campaign> {
  const id = newUuid();
  const campaignId = encodeId('cmp', id);
  return inTransaction(db, async (trx) => {
    const domainId = await findSenderDomain(trx, caller, input.from);
    const audience = await resolveAudience(trx, caller, input);
    const findVariantDomain = variantDomains(caller);
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
        plain: input.text || null,
        content: input.content ?? null,
        translations: storedTranslations(input.translations ?? null),
        reply_to: asWritten(input.replyTo),
        cc_addresses: asWritten(input.cc),
        bcc_addresses: asWritten(input.bcc),
        contact_book_ids: audience.contact_book_ids!,
        segment_id: audience.segment_id ?? null,
        exclude_segment_ids: audience.exclude_segment_ids ?? [],
        topic_id: audience.topic_id ?? null,
        exclude_campaign_id: audience.exclude_campaign_id ?? null,
        not_opened: audience.not_opened ?? false,
        track_opens: input.tracking?.opens ?? null,
        track_clicks: input.tracking?.clicks ?? null,
        status: 'DRAFT',
        batch_size: input.batchSize ?? DEFAULT_BATCH_SIZE,
        rate_per_minute: input.ratePerMinute ?? null,
        show_in_archive: input.showInArchive ?? false,
        content_saved_by: caller.by,
        ...(await testValues(trx, input, findVariantDomain)),
      })
      .execute();
    if (input.sendNow || input.scheduledAt || input.localTime) requireScope('campaigns.send', caller);
    if (input.sendNow) await scheduleCampaign(trx, caller, campaignId, {});
    else if (input.scheduledAt || input.localTime) {
      const { scheduledAt, localTime } = input;
      await scheduleCampaign(trx, caller, campaignId, { scheduledAt, localTime });
    }
    return getCampaign(trx, caller, campaignId);
  });
}

export async function getCampaign(db: Db, caller: CampaignCaller, campaignId: string): Promise<Campaign> {
  return presentCampaign(db, await findCampaign(db, caller, campaignId));
}

/**
 * Allowed until the first release, because everyone must get the same content. The row lock decides between this and a
 * runner that starts the campaign at the same time. A SCHEDULED campaign must stay ready to send.
 */
export async function updateCampaign(
  db: Db,
  caller: CampaignAuthor,
  campaignId: string,
  update: CampaignUpdate,
): Promise<Campaign> {
  const found = await findCampaign(db, caller, campaignId);
  if (changesOnlyArchive(update)) return showInArchive(db, found, update.showInArchive ?? false);
  const checked = await checkChanged(db, found, update);
  return inTransaction(db, async (trx) => {
    const before = await findCampaign(trx, caller, campaignId, 'locked');
    const domainId = update.from && (await findSenderDomain(trx, caller, update.from));
    const audience = await resolveAudience(trx, caller, update, before);
    if (!canBeChanged(before)) throw conflict(describeRefusal(before, 'changed'));
    refuseOutdated(before, update);
    const values = {
      ...valuesOf(update),
      ...audience,
      ...(await testValues(trx, update, variantDomains(caller))),
      ...(update.from ? { domain_id: requireDomain(domainId, update.from), sender: update.from.given } : {}),
    };
    const after = { html: before.html, content: before.content, ...values };
    const excluded = {
      exclude_campaign_id: before.excludeCampaignId,
      not_opened: before.notOpened,
      ...audience,
    };
    if (excluded.not_opened && !excluded.exclude_campaign_id)
      throw badRequest(`notOpened ${NOT_OPENED_ALONE}.`);
    const variants = update.variants === undefined ? before.variants : update.variants;
    if (variants && before.localTime) throw badRequest(`localTime ${NOT_WITH_TEST}.`);
    if (variants && before.bestWithinHours !== null) throw badRequest(`bestHour ${NOT_WITH_TEST}.`);
    if (!hasContent(after, variants)) throw badRequest('html or content is required.');
    if (Object.keys(values).length > 0) {
      const change = contentChange(before, values);
      const steps = update.keepVersion ? 'always' : 'in steps';
      const isNew = await keepVersion(trx, before.teamId, { campaignId: before.id }, change, steps);
      const saved = isNew ? { content_saved_at: sql<Date>`now()`, content_saved_by: caller.by } : {};
      await trx
        .updateTable('campaigns')
        .set({ ...values, ...saved, updated_at: sql`now()` })
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

/** Two people, or two tabs, may edit the same campaign. */
function refuseOutdated({ contentSavedAt }: CampaignRow, { basedOn }: CampaignUpdate): void {
  if (basedOn && contentSavedAt.getTime() !== basedOn.getTime()) {
    throw conflict(
      'The content of this campaign was changed in the meantime. Load it again and repeat your change.',
    );
  }
}

type Values = ReturnType<typeof valuesOf> & { variants?: string | null };

function storedTranslations(translations: Translations | null): string | null {
  return translations && Object.keys(translations).length > 0 ? JSON.stringify(translations) : null;
}

/** The content before and after an update, for its versions. */
function contentChange(before: CampaignRow, values: Values) {
  const { subject, previewText, html, plain, content, contentSavedAt, contentSavedBy } = before;
  const variants = before.variants ?? [];
  const translations = before.translations ?? {};
  const now = {
    subject: values.subject ?? subject,
    previewText: values.preview_text === undefined ? previewText : values.preview_text,
    html: values.html === undefined ? html : values.html,
    plain: values.plain === undefined ? plain : values.plain,
    content: values.content === undefined ? content : values.content,
    variants:
      values.variants === undefined ? variants : (JSON.parse(values.variants ?? '[]') as readonly Variant[]),
    translations:
      values.translations === undefined
        ? translations
        : (JSON.parse(values.translations ?? '{}') as Translations),
  };
  return {
    before: { subject, previewText, html, plain, content, variants, translations },
    after: now,
    savedAt: contentSavedAt,
    savedBy: contentSavedBy,
  };
}

function changesOnlyArchive(update: CampaignUpdate): boolean {
  const given = Object.entries(update).filter(([, value]) => value !== undefined);
  return given.length === 1 && update.showInArchive !== undefined;
}

/** Allowed in every state, because it does not change the email. */
async function showInArchive(db: Db, campaign: CampaignRow, shown: boolean): Promise<Campaign> {
  const { teamId, id } = campaign;
  await sql`
    update campaigns set show_in_archive = ${shown}, updated_at = now() where team_id = ${teamId} and id = ${id}
  `.execute(db);
  return presentCampaign(db, { ...campaign, showInArchive: shown });
}

/** Checks the tags of the campaign as it will be after the update. */
async function checkChanged(db: Db, before: CampaignRow, update: CampaignUpdate): Promise<TagCheck | null> {
  if (before.status !== 'SCHEDULED') return null;
  const books = namedBooks(update).map((id) => decodeId('cbk', id));
  const { after } = contentChange(before, valuesOf(update));
  return checkBeforeLock(db, {
    ...before,
    ...after,
    variants: before.variants,
    contactBookIds:
      books.length > 0 ? [...new Set(books.filter((id) => id !== null))] : before.contactBookIds,
  });
}

/** Sent emails and counts are kept. The runner removes queued emails. */
export async function deleteCampaign(db: Db, caller: CampaignCaller, campaignId: string): Promise<Campaign> {
  return inTransaction(db, async (trx) => {
    const row = await findCampaign(trx, caller, campaignId, 'locked');
    if (row.status === 'RUNNING') throw conflict('A RUNNING campaign cannot be deleted. Pause it first.');
    await sql`
      update campaigns set deleted_at = now(), updated_at = now() where team_id = ${row.teamId} and id = ${row.id}
    `.execute(trx);
    return presentCampaign(trx, row);
  });
}

/** Null clears a field; undefined keeps it. */
function valuesOf(update: CampaignUpdate) {
  const all = {
    name: update.name,
    subject: update.subject,
    preview_text: update.previewText === '' ? null : update.previewText,
    // HTML takes precedence over content, so new content clears it.
    html: update.html === '' || (update.content && update.html === undefined) ? null : update.html,
    plain: update.text === '' ? null : update.text,
    content: update.content,
    translations: update.translations === undefined ? undefined : storedTranslations(update.translations),
    reply_to: update.replyTo === undefined ? undefined : asWritten(update.replyTo),
    cc_addresses: update.cc === undefined ? undefined : asWritten(update.cc),
    bcc_addresses: update.bcc === undefined ? undefined : asWritten(update.bcc),
    batch_size: update.batchSize === null ? DEFAULT_BATCH_SIZE : update.batchSize,
    rate_per_minute: update.ratePerMinute,
    show_in_archive: update.showInArchive === null ? false : update.showInArchive,
    track_opens: update.tracking === null ? null : update.tracking?.opens,
    track_clicks: update.tracking === null ? null : update.tracking?.clicks,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Partial<{
    [Name in keyof typeof all]: Exclude<(typeof all)[Name], undefined>;
  }>;
}

/** Returns undefined when the team has not verified the domain. A domain-bound key can only use its own domain. */
async function findSenderDomain(
  db: Db,
  caller: CampaignCaller,
  from: NamedAddress,
): Promise<number | undefined> {
  const domainId = await findHeldDomain(db, caller.teamId, from.domain);
  keepSenderToDomain(caller, domainId);
  return domainId;
}

/** The variants of an A/B test may have their own senders. */
function variantDomains(caller: CampaignCaller): (db: Db, from: NamedAddress) => Promise<number> {
  return async (db, from) => requireDomain(await findSenderDomain(db, caller, from), from);
}

/** Checked last, because the verification of a domain can change at any time. */
function requireDomain(domainId: number | undefined, from: NamedAddress): number {
  if (domainId === undefined) {
    throw badRequest(
      `from must use a domain that your team has verified; ${from.domain} is not one.`,
      undefined,
      'unverified-sender',
    );
  }
  return domainId;
}

interface Audience {
  contact_book_ids: string[];
  segment_id: string | null;
  exclude_segment_ids: string[];
  topic_id: string | null;
  exclude_campaign_id: string | null;
  not_opened: boolean;
}

/** Resolves the audience fields of the input. Everything that they refer to must exist and belong together. */
async function resolveAudience(
  db: Db,
  caller: CampaignCaller,
  input: CampaignUpdate,
  before?: CampaignRow,
): Promise<Partial<Audience>> {
  const { teamId } = caller;
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
  // The current segment may have been deleted; starting the campaign reports that.
  const segment = audience.segment_id === undefined ? before?.segmentId : audience.segment_id;
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
  Object.assign(audience, await resolveOtherCampaign(db, caller, input, before));
  const books = audience.contact_book_ids ?? before?.contactBookIds ?? [];
  const book = segment && bookOf.get(segment);
  if (book && !books.includes(book)) {
    throw badRequest('segmentId must be a segment of one of the contact books of this campaign.');
  }
  return audience;
}

/** Without a campaign to exclude, `notOpened` has no meaning, so clearing the campaign clears both fields. */
async function resolveOtherCampaign(
  db: Db,
  caller: CampaignCaller,
  { excludeCampaignId, notOpened }: CampaignUpdate,
  before?: CampaignRow,
): Promise<Partial<Audience>> {
  const audience: Partial<Audience> = {};
  if (excludeCampaignId !== undefined) {
    const other = excludeCampaignId === null ? null : await findCampaign(db, caller, excludeCampaignId);
    if (other && other.id === before?.id) throw badRequest('excludeCampaignId must be another campaign.');
    audience.exclude_campaign_id = other?.id ?? null;
    if (!other) audience.not_opened = false;
  }
  if (notOpened !== undefined) audience.not_opened = notOpened ?? false;
  return audience;
}

function namedBooks({ contactBookId, contactBookIds }: CampaignUpdate): string[] {
  return [...(contactBookId ? [contactBookId] : []), ...(contactBookIds ?? [])];
}

/** Maps each existing segment to its book. */
async function findBooksOfSegments(db: Db, teamId: number, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<Row<'segments', 'id'> & { book: Row<'segments'>['contact_book_id'] }>`
    select id, contact_book_id as book from segments where team_id = ${teamId} and id = any(${ids}::uuid[])
  `.execute(db);
  return new Map(rows.map(({ id, book }) => [id, book]));
}

async function hasTopic(db: Db, teamId: number, id: string | null): Promise<boolean> {
  const { rows } = await sql`select 1 from topics where team_id = ${teamId} and id = ${id}`.execute(db);
  return rows.length > 0;
}
