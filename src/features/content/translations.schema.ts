/** Content in further languages, as templates and campaigns take and show it. */
import { z } from 'zod';
import { record, text } from '../../platform/schema.ts';
import { editorContent } from './editor-content.schema.ts';
import { html, withTags } from './content-limits.ts';
import { canonicalLanguage, type Translations } from './translations.ts';

const MAX_TRANSLATIONS = 50;
const MAX_CHARACTERS = 500_000;

const translation = z
  .object({
    subject: withTags(text({ min: 1, max: 998, trim: true }), 'plain'),
    previewText: withTags(text({ max: 500 }), 'plain').nullish(),
    html: withTags(html({ max: MAX_CHARACTERS }), 'html')
      .nullish()
      .describe('Used instead of `content` if both are sent'),
    content: editorContent.nullish(),
  })
  .refine((given) => Boolean(given.html || given.content), {
    path: ['html'],
    error: 'or content is required',
  });

/** The keys are written in their usual form: `de-at` becomes `de-AT`. */
export const translationsInput = record(z.string(), translation, { max: MAX_TRANSLATIONS })
  .superRefine((given, context) => {
    const tags = Object.keys(given);
    if (tags.length > MAX_TRANSLATIONS)
      context.addIssue({ code: 'custom', message: `must have at most ${MAX_TRANSLATIONS} languages` });
    const seen = new Set<string>();
    for (const tag of tags.slice(0, MAX_TRANSLATIONS)) {
      const language = canonicalLanguage(tag);
      const problem =
        language === null ? 'is not a BCP 47 language tag, such as de or pt-BR' : 'is given twice';
      if (language === null || seen.has(language))
        context.addIssue({ code: 'custom', path: [tag], message: problem });
      else seen.add(language);
    }
  })
  .transform((given): Translations => {
    const entries = Object.entries(given).map(([tag, each]) => [
      canonicalLanguage(tag)!,
      {
        subject: each.subject,
        previewText: each.previewText || null,
        html: each.html || null,
        content: each.html ? null : (each.content ?? null),
      },
    ]);
    return Object.fromEntries(entries) as Translations;
  })
  .nullish()
  .describe(
    'The content in further languages, by BCP 47 tag: `{"de": {"subject": …, "html": …}}`. The property `language` of a contact chooses: that language, then its base (`de` for `de-AT`), then the default content. Replaces all translations; null removes them',
  );

export const shownTranslations = z
  .record(
    z.string(),
    z.object({
      subject: z.string(),
      previewText: z.string().nullable(),
      html: z.string().nullable(),
      content: z.string().nullable(),
    }),
  )
  .nullable()
  .describe('The content in further languages, by BCP 47 tag. null: none');
