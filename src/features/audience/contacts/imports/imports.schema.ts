import { z } from 'zod';
import { cursorPage, cursorQuery, isStorable, pathId, text, timestamp } from '../../../../platform/schema.ts';
import { contactBookParams } from '../../contact-books/contact-books.schema.ts';
import { CONTACT_FIELDS, SUBSCRIPTION_FIELDS } from './column-names.ts';

export const MAX_REFUSALS_SHOWN = 1_000;
export const MAX_COLUMNS_SHOWN = 200;
const CONSENTS = ['confirmed', 'ask', 'none'] as const;

const refusalSchema = z
  .object({
    line: z.int().describe('The line of the file where the row starts. The header is line 1'),
    email: z.string().nullable().describe('The value in the email column, if it could be read'),
    reason: z.string(),
  })
  .meta({ id: 'ContactImportRefusal' });

const columnSchema = z
  .object({
    name: z.string().describe('The name in the header row'),
    importedAs: z
      .enum([...CONTACT_FIELDS, 'property'])
      .nullable()
      .describe('null: the column is skipped'),
    property: z.string().nullable().describe('The name of the property'),
  })
  .meta({ id: 'ContactImportColumn' });

export const importSchema = z
  .object({
    id: z.string(),
    contactBookId: z.string(),
    status: z.enum(['PENDING', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED']),
    consent: z.enum(CONSENTS),
    consentNote: z.string().nullable(),
    confirmationsWaiting: z
      .int()
      .describe('With `consent=ask`: the number of confirmation emails that have not been sent yet'),
    totalBytes: z.int(),
    doneBytes: z.int(),
    progress: z.number().min(0).max(1),
    rows: z.int().describe('Rows read so far, without blank rows: created, updated and rejected together'),
    created: z.int(),
    updated: z.int().describe('Rows for a contact that already existed or that appeared earlier in the file'),
    refused: z.int(),
    unsubscribed: z
      .int()
      .describe(
        'Rows of people who, according to the file, have left or never confirmed. They are not subscribed',
      ),
    columns: z
      .array(columnSchema)
      .describe(
        `How the columns are imported, the first ${MAX_COLUMNS_SHOWN}. Empty until the header has been read`,
      ),
    refusals: z
      .array(refusalSchema)
      .describe(`The first ${MAX_REFUSALS_SHOWN} rejected rows with the reason. Always empty in lists`),
    error: z.string().nullable().describe('Why the import FAILED'),
    createdAt: timestamp,
    updatedAt: timestamp,
    finishedAt: timestamp.nullable(),
  })
  .meta({ id: 'ContactImport' });

// The mapping is JSON in the query string, so its escapes can contain characters that the query itself rejects.
const storable = { error: 'must not contain NUL characters or unpaired surrogates' };
const columnMapping = z
  .record(
    text({ min: 1, max: 1_000 }).refine(isStorable, storable),
    text({ min: 1, max: 256, trim: true }).refine(isStorable, storable).nullable(),
  )
  .refine(
    (value) => {
      const targets = Object.values(value).filter(
        (target) => target !== null && !SUBSCRIPTION_FIELDS.some((field) => field === target),
      );
      return new Set(targets).size === targets.length;
    },
    { error: 'must not map two columns to the same field' },
  );

export const importInput = z.object({
  mapping: z
    .string()
    .transform((value, context): unknown => {
      try {
        return JSON.parse(value);
      } catch {
        context.addIssue({ code: 'custom', message: 'must be a JSON object, such as {"Contact": "email"}' });
        return z.NEVER;
      }
    })
    .pipe(columnMapping)
    .optional()
    .describe(
      `A JSON object that maps column names to ${CONTACT_FIELDS.map((field) => `\`${field}\``).join(', ')}, the name of a property, or null to skip the column. Columns that are not listed are recognised by their names.`,
    ),
  consent: z
    .enum(CONSENTS)
    .default('none')
    .describe(
      'What happens to new contacts in a book with double opt-in. `confirmed`: they have already agreed and are subscribed right away; the consent is recorded with each contact. `ask`: each gets a confirmation email, sent as bulk email. `none`: they are stored as pending and get no email. In a book without double opt-in, new contacts are always subscribed and `ask` is rejected.',
    ),
  consentNote: text({ min: 1, max: 1_000, trim: true })
    .optional()
    .describe('How and when they agreed. Stored with each contact that is subscribed by `consent=confirmed`'),
  triggerAutomations: z
    .enum(['true', 'false'])
    .default('false')
    .describe('`true`: new contacts start the automations that begin with them'),
});

export const importParams = contactBookParams.extend({ importId: pathId() });
export const importQuery = z.object(cursorQuery);
export const importPage = cursorPage(importSchema);
export const refusalPage = cursorPage(refusalSchema);

export type ImportedColumn = z.infer<typeof columnSchema>;
export type ContactImport = z.infer<typeof importSchema>;
export type RejectedRow = z.infer<typeof refusalSchema>;
export type ImportQuery = z.output<typeof importQuery>;
export type ImportInput = z.output<typeof importInput>;
export type ColumnMapping = z.output<typeof columnMapping>;
