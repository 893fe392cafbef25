import { z } from 'zod';
import { parseAddress, type Address } from '../../../mail/mime/address.ts';
import {
  cursorPage,
  cursorQuery,
  integerText,
  pathId,
  record,
  text,
  timestamp,
} from '../../../platform/schema.ts';
import { suppressionReason } from '../../sending/suppressions/suppressions.schema.ts';
import { contactBookParams } from '../contact-books/contact-books.schema.ts';
import { eachOwnField, OWN_FIELDS } from '../own-fields/own-fields.ts';
import { mergeProperties } from './property-names.ts';

const MAX_PROPERTIES_BYTES = 16 * 1024;
const MAX_PROPERTIES = 2_500;
const MAX_BULK = 10_000;

const consentSchema = z
  .union([
    z.object({
      source: z.literal('import'),
      importId: z.string(),
      note: z.string().nullable().describe('The `consentNote` of the import'),
      by: z
        .string()
        .describe('What started the import: an API key (`key_…`), a user (`user:usr_…`) or a `command`'),
      at: timestamp,
    }),
    z.object({
      source: z.literal('form'),
      formId: z.string().describe('The form by which the person signed up'),
      by: z.string().describe('The form again, or `recipient` after a confirmation by email'),
      at: timestamp,
    }),
    z.object({
      source: z.literal('archive').describe('A page of the archive of the book'),
      by: z.string(),
      at: timestamp,
    }),
  ])
  .meta({ id: 'ContactConsent' });

export const CONTACT_SOURCES = ['form', 'import', 'api', 'archive', 'referral'] as const;

const contactSchema = z
  .object({
    id: z.string(),
    contactBookId: z.string(),
    email: z.string(),
    ...eachOwnField(() => z.string().nullable()),
    properties: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    subscribed: z.boolean().describe('Also false while double opt-in is pending'),
    unsubscribeReason: z.string().nullable(),
    consent: consentSchema
      .nullable()
      .describe('How this contact came here: by an import with `consent=confirmed`, or by a form'),
    source: z
      .enum(CONTACT_SOURCES)
      .describe('Where the contact came from. `api`: added by a request, or by a person in the dashboard'),
    sourceId: z
      .string()
      .nullable()
      .describe(
        'The form (`frm_…`), the import (`imp_…`), the API key (`key_…`) or the person (`user:usr_…`). For `archive` the campaign (`cmp_…`) or the book, for `referral` the contact who brought this one (`con_…`)',
      ),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Contact' });

const contactDetails = contactSchema
  .extend({
    subscription: z.object({
      state: z.enum(['subscribed', 'pending', 'unsubscribed']),
      changedAt: timestamp,
      changedBy: z
        .string()
        .describe('What changed it last: an API key (`key_…`), a user (`user:usr_…`), or a link in an email'),
    }),
    confirmationSentAt: timestamp.nullable().describe('When the double opt-in email was last sent'),
    lastOpenedAt: timestamp.nullable().describe('When the contact last opened an email of a campaign'),
    lastClickedAt: timestamp.nullable().describe('When the contact last clicked a link of a campaign'),
    referrals: z.int().describe('People who signed up on the page that this contact has shared'),
    suppression: z
      .object({ reason: suppressionReason, createdAt: timestamp })
      .nullable()
      .describe('Set while the team sends nothing to this address'),
    books: z
      .array(
        z.object({
          contactBookId: z.string(),
          contactId: z.string(),
          name: z.string(),
          emoji: z.string(),
          subscribed: z.boolean(),
        }),
      )
      .describe('All contact books that have this address, the oldest first'),
  })
  .meta({ id: 'ContactDetails' });
export const contactAnswer = contactDetails;

const propertyError = { error: 'must be a string, a number (integers up to 2^53), a boolean or null' };
const propertyValue = z.union(
  [
    z.string(),
    // JSON cannot represent integers above 2^53 exactly, so they are rejected rather than stored wrong.
    z.number().refine((value) => !Number.isInteger(value) || Number.isSafeInteger(value), propertyError),
    z.boolean(),
    z.null(),
  ],
  propertyError,
);

const contactProperties = record(text({ min: 1, max: 256 }), propertyValue, { max: MAX_PROPERTIES })
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_PROPERTIES_BYTES, {
    error: `must be at most ${MAX_PROPERTIES_BYTES} bytes as JSON`,
  })
  .transform((value) => mergeProperties(value));

/** Null clears a field, in PATCH and in POST. */
export const ownFieldsInput = eachOwnField((name) => text({ max: OWN_FIELDS[name].max }).nullish());

export const contactUpdate = z.object({
  ...ownFieldsInput,
  properties: contactProperties
    .nullish()
    .describe('Merged key by key; keys are case-insensitive. null removes a key'),
  subscribed: z.boolean().nullish(),
});

export const contactEmail = text({ min: 1, max: 320 })
  .transform((value, context): Address => {
    const address = parseAddress(value);
    if (address) return address;
    context.addIssue({ code: 'custom', message: 'must be a valid email address' });
    return z.NEVER;
  })
  .meta({ format: 'email' });

export const contactInput = contactUpdate.extend({ email: contactEmail });

export const contactParams = contactBookParams.extend({ contactId: pathId() });

const contactFilterQuery = {
  email: text({ min: 1, max: 320 }).optional().describe('Only the contact with this email address'),
  subscribed: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional(),
  search: text({ max: 200 }).optional().describe('Part of the email address or name, ignoring case'),
};

export const contactQuery = z.object({ ...cursorQuery, ...contactFilterQuery });
/** One page has as many IDs as a bulk request accepts. */
export const contactIdQuery = z.object({
  ...contactFilterQuery,
  cursor: cursorQuery.cursor,
  limit: integerText(1, MAX_BULK).default(MAX_BULK),
});

export const personQuery = z.object({ email: contactEmail });
export const contactPage = cursorPage(contactSchema);
export const contactIdPage = cursorPage(z.string());
export const contactWritten = z.object({ contactId: z.string() });
export const contactDeleted = z.object({ success: z.boolean() });

export const contactsInput = z.array(contactInput).min(1).max(MAX_BULK);
export const contactsWritten = z.object({ message: z.string(), count: z.int() });
export const contactIds = z
  .array(text({ min: 1, max: 256 }))
  .min(1)
  .max(MAX_BULK);
export const contactsToDelete = z.object({ contactIds });
export const contactsDeleted = z.object({ success: z.boolean(), count: z.int() });

export type ContactDetails = z.infer<typeof contactDetails>;
export type Contact = z.infer<typeof contactSchema>;
export type ContactInput = z.output<typeof contactInput>;
export type ContactUpdate = z.output<typeof contactUpdate>;
export type ContactQuery = z.output<typeof contactQuery>;
