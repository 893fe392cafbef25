import { z } from 'zod';
import { cursorPage, cursorQuery, pathId, record, text, timestamp } from '../../../platform/schema.ts';
import { WRITTEN_OWN_FIELDS } from '../own-fields/own-fields.ts';
import { readFilter, type SegmentFilter } from './segment-filter.ts';

const FILTER_DESCRIPTION =
  'A group `{"all":[…]}` or `{"any":[…]}` of conditions and nested groups, at most 5 levels and 100 conditions. ' +
  `A condition is \`{"field","op","value"}\`. \`email\`, ${WRITTEN_OWN_FIELDS}: equals, notEquals, contains, ` +
  'notContains, startsWith, endsWith, exists, notExists, ignoring case. `subscribed`, `engagement.opened`, ' +
  '`engagement.clicked`: equals or notEquals true or false. `createdAt`, `updatedAt`, `engagement.lastOpenedAt`, ' +
  '`engagement.lastClickedAt`: before and after a date-time, withinLastDays and moreThanDaysAgo a number of days, ' +
  'exists, notExists. `properties.KEY`: all of these, greater and less than a number, and withinNextDays a number of ' +
  'days, from the beginning of today in UTC. `topic`: in and notIn with the ID of a topic. `campaign`: sent, notSent, ' +
  'opened, notOpened, clicked and notClicked with the ID of a campaign; notOpened and notClicked match only contacts ' +
  'to whom the campaign was delivered, and clicked and notClicked can have a `url` so that only clicks on that link count, as ' +
  'long as events are kept. `{"all":[]}` is everyone.';

const segmentSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    contactBookId: z.string(),
    filter: z.record(z.string(), z.unknown()).describe(FILTER_DESCRIPTION),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Segment' });

const segmentFilter = record(z.string(), z.unknown(), { max: 100 })
  .transform((value, context): SegmentFilter => {
    const report = (path: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    return readFilter(value, report) ?? z.NEVER;
  })
  .describe(FILTER_DESCRIPTION);

export const segmentName = text({ min: 1, max: 200, trim: true });
const bookId = text({ min: 3, max: 256 });

export const segmentAnswer = segmentSchema;
export const segmentInput = z.object({ name: segmentName, contactBookId: bookId, filter: segmentFilter });
/** A segment cannot move to another book. */
export const segmentUpdate = z.object({ name: segmentName.optional(), filter: segmentFilter.optional() });
export const segmentParams = z.object({ segmentId: pathId() });
export const segmentQuery = z.object({
  ...cursorQuery,
  contactBookId: bookId.optional().describe('Only segments of this contact book'),
});
export const segmentPage = cursorPage(segmentSchema);
export const segmentDeleted = z.object({ id: z.string(), success: z.boolean() });
export const segmentToCount = z.object({ contactBookId: bookId, filter: segmentFilter });
export const segmentCount = z.object({ count: z.int() });

export type Segment = z.infer<typeof segmentSchema>;
export type SegmentInput = z.output<typeof segmentInput>;
export type SegmentUpdate = z.output<typeof segmentUpdate>;
