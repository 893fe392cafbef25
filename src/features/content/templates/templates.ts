/** Templates are content with merge tags. Emails refer to them by ID. */
import { sql, type RawBuilder } from 'kysely';
import { renderEditorHtml } from '../../../mail/html/editor/editor-html.ts';
import { usedNames } from '../../../mail/html/merge-tags.ts';
import type { Caller } from '../../api/caller.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { isUniqueViolation } from '../../../platform/database/database-errors.ts';
import { badRequest, conflict, notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import { uuidsOf } from '../../../platform/id-numbers.ts';
import { onPage, readPageStart, toPage, type Page, type PageRequest } from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Translations } from '../translations.ts';
import { keepVersion, readVersionContent, type VersionContent } from '../versions/versions.ts';
import type { Template, TemplateInput, TemplateListItem, TemplateUpdate } from './templates.schema.ts';

const LISTED = ['id', 'name', 'alias', 'subject', 'variables', 'created_at', 'updated_at'] as const;
const COLUMNS = [
  ...LISTED,
  'html',
  'content',
  'plain',
  'translations',
  'content_saved_at',
  'content_saved_by',
] as const;

/** The author of a new or changed template. */
export type TemplateAuthor = Pick<Caller, 'teamId' | 'by'>;

type ListedRow = Row<'templates', (typeof LISTED)[number]>;

type Content = Row<'templates', 'subject' | 'html' | 'content' | 'plain'> & {
  translations: Translations | null;
};

type TemplateRow = ListedRow & Content & Row<'templates', 'content_saved_at' | 'content_saved_by'>;

/** Returns only the fields that an email needs, without the editor document. */
export async function readTemplateContent(
  db: Db,
  teamId: number,
  templateId: string,
): Promise<Omit<Content, 'content'>> {
  const row = await db
    .selectFrom('templates')
    .select(['subject', 'html', 'plain', 'translations'])
    .where('team_id', '=', teamId)
    .where(matches(templateId))
    .executeTakeFirst();
  if (!row) throw notFound('Template', 'no-such-template');
  return { ...row, translations: row.translations as Translations | null };
}

/**
 * Finds a template for a client of another vendor, whose templates have names or numbers: by its ID, by the number of
 * its ID, or by its name. If several templates have the name, returns the newest.
 */
export async function findTemplateId(db: Db, teamId: number, reference: string): Promise<string> {
  if (decodeId('tpl', reference)) return reference;
  const uuids = uuidsOf(/^\d{1,16}$/.test(reference) ? Number(reference) : Number.NaN);
  const row = await db
    .selectFrom('templates')
    .select('id')
    .where('team_id', '=', teamId)
    .where((is) =>
      is.or([
        is('alias', '=', reference),
        is('name', '=', reference),
        ...(uuids ? [is.and([is('id', '>=', uuids.first), is('id', '<=', uuids.last)])] : []),
      ]),
    )
    .orderBy(sql<boolean>`alias is not distinct from ${reference}`, 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!row) throw notFound('Template', 'no-such-template');
  return encodeId('tpl', row.id);
}

const EMPTY: Content = { subject: null, html: null, content: null, plain: null, translations: null };

export async function createTemplate(
  db: Db,
  { teamId, by }: TemplateAuthor,
  input: TemplateInput,
): Promise<Template> {
  const content = changeContent(EMPTY, input);
  const row = await refusingTakenAlias(
    db
      .insertInto('templates')
      .values({
        team_id: teamId,
        id: newUuid(),
        name: input.name,
        alias: input.alias ?? null,
        ...storedContent(content),
        variables: findVariables(content),
        content_saved_by: by,
      })
      .returning(COLUMNS)
      .executeTakeFirstOrThrow(),
  );
  return present(row as TemplateRow);
}

export async function getTemplate(db: Db, teamId: number, templateId: string): Promise<Template> {
  return present(await readTemplate(db, teamId, templateId));
}

export async function listTemplates(
  db: Db,
  teamId: number,
  page: PageRequest,
): Promise<Page<TemplateListItem>> {
  const start = readPageStart('tpl', page);
  const rows = await db
    .selectFrom('templates')
    .select(LISTED)
    .where('team_id', '=', teamId)
    .$call(onPage(start, page))
    .execute();
  return toPage(rows, page, presentListed);
}

export async function updateTemplate(
  db: Db,
  { teamId, by }: TemplateAuthor,
  templateId: string,
  update: TemplateUpdate,
): Promise<Template> {
  return inTransaction(db, async (trx) => {
    const before = await readTemplate(trx, teamId, templateId, 'for update');
    refuseOutdated(before, update);
    if (Object.values(update).every((value) => value === undefined)) return present(before);
    const content = changeContent(before, update);
    if (!content.html && !content.plain && !content.content)
      throw badRequest('A template must keep html, text or content.');
    const change = {
      before: versionOf(before),
      after: versionOf(content),
      savedAt: before.content_saved_at,
      savedBy: before.content_saved_by,
    };
    const isNew = await keepVersion(trx, teamId, { templateId: before.id }, change, 'always');
    const row = await refusingTakenAlias(
      trx
        .updateTable('templates')
        .set({
          name: update.name ?? before.name,
          alias: update.alias === undefined ? before.alias : update.alias,
          ...storedContent(content),
          variables: findVariables(content),
          updated_at: sql`now()`,
          ...(isNew ? { content_saved_at: sql`now()`, content_saved_by: by } : {}),
        })
        .where('team_id', '=', teamId)
        .where('id', '=', before.id)
        .returning(COLUMNS)
        .executeTakeFirstOrThrow(),
    );
    return present(row as TemplateRow);
  });
}

/** Two people, or two tabs, may edit the same template. */
function refuseOutdated({ content_saved_at: savedAt }: TemplateRow, { basedOn }: TemplateUpdate): void {
  if (basedOn && savedAt.getTime() !== basedOn.getTime()) {
    throw conflict(
      'The content of this template was changed in the meantime. Load it again and repeat your change.',
    );
  }
}

/** The replaced content becomes a version itself. */
export async function restoreTemplate(
  db: Db,
  author: TemplateAuthor,
  templateId: string,
  versionId: string,
): Promise<Template> {
  const { teamId } = author;
  const owner = { templateId: await findTemplateKey(db, teamId, templateId) };
  const version = await readVersionContent(db, teamId, owner, versionId);
  const { subject, html, content, plain } = version;
  // Versions from before translations were stored do not change them.
  const translations = version.translations ?? undefined;
  return updateTemplate(db, author, templateId, { subject, html, content, text: plain, translations });
}

/** Returns the UUID of the template. */
export async function findTemplateKey(db: Db, teamId: number, templateId: string): Promise<string> {
  const row = await db
    .selectFrom('templates')
    .select('id')
    .where('team_id', '=', teamId)
    .where(matches(templateId))
    .executeTakeFirst();
  if (!row) throw notFound('Template', 'no-such-template');
  return row.id;
}

function versionOf({ subject, html, content, plain, translations }: Content): VersionContent {
  return { subject, previewText: null, html, content, plain, variants: [], translations: translations ?? {} };
}

export async function deleteTemplate(db: Db, teamId: number, templateId: string): Promise<void> {
  const row = await db
    .deleteFrom('templates')
    .where('team_id', '=', teamId)
    .where(matches(templateId))
    .returning('id')
    .executeTakeFirst();
  if (!row) throw notFound('Template', 'no-such-template');
}

/** The condition for an ID or an alias. */
function matches(idOrAlias: string): RawBuilder<boolean> {
  const key = decodeId('tpl', idOrAlias);
  return key === null ? sql<boolean>`alias = ${idOrAlias}` : sql<boolean>`id = ${key}`;
}

async function refusingTakenAlias<Result>(writing: Promise<Result>): Promise<Result> {
  try {
    return await writing;
  } catch (error) {
    throw isUniqueViolation(error, 'templates_alias_key')
      ? conflict('Another template of your team has this alias.')
      : error;
  }
}

async function readTemplate(
  db: Db,
  teamId: number,
  templateId: string,
  lock?: 'for update',
): Promise<TemplateRow> {
  const row = await db
    .selectFrom('templates')
    .select(COLUMNS)
    .where('team_id', '=', teamId)
    .where(matches(templateId))
    .$if(lock !== undefined, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!row) throw notFound('Template', 'no-such-template');
  return row as TemplateRow;
}

/**
 * `html` is what is sent. It is rendered from the editor document unless it is set directly. Setting html
 * without a document removes the stored document, because it no longer matches.
 */
function changeContent(before: Content, update: TemplateUpdate): Content {
  const isHtmlGiven = update.html !== undefined;
  const content = update.content !== undefined ? update.content : isHtmlGiven ? null : before.content;
  const rendered = update.content ? renderEditorHtml(update.content) : null;
  return {
    subject: update.subject === undefined ? before.subject : update.subject || null,
    html: update.html ?? rendered ?? (isHtmlGiven ? null : before.html),
    content,
    plain: update.text === undefined ? before.plain : update.text || null,
    translations:
      update.translations === undefined ? before.translations : renderTranslations(update.translations),
  };
}

function renderTranslations(given: Translations | null): Translations | null {
  const entries = Object.entries(given ?? {}).map(([language, each]) => [
    language,
    { ...each, html: each.html ?? (each.content && renderEditorHtml(each.content)) },
  ]);
  return entries.length === 0 ? null : (Object.fromEntries(entries) as Translations);
}

function storedContent({ translations, ...content }: Content) {
  return { ...content, translations: translations && JSON.stringify(translations) };
}

function findVariables({ subject, html, plain, translations }: Content): string[] {
  const translated = Object.values(translations ?? {}).flatMap((each) => [each.subject, each.html]);
  const names = [subject, html, plain, ...translated].flatMap((part) => (part ? usedNames(part) : []));
  return [...new Set(names)];
}

function presentListed(row: ListedRow): TemplateListItem {
  return {
    id: encodeId('tpl', row.id),
    name: row.name,
    alias: row.alias,
    subject: row.subject,
    variables: row.variables,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

function present(row: TemplateRow): Template {
  return {
    ...presentListed(row),
    html: row.html,
    content: row.content,
    text: row.plain,
    translations: row.translations,
    contentSavedAt: row.content_saved_at.toISOString(),
  };
}
