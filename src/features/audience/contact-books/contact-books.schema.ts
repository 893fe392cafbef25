import { z } from 'zod';
import { propertyKey } from '../../../mail/html/tag-names.ts';
import { parseMailbox } from '../../../mail/mime/address.ts';
import { jsonObject, pathId, text, timestamp, timeZone } from '../../../platform/schema.ts';
import { withTags } from '../../content/content-limits.ts';
import { editorContent } from '../../content/editor-content.schema.ts';
import { isBuiltIn, VARIABLE_NAME } from './variable-names.ts';

export const MAX_VARIABLES = 1_000;
const MAX_PROPERTIES_BYTES = 16 * 1024;

export const contactBookSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    teamId: z.int(),
    properties: z.record(z.string(), z.unknown()),
    variables: z.array(z.string()).describe('Personalisation variables for the contacts in this book'),
    emoji: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
    doubleOptInEnabled: z.boolean(),
    doubleOptInFrom: z.string().nullable(),
    doubleOptInSubject: z.string(),
    doubleOptInContent: z.string().describe('The JSON document of the email editor, as a string'),
    archiveEnabled: z
      .boolean()
      .describe('Whether the page `/a/{contactBookId}` shows the campaigns with `showInArchive` to everyone'),
    archiveTitle: z.string().nullable().describe('null: the name of the book'),
    archiveDescription: z.string().nullable(),
    archiveIndexed: z.boolean().describe('Whether search engines may list the archive'),
    timezone: z.string(),
    _count: z.object({ contacts: z.int() }),
  })
  .meta({ id: 'ContactBook' });

const variables = z
  .array(
    z
      .string()
      .regex(VARIABLE_NAME, {
        error: 'must start with a letter and have at most 64 letters, digits and underscores',
      })
      .refine((name) => !isBuiltIn(name), { error: 'is a built-in field of every contact' }),
  )
  .max(MAX_VARIABLES)
  .refine((names) => new Set(names.map(propertyKey)).size === names.length, {
    error: 'must not contain duplicates',
  });

const bookName = text({ min: 1, max: 200, trim: true });

export const contactBookUpdate = z.object({
  name: bookName.optional(),
  emoji: text({ min: 1, max: 32, trim: true }).nullish(),
  properties: jsonObject({ maxBytes: MAX_PROPERTIES_BYTES }).nullish(),
  variables: variables.nullish(),
  doubleOptInEnabled: z.boolean().nullish(),
  doubleOptInFrom: text({ min: 1, max: 600 })
    .refine((value) => parseMailbox(value) !== null, {
      error: 'must be an email address, such as Name <user@example.com>',
    })
    .nullish()
    .describe('`Name <user@domain>` or a plain address, on a verified domain of your team'),
  doubleOptInSubject: withTags(text({ min: 1, max: 500, trim: true }), 'plain').nullish(),
  doubleOptInContent: editorContent
    .nullish()
    .describe('Must contain {{doubleOptInUrl}} while double opt-in is on'),
  archiveEnabled: z
    .boolean()
    .nullish()
    .describe(
      'Publishes `/a/{contactBookId}` with a feed at `/a/{contactBookId}/feed.xml`; false by default',
    ),
  archiveTitle: text({ max: 200, trim: true }).nullish(),
  archiveDescription: text({ max: 2000, trim: true }).nullish(),
  archiveIndexed: z.boolean().nullish().describe('false by default'),
  timezone: timeZone
    .nullish()
    .describe(
      'The IANA time zone of contacts without a property `timezone`, for campaigns with `localTime`; UTC by default',
    ),
});

export const contactBookInput = contactBookUpdate.extend({ name: bookName });

export const contactBookParams = z.object({ contactBookId: pathId(3) });
export const contactBookList = z.array(contactBookSchema);
export const contactBookDeleted = z.object({ id: z.string(), success: z.boolean(), message: z.string() });

export type ContactBook = z.infer<typeof contactBookSchema>;
export type ContactBookInput = z.output<typeof contactBookInput>;
export type ContactBookUpdate = z.output<typeof contactBookUpdate>;
