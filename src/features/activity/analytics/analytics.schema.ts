import { z } from 'zod';
import { domainNumber } from '../../sending/domains/domains.schema.ts';
import { tagText } from '../../sending/emails/emails.schema.ts';
import { checkTimeRange, timeRange } from '../../sending/counters/time-range.schema.ts';
import { pathId } from '../../../platform/schema.ts';

const counts = {
  sent: z.int(),
  delivered: z.int(),
  opened: z.int(),
  clicked: z.int(),
  bounced: z.int(),
  complained: z.int(),
};

const domainId = domainNumber
  .optional()
  .meta({ type: 'integer', description: 'Only email from this domain' });

export const timeSeriesQuery = z
  .object({
    days: z.enum(['7', '30']).optional().meta({
      description:
        'The number of days, up to and including today. Default: 30. Not together with from and to',
    }),
    ...timeRange,
    domainId,
    campaignId: pathId().optional().meta({ description: 'Only email of this campaign' }),
    tag: tagText
      .optional()
      .describe('Only email with this tag, as `name:value`. Email of campaigns has no tags'),
  })
  .superRefine((query, context) => {
    checkTimeRange(query, context);
    if (query.days === undefined || query.from === undefined || query.to === undefined) return;
    context.addIssue({
      code: 'custom',
      path: ['days'],
      message: 'must not be given together with from and to',
    });
  })
  .transform(({ days, ...query }) => ({ ...query, days: Number(days ?? '30') }));

const tracked = z
  .object({
    opens: z.object({
      emails: z.int().describe('Delivered emails with a tracking pixel'),
      opened: z.int().describe('How many of them were opened'),
    }),
    clicks: z.object({
      emails: z.int().describe('Delivered emails with tracked links'),
      clicked: z.int().describe('How many of them had a link clicked'),
    }),
  })
  .meta({
    description:
      'The emails whose opens and clicks were tracked, for rates. Left out if only days and domainId are given. Emails from before the update that introduced these numbers are not included',
  });

const timeSeries = z.object({
  result: z.array(
    z.object({
      date: z
        .string()
        .describe(
          'A day, the Monday of a week, or the first day of a month, as 2026-11-15; the start of an hour in UTC',
        ),
      ...counts,
    }),
  ),
  totalCounts: z.object(counts),
});
export const timeSeriesAnswer = z.union([timeSeries.extend({ tracked }), timeSeries]);
export const reputationQuery = z.object({ domainId });
export const reputationAnswer = z.object({
  delivered: z.number(),
  hardBounced: z.number(),
  complained: z.number(),
  bounceRate: z.number().describe('In percent: hard bounces divided by delivered emails plus hard bounces'),
  complaintRate: z.number().describe('In percent: complaints divided by delivered emails'),
});

export type TimeSeriesQuery = z.infer<typeof timeSeriesQuery>;
export type TimeSeries = z.infer<typeof timeSeries> & { tracked?: z.infer<typeof tracked> };
export type Reputation = z.infer<typeof reputationAnswer>;
