/**
 * Saves the fields of a template that were changed here. If someone else changed its content in the meantime, changes
 * to other fields are kept, and the user chooses between changes to the same field.
 */
import type { Template } from '../../../src/features/content/templates/templates.schema.ts';
import { toTranslationInputs, translationsOf } from '../translations/translation-fields.ts';
import { ApiError, getJson, sendJson } from '../../api/client.ts';

export interface TemplateValues {
  name: string;
  alias: string;
  subject: string;
  /** Null for a template that was created from HTML. */
  content: string | null;
  html: string;
  /** The translations as one text (translation-fields.ts). */
  translations: string;
}

type Saved =
  | { template: Template }
  /** `mine` is the base with the saved changes, but without the changes of others. */
  | { template: Template; mine: Template }
  /** Nothing was saved. */
  | { theirs: Template };

export function valuesOf(template: Template): TemplateValues {
  const { name, alias, subject, content, html } = template;
  const translations = translationsOf(template);
  return { name, alias: alias ?? '', subject: subject ?? '', content, html: html ?? '', translations };
}

/** `base` is the template that the values were changed from. */
export async function saveTemplate(base: Template, values: TemplateValues): Promise<Saved> {
  const changes = changesOf(base, values);
  try {
    return { template: await send(base, changes) };
  } catch (error) {
    // The other reason for a conflict is an alias that is in use.
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    const theirs = await getJson<Template>(`/templates/${base.id}`);
    if (theirs.contentSavedAt === base.contentSavedAt) throw error;
    const before = bodyAndSubject(base);
    const now = bodyAndSubject(theirs);
    const isBoth =
      ('subject' in changes && now.subject !== before.subject) ||
      ('translations' in changes && now.translations !== before.translations) ||
      (hasBody(changes) && now.body !== before.body);
    if (isBoth) return { theirs };
    return { template: await send(theirs, changes), mine: { ...base, ...changes } };
  }
}

/** Overwrites the template that someone else saved. Their content becomes a version. */
export function overwriteTemplate(base: Template, values: TemplateValues): Promise<Template> {
  return sendJson<Template>('PATCH', `/templates/${base.id}`, changesOf(base, values));
}

function send({ id, contentSavedAt: basedOn }: Template, changes: object): Promise<Template> {
  const isContent = 'subject' in changes || 'translations' in changes || hasBody(changes);
  return sendJson<Template>('PATCH', `/templates/${id}`, { ...changes, ...(isContent && { basedOn }) });
}

function changesOf(base: Template, values: TemplateValues): object {
  const { name, alias, subject, content, html, translations } = values;
  const before = valuesOf(base);
  const isNewBody =
    content === null ? html !== before.html || before.content !== null : content !== before.content;
  return {
    ...(name !== before.name && { name }),
    ...(alias !== before.alias && { alias: alias.trim() || null }),
    ...(subject !== before.subject && { subject: subject.trim() || null }),
    ...(isNewBody && (content === null ? { html } : { content })),
    ...(translations !== before.translations && {
      translations: toTranslationInputs(translations, subject.trim() || name),
    }),
  };
}

function hasBody(changes: object): boolean {
  return 'html' in changes || 'content' in changes;
}

function bodyAndSubject(template: Template): {
  subject: string | null;
  body: string | null;
  translations: string;
} {
  const { subject, content, html } = template;
  return { subject, body: content ?? html, translations: translationsOf(template) };
}
