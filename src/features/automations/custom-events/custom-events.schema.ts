import { z } from 'zod';
import {
  cursorPage,
  cursorQuery,
  dateTime,
  jsonObject,
  record,
  text,
  timestamp,
} from '../../../platform/schema.ts';
import { RESERVED_NAMES } from '../definition/own-events.ts';
import { contactEmail } from '../../audience/contacts/contacts.schema.ts';

const MAX_BATCH = 1_000;
const MAX_DATA_BYTES = 16 * 1024;
const MAX_FIELDS = 200;

const eventName = z
  .string()
  .regex(/^[a-z][a-z0-9_.-]{0,99}$/, {
    error: 'must have 1 to 100 characters of a-z, 0-9, _, . and -, and begin with a letter',
  })
  .refine((name) => !RESERVED_NAMES.some((prefix) => name.startsWith(prefix)), {
    error: `must not begin with ${RESERVED_NAMES.join(', ')}, which are our own events`,
  });

const eventData = jsonObject({ maxBytes: MAX_DATA_BYTES });

export const eventInput = z
  .object({
    name: eventName,
    email: contactEmail.nullish(),
    contactId: text({ min: 1, max: 256 }).nullish(),
    contactBookId: text({ min: 1, max: 256 })
      .nullish()
      .describe('An address that is not in this book is added to it'),
    data: eventData.nullish().describe('At most 16 kB as JSON'),
    occurredAt: dateTime.nullish().describe('Default: now'),
    id: text({ min: 1, max: 128 })
      .nullish()
      .describe('Makes the call repeatable: for 30 days, the same ID is recorded once'),
  })
  .superRefine(({ email, contactId }, context) => {
    if (!!email === !!contactId)
      context.addIssue({
        code: 'custom',
        path: ['email'],
        message: 'or contactId is required, but not both',
      });
  })
  .meta({ id: 'EventInput' });

export const eventBatch = z.array(eventInput).min(1).max(MAX_BATCH);

export const eventAnswer = z.object({
  id: z.string(),
  name: z.string(),
  contactId: z.string().nullable().describe('Null if no contact has the address'),
  duplicate: z.boolean().describe('True if an event with this ID was recorded before. Nothing happened then'),
});
export const eventBatchAnswer = z.object({ data: z.array(eventAnswer) });

const customEventSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    contactId: z.string().nullable(),
    contactBookId: z.string().nullable(),
    email: z.string().nullable(),
    data: z.record(z.string(), z.unknown()),
    occurredAt: timestamp,
    createdAt: timestamp,
  })
  .meta({ id: 'CustomEvent' });

export const eventQuery = z.object({
  ...cursorQuery,
  name: text({ max: 100 }).optional(),
  contactId: text({ max: 256 }).optional(),
});
export const eventPage = cursorPage(customEventSchema);

const fieldType = z.enum(['string', 'number', 'boolean', 'date']);
const eventSchema = record(text({ min: 1, max: 256 }), fieldType, { max: MAX_FIELDS });

export const definitionParams = z.object({ name: eventName });
export const definitionInput = z.object({ schema: eventSchema });
export const definitionAnswer = z
  .object({
    name: z.string(),
    schema: z.record(z.string(), fieldType),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'EventDefinition' });
export const definitionPage = z.object({ items: z.array(definitionAnswer) });
export const definitionDeleted = z.object({ name: z.string(), success: z.boolean() });

export type EventInput = z.output<typeof eventInput>;
export type SentEvent = z.infer<typeof eventAnswer>;
export type CustomEvent = z.infer<typeof customEventSchema>;
export type EventSchema = z.output<typeof eventSchema>;
export type EventDefinition = z.infer<typeof definitionAnswer>;
