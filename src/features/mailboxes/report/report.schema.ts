import { z } from 'zod';
import { checkTimeRange, timeRange } from '../../sending/counters/time-range.schema.ts';

const { from, to, timezone } = timeRange;

export const reportQuery = z
  .object({
    from: from.describe('The first day, together with to. Default: 30 days, up to and including today'),
    to,
    timezone,
  })
  .superRefine(checkTimeRange);

const minutes = z.number().nonnegative().nullable();
const count = z.int().nonnegative();

export const reportAnswer = z
  .object({
    received: count.describe('Received messages, without spam'),
    sent: count.describe('Sent messages. Waiting ones do not count'),
    answered: count.describe('Conversations with a received message that was answered after it'),
    open: count.describe('Conversations in the inbox, or snoozed, whose last message waits for an answer'),
    first_answer: z
      .object({ median_minutes: minutes, p90_minutes: minutes })
      .describe(
        'How long conversations waited: from the first message that was received in these days to the first answer after it. Null if nothing was answered',
      ),
    by_person: z
      .array(
        z.object({
          user_id: z
            .string()
            .nullable()
            .describe('Null for messages of API keys and email apps, and for people who were deleted'),
          name: z.string().nullable(),
          sent: count,
          answered: count.describe('Conversations whose first answer the person wrote'),
          median_minutes: minutes,
        }),
      )
      .describe('Who sent the most comes first'),
    by_day: z
      .array(
        z.object({
          date: z.string().describe('A day, as 2026-11-15'),
          received: count,
          sent: count,
          answered: count.describe('On the day on which the conversation began to wait'),
        }),
      )
      .describe('All days, oldest first'),
  })
  .meta({ id: 'MailboxReport' });

export type MailboxReportQuery = z.output<typeof reportQuery>;
export type MailboxReport = z.infer<typeof reportAnswer>;
