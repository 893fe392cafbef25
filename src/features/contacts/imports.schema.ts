import { z } from 'zod';
import { cursorPage, cursorQuery, isStorable, pathId, text, timestamp } from '../../platform/schema.ts';
import { contactBookParams } from '../contact-books/contact-books.schema.ts';

export const MAX_REFUSALS_SHOWN = 1_000;
export const CONTACT_FIELDS = ['email', 'firstName', 'lastName', 'subscribed'] as const;
const CONSENTS = ['confirmed', 'ask', 'none'] as const;
export type ContactField = (typeof CONTACT_FIELDS)[number];

const refusalSchema = z
  .object({
    line: z.int().describe('The line of the file on which the row begins; the header is line 1'),
    email: z.string().nullable().describe('What stands in the column of the address, where it could be read'),
    reason: z.string(),
  })
  .meta({ id: 'ContactImportRefusal' });

export const importSchema = z
  .object({
    id: z.string(),
    contactBookId: z.string(),
    status: z.enum(['PENDING', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED']),
    consent: z.enum(CONSENTS),
    consentNote: z.string().nullable(),
    confirmationsWaiting: z
      .int()
      .describe('With `consent=ask`: people whose confirmation has not been sent yet'),
    totalBytes: z.int(),
    doneBytes: z.int(),
    progress: z.number().min(0).max(1),
    rows: z.int().describe('Rows read so far, blank ones not counted: created, updated and refused together'),
    created: z.int(),
    updated: z.int().describe('Rows for a contact that was there already, or that came earlier in the file'),
    refused: z.int(),
    refusals: z
      .array(refusalSchema)
      .describe(`The first ${MAX_REFUSALS_SHOWN} rows that were refused, and why; always empty in lists`),
    error: z.string().nullable().describe('Why the file as a whole could not be read, when FAILED'),
    createdAt: timestamp,
    updatedAt: timestamp,
    finishedAt: timestamp.nullable(),
  })
  .meta({ id: 'ContactImport' });

// The mapping is JSON in a query, and may bring in by an escape what the query itself could not.
const storable = { error: 'must not hold NUL characters or half surrogate pairs' };
const columnMapping = z
  .record(
    text({ min: 1, max: 1_000 }).refine(isStorable, storable),
    text({ min: 1, max: 256, trim: true }).refine(isStorable, storable).nullable(),
  )
  .refine(
    (value) => {
      const targets = Object.values(value).filter((target) => target !== null);
      return new Set(targets).size === targets.length;
    },
    { error: 'must not lead two columns to the same field' },
  );

export const importInput = z.object({
  mapping: z
    .string()
    .transform((value, context): unknown => {
      try {
        return JSON.parse(value);
      } catch {
        context.addIssue({ code: 'custom', message: 'must be a JSON object, as {"Contact": "email"}' });
        return z.NEVER;
      }
    })
    .pipe(columnMapping)
    .optional()
    .describe(
      'A JSON object from the names of columns to what they hold: `email`, `firstName`, `lastName`, `subscribed`, the name of a property, or null to leave the column out. Columns that it does not name are found by their own names.',
    ),
  consent: z
    .enum(CONSENTS)
    .default('none')
    .describe(
      'What happens to the rows of a book with double opt-in. `confirmed`: the people agreed elsewhere and are subscribed at once; the contact keeps a record of it. `ask`: each gets a confirmation, as bulk mail. `none`: they are stored as pending and nobody is written to. In a book without double opt-in new contacts are subscribed in any case, and `ask` is refused.',
    ),
  consentNote: text({ min: 1, max: 1_000, trim: true })
    .optional()
    .describe('How and when the people agreed; kept with each contact that `consent=confirmed` subscribes'),
});

export const importParams = contactBookParams.extend({ importId: pathId() });
export const importQuery = z.object(cursorQuery);
export const importPage = cursorPage(importSchema);
export const refusalPage = cursorPage(refusalSchema);

export type ContactImport = z.infer<typeof importSchema>;
export type Refusal = z.infer<typeof refusalSchema>;
export type ImportQuery = z.output<typeof importQuery>;
export type ImportInput = z.output<typeof importInput>;
export type ColumnMapping = z.output<typeof columnMapping>;
