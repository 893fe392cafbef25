import { z } from 'zod';
import { shownTranslations } from '../translations.schema.ts';
import { cursorPage, cursorQuery, timestamp } from '../../../platform/schema.ts';

const listed = z
  .object({
    id: z.string(),
    subject: z.string().nullable(),
    savedAt: timestamp.describe('When this content was saved'),
    replacedAt: timestamp.describe('When other content took its place'),
    savedBy: z
      .string()
      .nullable()
      .describe('What saved it: an API key (`key_…`), a user (`user:usr_…`) or a `command`. null: not known'),
    savedByName: z
      .string()
      .nullable()
      .describe('The name of that person or key. null: not known, or deleted'),
  })
  .meta({ id: 'VersionListItem' });

/** A variant of an A/B test. A null field has the value of the campaign. */
export const shownVariant = z.object({
  subject: z.string().nullable(),
  from: z.string().nullable(),
  previewText: z.string().nullable(),
  html: z.string().nullable(),
  content: z.string().nullable(),
});

const version = listed
  .extend({
    previewText: z.string().nullable().describe('Only of campaigns'),
    html: z.string().nullable(),
    text: z.string().nullable(),
    content: z.string().nullable().describe('The JSON document of the email editor'),
    rendered: z.string().nullable().describe('The HTML as it would be sent, with merge tags'),
    variants: z
      .array(shownVariant.extend({ rendered: z.string().nullable() }))
      .nullable()
      .describe('The A/B test of a campaign. null: no test'),
    translations: shownTranslations,
  })
  .meta({ id: 'Version' });

export const versionPage = cursorPage(listed);
export const versionQuery = z.object(cursorQuery);
export const versionSchema = version;

export type Version = z.infer<typeof version>;
export type VersionListItem = z.infer<typeof listed>;
