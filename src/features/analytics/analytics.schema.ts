import { z } from 'zod';
import { domainNumber } from '../../platform/schema.ts';

const counts = {
  sent: z.int(),
  delivered: z.int(),
  opened: z.int(),
  clicked: z.int(),
  bounced: z.int(),
  complained: z.int(),
};

const domainId = domainNumber.optional().meta({ type: 'integer', description: 'Only mail from this domain' });

export const timeSeriesQuery = z.object({
  days: z
    .enum(['7', '30'])
    .default('30')
    .transform(Number)
    .meta({ description: 'How many days, today being the last' }),
  domainId,
});
export const timeSeriesAnswer = z.object({
  result: z.array(z.object({ date: z.iso.date(), ...counts })),
  totalCounts: z.object(counts),
});
export const reputationQuery = z.object({ domainId });
export const reputationAnswer = z.object({
  delivered: z.number(),
  hardBounced: z.number(),
  complained: z.number(),
  bounceRate: z.number().describe('In percent: hard bounces of all that were delivered or bounced hard'),
  complaintRate: z.number().describe('In percent: complaints of all that were delivered'),
});

export type TimeSeries = z.infer<typeof timeSeriesAnswer>;
export type Reputation = z.infer<typeof reputationAnswer>;
