/** Fills in the content of an email: from a template with the email's variables, or from the source of its request. */
import { toOneLine } from '../../../mail/mime/header-encoding.ts';
import type { Db } from '../../../platform/database/database.ts';
import { badRequest } from '../../../platform/errors.ts';
import {
  createRenderer,
  renderSource,
  type ContentSource,
  type ContentValues,
} from '../../content/stored/content-source.ts';
import { chooseLanguage, languagesOf, withTranslation } from '../../content/translations.ts';
import { readTemplateContent } from '../../content/templates/templates.ts';
import { MAX_SUBJECT, type EmailInput } from './emails.schema.ts';
import type { FieldsContent } from './submission.ts';

export interface FilledEmail {
  email: EmailInput;
  source: ContentSource;
  values: ContentValues;
  /** Whether other emails have the same source. */
  isShared: boolean;
}

interface TemplateSource {
  subject: string | null;
  source: ContentSource;
}

/** Of a language, or of the default content. */
type TranslatedTemplate = (language: unknown) => TemplateSource;

/** Reads the source of a template. */
export type FindTemplate = (db: Db, teamId: number, templateId: string) => Promise<TranslatedTemplate>;

const findTemplate: FindTemplate = async (db, teamId, templateId) => {
  const { subject, html, plain, translations } = await readTemplateContent(db, teamId, templateId);
  const languages = languagesOf(translations);
  const sources = new Map<string | null, TemplateSource>();
  return (wanted) => {
    const language = chooseLanguage(languages, wanted);
    const found = sources.get(language);
    if (found) return found;
    const translated = withTranslation({ subject, html, plain }, translations, language);
    const source = { syntax: 'merge-tags' as const, html: translated.html, text: translated.plain };
    const template = { subject: translated.subject, source };
    sources.set(language, template);
    return template;
  };
};

/** Reads each template once, for emails that are prepared together. */
export function createTemplateFinder(): FindTemplate {
  const found = new Map<string, Promise<TranslatedTemplate>>();
  return (db, teamId, templateId) => {
    const key = `${teamId} ${templateId}`;
    let template = found.get(key);
    if (!template) found.set(key, (template = findTemplate(db, teamId, templateId)));
    return template;
  };
}

export async function fillContent(
  db: Db,
  teamId: number,
  { email, made }: Pick<FieldsContent, 'email' | 'made'>,
  find: FindTemplate,
): Promise<FilledEmail> {
  if (email.templateId) {
    const template = await find(db, teamId, email.templateId);
    return fillTemplate(email, template(email.variables?.language));
  }
  if (made) {
    const { html, text } = await renderSource(made.source, {
      values: made.values,
      recipient: email.to[0] ?? null,
    });
    return { email: { ...email, html, text }, ...made, isShared: true };
  }
  const source = { syntax: 'none' as const, html: email.html ?? null, text: email.text ?? null };
  return { email, source, values: {}, isShared: false };
}

/** The email's own subject takes precedence over that of the template. */
async function fillTemplate(
  email: EmailInput,
  { subject: given, source }: TemplateSource,
): Promise<FilledEmail> {
  const values = email.variables ?? {};
  const subject = createRenderer(source, { values, recipient: null })(email.subject || given, 'plain');
  if (subject === null) throw badRequest('subject is required because the template has none.');
  if (subject.length > 2 * MAX_SUBJECT || [...subject].length > MAX_SUBJECT)
    throw badRequest(`With the variables filled in, the subject is longer than ${MAX_SUBJECT} characters.`);
  const { html, text } = await renderSource(source, { values, recipient: null });
  const filled = { ...email, subject: toOneLine(subject), html: html || null, text: text || null };
  if (!filled.html && !filled.text) throw badRequest('The template has no content.');
  return { email: filled, source, values, isShared: true };
}
