/** Templates: content that is written once, with merge tags, and sent by its id. */
import { sql } from 'kysely';
import { renderEditorHtml } from '../../mail/editor-html.ts';
import { tagNames } from '../../mail/merge-tags.ts';
import { inTransaction, type Db } from '../../platform/database.ts';
import { badRequest, notFound } from '../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../platform/ids.ts';
import { readCursor, toPage, type Page } from '../../platform/pages.ts';
import type { Row } from '../../platform/rows.ts';
import type {
  Template,
  TemplateInput,
  TemplateListItem,
  TemplateQuery,
  TemplateUpdate,
} from './templates.schema.ts';

const LISTED = ['id', 'name', 'subject', 'variables', 'created_at', 'updated_at'] as const;
const COLUMNS = [...LISTED, 'html', 'content', 'plain'] as const;

type ListedRow = Row<'templates', (typeof LISTED)[number]>;

type Content = Row<'templates', 'subject' | 'html' | 'content' | 'plain'>;

type TemplateRow = ListedRow & Content;

/** What an email takes from it, and no more: the editor's document stays where it is. */
export async function readTemplateContent(
  db: Db,
  teamId: number,
  templateId: string,
): Promise<Omit<Content, 'content'>> {
  const row = await db
    .selectFrom('templates')
    .select(['subject', 'html', 'plain'])
    .where('team_id', '=', teamId)
    .where('id', '=', templateKey(templateId))
    .executeTakeFirst();
  if (!row) throw notFound('Template');
  return row;
}

export async function createTemplate(db: Db, teamId: number, input: TemplateInput): Promise<Template> {
  const content = changeContent({ subject: null, html: null, content: null, plain: null }, input);
  const row = await db
    .insertInto('templates')
    .values({ team_id: teamId, id: newUuid(), name: input.name, ...content, variables: namesIn(content) })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return present(row);
}

export async function getTemplate(db: Db, teamId: number, templateId: string): Promise<Template> {
  return present(await readTemplate(db, teamId, templateId));
}

export async function listTemplates(
  db: Db,
  teamId: number,
  { limit, cursor }: TemplateQuery,
): Promise<Page<TemplateListItem>> {
  const before = readCursor('tpl', cursor);
  const rows = await db
    .selectFrom('templates')
    .select(LISTED)
    .where('team_id', '=', teamId)
    .$if(before !== null, (query) => query.where('id', '<', before))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  return toPage(rows, limit, presentListed);
}

export async function updateTemplate(
  db: Db,
  teamId: number,
  templateId: string,
  update: TemplateUpdate,
): Promise<Template> {
  return inTransaction(db, async (trx) => {
    const before = await readTemplate(trx, teamId, templateId, 'for update');
    if (Object.values(update).every((value) => value === undefined)) return present(before);
    const content = changeContent(before, update);
    if (!content.html && !content.plain && !content.content)
      throw badRequest('A template must keep html, text or content.');
    const row = await trx
      .updateTable('templates')
      .set({
        name: update.name ?? before.name,
        ...content,
        variables: namesIn(content),
        updated_at: sql`now()`,
      })
      .where('team_id', '=', teamId)
      .where('id', '=', before.id)
      .returning(COLUMNS)
      .executeTakeFirstOrThrow();
    return present(row);
  });
}

export async function deleteTemplate(db: Db, teamId: number, templateId: string): Promise<void> {
  const row = await db
    .deleteFrom('templates')
    .where('team_id', '=', teamId)
    .where('id', '=', templateKey(templateId))
    .returning('id')
    .executeTakeFirst();
  if (!row) throw notFound('Template');
}

function templateKey(templateId: string): string {
  const key = decodeId('tpl', templateId);
  if (!key) throw notFound('Template');
  return key;
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
    .where('id', '=', templateKey(templateId))
    .$if(lock !== undefined, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!row) throw notFound('Template');
  return row;
}

/**
 * html is what is sent. It is made of the editor's document, unless it is given itself: then a document that does
 * not come with it tells another story, and goes.
 */
function changeContent(before: Content, update: TemplateUpdate): Content {
  const isHtmlGiven = update.html !== undefined;
  const content = update.content !== undefined ? update.content : isHtmlGiven ? null : before.content;
  const made = update.content ? renderEditorHtml(update.content) : null;
  return {
    subject: update.subject === undefined ? before.subject : update.subject || null,
    html: update.html ?? made ?? (isHtmlGiven ? null : before.html),
    content,
    plain: update.text === undefined ? before.plain : update.text || null,
  };
}

function namesIn({ subject, html, plain }: Content): string[] {
  const names = [subject, html, plain].flatMap((part) => (part ? tagNames(part) : []));
  return [...new Set(names)];
}

function presentListed(row: ListedRow): TemplateListItem {
  return {
    id: encodeId('tpl', row.id),
    name: row.name,
    subject: row.subject,
    variables: row.variables,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

function present(row: TemplateRow): Template {
  return { ...presentListed(row), html: row.html, content: row.content, text: row.plain };
}
