import { z } from 'zod';
import { cursorPage, cursorQuery, dateTime, pathId, text, timestamp } from '../../../platform/schema.ts';
import { html, MAX_LINKS, MAX_MERGE_TAGS, withTags } from '../content-limits.ts';
import { mjml } from '../mjml.ts';
import { shownTranslations, translationsInput } from '../translations.schema.ts';
import { editorContent } from '../editor-content.schema.ts';

const MAX_CHARACTERS = 500_000;

const listedFields = {
  id: z.string(),
  name: z.string(),
  alias: z.string().nullable(),
  subject: z.string().nullable(),
  variables: z.array(z.string()).describe('The names of the merge tags'),
  createdAt: timestamp,
  updatedAt: timestamp,
};

const templateListItem = z.object(listedFields).meta({ id: 'TemplateListItem' });

const templateSchema = z
  .object({
    ...listedFields,
    html: z.string().nullable(),
    content: z
      .string()
      .nullable()
      .describe('The JSON document of the email editor that html was generated from'),
    text: z.string().nullable().describe('null: generated from html when the email is sent'),
    translations: shownTranslations,
    contentSavedAt: timestamp.describe('When the subject, html, content or text was last changed'),
  })
  .meta({ id: 'Template' });

const templateName = text({ min: 1, max: 200, trim: true });

const templateFields = z.object({
  name: templateName.optional(),
  alias: z
    .string()
    .regex(/^(?!tpl_)[A-Za-z0-9_-]{1,64}$/, {
      error: 'must have 1 to 64 characters of A-Z a-z 0-9 _ and -, and not start with tpl_',
    })
    .nullish()
    .describe('A name that emails can use as `templateId`. It is unique in your team'),
  subject: withTags(text({ max: 998, trim: true }), 'plain')
    .nullish()
    .describe('Without a subject, each email must have its own'),
  html: withTags(html({ max: MAX_CHARACTERS }), 'html')
    .nullish()
    .describe(`At most ${MAX_LINKS} links and ${MAX_MERGE_TAGS} merge tags`),
  text: withTags(text({ max: MAX_CHARACTERS }), 'plain')
    .nullish()
    .describe(`At most ${MAX_MERGE_TAGS} merge tags`),
  content: editorContent
    .nullish()
    .describe('The JSON document of the email editor. html is generated from it'),
  translations: translationsInput.describe(
    'The content in further languages, by BCP 47 tag: `{"de": {"subject": …, "html": …}}`. An email gets the language of its variable `language`: that one, then its base (`de` for `de-AT`), then the default content. Replaces all translations; null removes them',
  ),
  mjml,
});

export const templateUpdate = templateFields.extend({
  basedOn: dateTime
    .nullish()
    .describe(
      'The `contentSavedAt` of the template that you edited. If its content has changed in the meantime, the response is 409 and nothing is changed',
    ),
});

export const templateInput = templateFields
  .extend({ name: templateName })
  .refine(({ html, text: plain, content, mjml: source }) => Boolean(html || plain || content || source), {
    path: ['html'],
    error: 'or text, content or mjml is required',
  });

export const templateAnswer = templateSchema;
export const contentPreviewInput = z
  .object({
    content: editorContent.nullish(),
    html: html({ max: MAX_CHARACTERS }).nullish().describe('Used instead of `content` if both are sent'),
  })
  .refine((input) => typeof input.html === 'string' || input.content, {
    path: ['content'],
    error: 'or html is required',
  });
export const contentPreviewAnswer = z.object({ html: z.string(), text: z.string() });
export const templateParams = z.object({ templateId: pathId() });
export const templateQuery = z.object(cursorQuery);
export const templatePage = cursorPage(templateListItem);
export const templateDeleted = z.object({ id: z.string(), success: z.boolean() });

export type Template = z.infer<typeof templateSchema>;
export type TemplateListItem = z.infer<typeof templateListItem>;
export type TemplateInput = z.output<typeof templateInput>;
export type TemplateUpdate = z.output<typeof templateUpdate>;
