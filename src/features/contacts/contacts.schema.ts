import { z } from 'zod';
import { parseAddress, type Address } from '../../mail/address.ts';
import { cursorPage, cursorQuery, pathId, record, text, timestamp } from '../../platform/schema.ts';
import { contactBookParams } from '../contact-books/contact-books.schema.ts';

const MAX_PROPERTIES_BYTES = 16 * 1024;
const MAX_PROPERTIES = 2_500;
const MAX_BULK = 10_000;

const consentSchema = z
  .object({
    source: z.literal('import'),
    importId: z.string(),
    note: z.string().nullable().describe('The `consentNote` of the import'),
    by: z.string().describe('The key or the person that started the import: `key_…` or `user:usr_…`'),
    at: timestamp,
  })
  .meta({ id: 'ContactConsent' });

export const contactSchema = z
  .object({
    id: z.string(),
    contactBookId: z.string(),
    email: z.string(),
    firstName: z.string().nullable(),
    lastName: z.string().nullable(),
    properties: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    subscribed: z.boolean().describe('False also while a double opt-in waits for its confirmation'),
    unsubscribeReason: z.string().nullable(),
    consent: consentSchema
      .nullable()
      .describe('Set when an import with `consent=confirmed` subscribed this contact'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Contact' });

const propertyError = { error: 'must be a string, a number (whole ones up to 2^53), a boolean or null' };
const propertyValue = z.union(
  [
    z.string(),
    // A whole number past 2^53 would change on the way through JSON: told, not stored wrong.
    z.number().refine((value) => !Number.isInteger(value) || Number.isSafeInteger(value), propertyError),
    z.boolean(),
    z.null(),
  ],
  propertyError,
);

const contactProperties = record(text({ min: 1, max: 256 }), propertyValue, { max: MAX_PROPERTIES }).refine(
  (value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_PROPERTIES_BYTES,
  {
    error: `must have at most ${MAX_PROPERTIES_BYTES} bytes as JSON`,
  },
);

const personName = text({ max: 200 });

/** In PATCH, null clears a name; POST takes it the same way. */
export const contactUpdate = z.object({
  firstName: personName.nullish(),
  lastName: personName.nullish(),
  properties: contactProperties.nullish().describe('Merged key by key; null removes a key'),
  subscribed: z.boolean().nullish(),
});

const contactEmail = text({ min: 1, max: 320 })
  .transform((value, context): Address => {
    const address = parseAddress(value);
    if (address) return address;
    context.addIssue({ code: 'custom', message: 'must be a mail address' });
    return z.NEVER;
  })
  .meta({ format: 'email' });

export const contactInput = contactUpdate.extend({ email: contactEmail });

export const contactParams = contactBookParams.extend({ contactId: pathId() });

export const contactQuery = z.object({
  ...cursorQuery,
  email: text({ min: 1, max: 320 }).optional().describe('Only the contact with this address'),
  subscribed: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional(),
  search: text({ max: 200 }).optional().describe('Part of the address or of a name, in any case'),
});

export const contactPage = cursorPage(contactSchema);
export const contactWritten = z.object({ contactId: z.string() });
export const contactDeleted = z.object({ success: z.boolean() });

export const contactsInput = z.array(contactInput).min(1).max(MAX_BULK);
export const contactsWritten = z.object({ message: z.string(), count: z.int() });
export const contactsToDelete = z.object({
  contactIds: z
    .array(text({ min: 1, max: 256 }))
    .min(1)
    .max(MAX_BULK),
});
export const contactsDeleted = z.object({ success: z.boolean(), count: z.int() });

export type Contact = z.infer<typeof contactSchema>;
export type ContactInput = z.output<typeof contactInput>;
export type ContactUpdate = z.output<typeof contactUpdate>;
export type ContactQuery = z.output<typeof contactQuery>;
