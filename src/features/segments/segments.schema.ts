import { z } from 'zod';
import { cursorPage, cursorQuery, pathId, record, text, timestamp } from '../../platform/schema.ts';
import { readFilter, type SegmentFilter } from './segment-filter.ts';

const FILTER_WORDS =
  'A group `{"all":[…]}` or `{"any":[…]}` of conditions and further groups, at most 5 deep and 100 conditions. ' +
  'A condition is `{"field","op","value"}`. `email`, `firstName`, `lastName`: equals, notEquals, contains, ' +
  'notContains, startsWith, exists, notExists, without regard to case. `subscribed`, `engagement.opened`, ' +
  '`engagement.clicked`: equals or notEquals true or false. `createdAt`, `updatedAt`, `engagement.lastOpenedAt`, ' +
  '`engagement.lastClickedAt`: before and after a date-time, exists, notExists. `properties.KEY`: all of these, and ' +
  'greater and less than a number. `{"all":[]}` is everyone.';

const segmentSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    contactBookId: z.string(),
    filter: z.record(z.string(), z.unknown()).describe(FILTER_WORDS),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Segment' });

const segmentFilter = record(z.string(), z.unknown(), { max: 100 })
  .transform((value, context): SegmentFilter => {
    const complain = (path: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    return readFilter(value, complain) ?? z.NEVER;
  })
  .describe(FILTER_WORDS);

const segmentName = text({ min: 1, max: 200, trim: true });
const bookId = text({ min: 3, max: 256 });

export const segmentAnswer = segmentSchema;
export const segmentInput = z.object({ name: segmentName, contactBookId: bookId, filter: segmentFilter });
/** A segment stays with its book. */
export const segmentUpdate = z.object({ name: segmentName.optional(), filter: segmentFilter.optional() });
export const segmentParams = z.object({ segmentId: pathId() });
export const segmentQuery = z.object({
  ...cursorQuery,
  contactBookId: bookId.optional().describe('Only those of this book'),
});
export const segmentPage = cursorPage(segmentSchema);
export const segmentDeleted = z.object({ id: z.string(), success: z.boolean() });
export const segmentToCount = z.object({ contactBookId: bookId, filter: segmentFilter });
export const segmentCount = z.object({ count: z.int() });

export type Segment = z.infer<typeof segmentSchema>;
export type SegmentInput = z.output<typeof segmentInput>;
export type SegmentUpdate = z.output<typeof segmentUpdate>;
export type SegmentQuery = z.output<typeof segmentQuery>;
