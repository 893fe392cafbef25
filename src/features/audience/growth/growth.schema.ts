import { z } from 'zod';
import { checkTimeRange, timeRange } from '../../sending/counters/time-range.schema.ts';
import { contactBookParams } from '../contact-books/contact-books.schema.ts';
import { CONTACT_SOURCES } from '../contacts/contacts.schema.ts';

export const MAX_SOURCES = 100;

export const growthParams = contactBookParams;
export const growthQuery = z.object(timeRange).superRefine(checkTimeRange);

export const growthAnswer = z.object({
  items: z.array(
    z.object({
      date: z
        .string()
        .describe(
          'A day, the Monday of a week, or the first day of a month, as 2026-11-15; the start of an hour in UTC',
        ),
      joined: z
        .int()
        .describe(
          'Contacts that were added, except as unsubscribed; those that have to confirm first included',
        ),
      confirmed: z.int().describe('Contacts that had to confirm and became subscribers'),
      returned: z.int().describe('Contacts that had unsubscribed and subscribed again'),
      left: z.int().describe('Subscribers that unsubscribed or were deleted'),
      total: z.int().describe('Subscribers at the end of this time'),
      pending: z.int().describe('Contacts that had not confirmed yet at the end of this time'),
    }),
  ),
  sources: z
    .array(
      z.object({
        source: z.enum(CONTACT_SOURCES),
        id: z.string().nullable().describe('As `sourceId` of a contact'),
        name: z
          .string()
          .nullable()
          .describe('The name of the form, API key, person, campaign or book; null if it was deleted'),
        joined: z.int(),
      }),
    )
    .describe(`Where those who joined in this time came from, most first, at most ${MAX_SOURCES}`),
});

export type GrowthQuery = z.infer<typeof growthQuery>;
export type Growth = z.infer<typeof growthAnswer>;
