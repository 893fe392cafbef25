/**
 * Earlier content of campaigns and templates. Before a change the content is kept as a version. Drafts save themselves
 * every second, so a version is kept only in steps: when the last one was made more than five minutes ago, or when
 * the change removes more than half of the content. Restoring a version keeps the content that it replaces.
 */
import { sql, type RawBuilder } from 'kysely';
import { renderEditorHtml } from '../../../mail/html/editor-html.ts';
import type { Db } from '../../../platform/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import { fromStart, orderOf, readPageStart, toPage } from '../../../platform/pages.ts';
import type { Page, PageRequest } from '../../../platform/pages.ts';
import type { Row } from '../../../platform/rows.ts';
import type { Version, VersionListItem } from './versions.schema.ts';

const STEP_MINUTES = 5;
const MAX_VERSIONS = 100;
/** Rendering longer documents would take too long. */
const MAX_COMPARED = 100_000;

/** The ids are those of the database. */
export type VersionOwner = { campaignId: string } | { templateId: string };

export interface VersionContent {
  subject: string | null;
  previewText: string | null;
  html: string | null;
  plain: string | null;
  content: string | null;
}

/**
 * Keeps `before`, unless nothing changes or the step is too small. The caller holds the lock on the row of the owner.
 * With `always`, every change is a step.
 */
export async function keepVersion(
  trx: Db,
  teamId: number,
  owner: VersionOwner,
  { before, after, savedAt }: { before: VersionContent; after: VersionContent; savedAt: Date },
  steps: 'always' | 'in steps',
): Promise<void> {
  if (isSame(before, after)) return;
  const isLarge = steps === 'always' || sizeOf(after) * 2 < sizeOf(before);
  const { subject, previewText, html, plain, content } = before;
  const { campaignId = null, templateId = null } = owner as { campaignId?: string; templateId?: string };
  const { rows } = await sql`
    insert into content_versions (team_id, id, campaign_id, template_id, subject, preview_text, html, plain, content, saved_at)
    select ${teamId}, ${newUuid()}, ${campaignId}, ${templateId}, ${subject}, ${previewText}, ${html}, ${plain}, ${content},
      ${savedAt}
    where ${isLarge} or not exists (
      select from content_versions v
      where ${ownedBy(teamId, owner)} and v.created_at > now() - make_interval(mins => ${STEP_MINUTES})
    )
    returning 1
  `.execute(trx);
  if (rows.length > 0) await dropOldest(trx, teamId, owner);
}

function isSame(one: VersionContent, other: VersionContent): boolean {
  const fields = ['subject', 'previewText', 'html', 'plain'] as const;
  return fields.every((field) => one[field] === other[field]) && isSameLetter(one.content, other.content);
}

/** The editor writes a document from elsewhere in its own way, which changes nothing that is sent. */
function isSameLetter(one: string | null, other: string | null): boolean {
  if (one === other) return true;
  if (one === null || other === null || one.length + other.length > MAX_COMPARED) return false;
  return renderEditorHtml(one) === renderEditorHtml(other);
}

function sizeOf({ html, plain, content }: VersionContent): number {
  return (content ?? html ?? plain ?? '').length;
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

type ListedRow = Row<'content_versions', 'id' | 'subject' | 'saved_at' | 'created_at'>;

/** Newest first. */
export async function listVersions(
  db: Db,
  teamId: number,
  owner: VersionOwner,
  page: PageRequest,
): Promise<Page<VersionListItem>> {
  const start = readPageStart('ver', page);
  const { rows } = await sql<ListedRow>`
    select v.id, v.subject, v.saved_at, v.created_at from content_versions v
    where ${ownedBy(teamId, owner)} and ${fromStart(start, 'v.id')}
    order by v.id ${orderOf(start)} limit ${page.limit + 1}
  `.execute(db);
  return toPage(rows, page, presentListed);
}

type VersionRow = ListedRow & Row<'content_versions', 'preview_text' | 'html' | 'plain' | 'content'>;

async function findVersion(
  db: Db,
  teamId: number,
  owner: VersionOwner,
  versionId: string,
): Promise<VersionRow> {
  const { rows } = await sql<VersionRow>`
    select v.id, v.subject, v.saved_at, v.created_at, v.preview_text, v.html, v.plain, v.content
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
  return {
    ...presentListed(row),
    previewText: row.preview_text,
    html: row.html,
    text: row.plain,
    content: row.content,
    rendered: row.html ?? (row.content && renderEditorHtml(row.content)),
  };
}

export async function readVersionContent(
  db: Db,
  teamId: number,
  owner: VersionOwner,
  versionId: string,
): Promise<VersionContent> {
  const { subject, preview_text, html, plain, content } = await findVersion(db, teamId, owner, versionId);
  return { subject, previewText: preview_text, html, plain, content };
}

function presentListed(row: ListedRow): VersionListItem {
  return {
    id: encodeId('ver', row.id),
    subject: row.subject,
    savedAt: row.saved_at.toISOString(),
    replacedAt: row.created_at.toISOString(),
  };
}
