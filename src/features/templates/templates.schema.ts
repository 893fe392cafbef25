import { z } from 'zod';
import {
  cursorPage,
  cursorQuery,
  html,
  MAX_LINKS,
  MAX_MERGE_TAGS,
  pathId,
  text,
  timestamp,
  withFewTags,
} from '../../platform/schema.ts';
import { editorContent } from '../contact-books/contact-books.schema.ts';

const MAX_CHARACTERS = 500_000;

const listedFields = {
  id: z.string(),
  name: z.string(),
  subject: z.string().nullable(),
  variables: z.array(z.string()).describe('The names that its merge tags ask for'),
  createdAt: timestamp,
  updatedAt: timestamp,
};

const templateListItem = z.object(listedFields).meta({ id: 'TemplateListItem' });

const templateSchema = z
  .object({
    ...listedFields,
    html: z.string().nullable(),
    content: z.string().nullable().describe('The JSON document of the email editor that html was made of'),
    text: z.string().nullable().describe('Null: made from html when it is sent'),
  })
  .meta({ id: 'Template' });

const templateName = text({ min: 1, max: 200, trim: true });

export const templateUpdate = z.object({
  name: templateName.optional(),
  subject: text({ max: 998, trim: true }).nullish().describe('Without one, each email needs its own'),
  html: withFewTags(html({ max: MAX_CHARACTERS }))
    .nullish()
    .describe(`At most ${MAX_LINKS} links and ${MAX_MERGE_TAGS} merge tags`),
  text: withFewTags(text({ max: MAX_CHARACTERS }))
    .nullish()
    .describe(`At most ${MAX_MERGE_TAGS} merge tags`),
  content: editorContent.nullish().describe('The JSON document of the email editor; html is made of it'),
});

export const templateInput = templateUpdate
  .extend({ name: templateName })
  .refine(({ html, text: plain, content }) => Boolean(html || plain || content), {
    path: ['html'],
    error: 'or text or content is required',
  });

export const templateAnswer = templateSchema;
export const templateParams = z.object({ templateId: pathId() });
export const templateQuery = z.object(cursorQuery);
export const templatePage = cursorPage(templateListItem);
export const templateDeleted = z.object({ id: z.string(), success: z.boolean() });

export type Template = z.infer<typeof templateSchema>;
export type TemplateListItem = z.infer<typeof templateListItem>;
export type TemplateInput = z.output<typeof templateInput>;
export type TemplateUpdate = z.output<typeof templateUpdate>;
export type TemplateQuery = z.output<typeof templateQuery>;
