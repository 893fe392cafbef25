/**
 * Earlier content of campaigns and templates. Before a change the content is stored as a version. Drafts are saved
 * every second, so a version is stored only in steps: when the last one is more than five minutes old, or when the
 * change removes more than half of the content. Restoring a version stores the content that it replaces.
 */
import { sql, type RawBuilder } from 'kysely';
import { renderEditorHtml } from '../../../mail/html/editor/editor-html.ts';
import type { Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import { fromStart, orderOf, readPageStart, toPage } from '../../../platform/pages.ts';
import type { Page, PageRequest } from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Translations } from '../translations.ts';
import { readAuthorNames } from './authors.ts';
import { presentVariant, type Variant } from './variants.ts';
import type { Version, VersionListItem } from './versions.schema.ts';

const STEP_MINUTES = 5;
const MAX_VERSIONS = 100;
/** Rendering longer documents would take too long. */
const MAX_COMPARED = 100_000;

/** The IDs are UUIDs. */
export type VersionOwner = { campaignId: string } | { templateId: string };

export interface VersionContent {
  subject: string | null;
  previewText: string | null;
  html: string | null;
  plain: string | null;
  content: string | null;
  /**
   * The variants of an A/B test. Empty without a test, and for templates. Null in versions from before this field
   * existed.
   */
  variants: readonly Variant[] | null;
  /** Empty without translations. Null in versions from before this field existed. */
  translations: Translations | null;
}

/** The replaced content, with its author and time. */
export interface ContentChange {
  before: VersionContent;
  after: VersionContent;
  savedAt: Date;
  savedBy: string | null;
}

/**
 * Stores `before`, unless nothing changes or the step is too small. The caller must hold the lock on the owner's row.
 * With `always`, every change is a step. Returns whether the content changes.
 */
export async function keepVersion(
  trx: Db,
  teamId: number,
  owner: VersionOwner,
  { before, after, savedAt, savedBy }: ContentChange,
  steps: 'always' | 'in steps',
): Promise<boolean> {
  if (isSame(before, after)) return false;
  const isLarge = steps === 'always' || sizeOf(after) * 2 < sizeOf(before);
  const { subject, previewText, html, plain, content } = before;
  const variants = 'campaignId' in owner ? JSON.stringify(before.variants) : null;
  const { campaignId = null, templateId = null } = owner as { campaignId?: string; templateId?: string };
  const { rows } = await sql`
    insert into content_versions (
      team_id, id, campaign_id, template_id, subject, preview_text, html, plain, content, variants, translations, saved_at,
      saved_by
    )
    select ${teamId}, ${newUuid()}, ${campaignId}, ${templateId}, ${subject}, ${previewText}, ${html}, ${plain}, ${content},
      ${variants}::jsonb, ${JSON.stringify(before.translations ?? {})}::jsonb, ${savedAt}, ${savedBy}
    where ${isLarge} or not exists (
      select from content_versions v
      where ${ownedBy(teamId, owner)} and v.created_at > now() - make_interval(mins => ${STEP_MINUTES})
    )
    returning 1
  `.execute(trx);
  if (rows.length > 0) await dropOldest(trx, teamId, owner);
  return true;
}

function isSame(one: VersionContent, other: VersionContent): boolean {
  const fields = ['subject', 'previewText', 'html', 'plain'] as const;
  if (!fields.every((field) => one[field] === other[field])) return false;
  if (!isSameInAll(one.translations ?? {}, other.translations ?? {})) return false;
  return isSameDocument(one.content, other.content) && isSameTest(one.variants ?? [], other.variants ?? []);
}

function isSameInAll(one: Translations, other: Translations): boolean {
  const languages = Object.keys(one);
  return (
    languages.length === Object.keys(other).length &&
    languages.every((language) => {
      const [a, b] = [one[language]!, other[language]];
      return (
        b !== undefined &&
        (['subject', 'previewText', 'html', 'content'] as const).every((field) => a[field] === b[field])
      );
    })
  );
}

function isSameTest(one: readonly Variant[], other: readonly Variant[]): boolean {
  const fields = ['subject', 'sender', 'previewText', 'html'] as const;
  return (
    one.length === other.length &&
    one.every((variant, at) => {
      const match = other[at]!;
      return (
        fields.every((field) => variant[field] === match[field]) &&
        isSameDocument(variant.content, match.content)
      );
    })
  );
}

/** The editor rewrites documents from other sources in its own format, which does not change the email. */
function isSameDocument(one: string | null, other: string | null): boolean {
  if (one === other) return true;
  if (one === null || other === null || one.length + other.length > MAX_COMPARED) return false;
  return renderEditorHtml(one) === renderEditorHtml(other);
}

function sizeOf({ html, plain, content, variants, translations }: VersionContent): number {
  const others = [...(variants ?? []), ...Object.values(translations ?? {})];
  const contents = [content ?? html ?? plain, ...others.map((each) => each.content ?? each.html)];
  return contents.reduce((size, each) => size + (each?.length ?? 0), 0);
}

async function dropOldest(trx: Db, teamId: number, owner: VersionOwner): Promise<void> {
  await sql`
    delete from content_versions where team_id = ${teamId} and id in (
      select v.id from content_versions v where ${ownedBy(teamId, owner)} order by v.id desc offset ${MAX_VERSIONS}
    )
  `.execute(trx);
}

function ownedBy(teamId: number, owner: VersionOwner): RawBuilder<boolean> {
  return 'campaignId' in owner
    ? sql<boolean>`v.team_id = ${teamId} and v.campaign_id = ${owner.campaignId}`
    : sql<boolean>`v.team_id = ${teamId} and v.template_id = ${owner.templateId}`;
}

type ListedRow = Row<'content_versions', 'id' | 'subject' | 'saved_at' | 'saved_by' | 'created_at'>;

/** Lists the newest first. */
export async function listVersions(
  db: Db,
  teamId: number,
  owner: VersionOwner,
  page: PageRequest,
): Promise<Page<VersionListItem>> {
  const start = readPageStart('ver', page);
  const { rows } = await sql<ListedRow>`
    select v.id, v.subject, v.saved_at, v.saved_by, v.created_at from content_versions v
    where ${ownedBy(teamId, owner)} and ${fromStart(start, 'v.id')}
    order by v.id ${orderOf(start)} limit ${page.limit + 1}
  `.execute(db);
  const names = await readAuthorNames(
    db,
    teamId,
    rows.map((row) => row.saved_by),
  );
  return toPage(rows, page, (row) => presentListed(row, names));
}

type VersionRow = ListedRow &
  Row<'content_versions', 'preview_text' | 'html' | 'plain' | 'content'> & {
    variants: Variant[] | null;
    translations: Translations | null;
  };

async function findVersion(
  db: Db,
  teamId: number,
  owner: VersionOwner,
  versionId: string,
): Promise<VersionRow> {
  const { rows } = await sql<VersionRow>`
    select v.id, v.subject, v.saved_at, v.saved_by, v.created_at, v.preview_text, v.html, v.plain, v.content, v.variants,
      v.translations
    from content_versions v where ${ownedBy(teamId, owner)} and v.id = ${decodeId('ver', versionId)}
  `.execute(db);
  if (!rows[0]) throw notFound('Version');
  return rows[0];
}

export async function getVersion(
  db: Db,
  teamId: number,
  owner: VersionOwner,
  versionId: string,
): Promise<Version> {
  const row = await findVersion(db, teamId, owner, versionId);
  const { variants } = row;
  return {
    ...presentListed(row, await readAuthorNames(db, teamId, [row.saved_by])),
    previewText: row.preview_text,
    html: row.html,
    text: row.plain,
    content: row.content,
    rendered: render(row),
    translations: row.translations && Object.keys(row.translations).length > 0 ? row.translations : null,
    variants:
      variants && variants.length > 0
        ? variants.map((variant) => ({ ...presentVariant(variant), rendered: render(variant) }))
        : null,
  };
}

function render({ html, content }: { html: string | null; content: string | null }): string | null {
  return html ?? (content && renderEditorHtml(content));
}

export async function readVersionContent(
  db: Db,
  teamId: number,
  owner: VersionOwner,
  versionId: string,
): Promise<VersionContent> {
  const version = await findVersion(db, teamId, owner, versionId);
  const { subject, preview_text, html, plain, content, variants, translations } = version;
  return { subject, previewText: preview_text, html, plain, content, variants, translations };
}

function presentListed(row: ListedRow, names: ReadonlyMap<string, string>): VersionListItem {
  return {
    id: encodeId('ver', row.id),
    subject: row.subject,
    savedAt: row.saved_at.toISOString(),
    replacedAt: row.created_at.toISOString(),
    savedBy: row.saved_by,
    savedByName: (row.saved_by && names.get(row.saved_by)) ?? null,
  };
}
