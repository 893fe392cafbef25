/** The range of days of a request for counters, and what one entry stands for. */
import { z } from 'zod';
import { DAY_MS } from '../../../platform/durations.ts';
import { timeZone } from '../../../platform/schema.ts';

export const MAX_DAYS = 400;

/** PostgreSQL has no year 0, and nothing was sent before 1970. */
const day = z.iso
  .date({ error: 'must be a date, such as 2026-11-15' })
  .refine((value) => value >= '1970', { error: 'must not be before 1970' });

export const timeRange = {
  from: day.optional().meta({ description: 'The first day, together with to' }),
  to: day.optional().meta({ description: `The last day, at most ${MAX_DAYS} days in all` }),
  interval: z
    .enum(['hour', 'day', 'week', 'month'])
    .optional()
    .meta({ description: 'What one entry stands for. Default: day' }),
  timezone: timeZone
    .meta({
      description: 'The IANA time zone of the days and hours. Default: UTC',
      example: 'Europe/Berlin',
    })
    .optional(),
};

interface Range {
  from?: string | undefined;
  to?: string | undefined;
}

export function checkTimeRange({ from, to }: Range, context: z.RefinementCtx): void {
  const refuse = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message });
  if ((from === undefined) !== (to === undefined)) {
    return refuse(from === undefined ? 'from' : 'to', 'is required: from and to belong together');
  }
  if (from === undefined || to === undefined) return;
  if (to < from) refuse('to', 'must not be before from');
  else if ((Date.parse(to) - Date.parse(from)) / DAY_MS >= MAX_DAYS) {
    refuse('to', `must be less than ${MAX_DAYS} days after from`);
  }
}

export type Interval = NonNullable<z.infer<(typeof timeRange)['interval']>>;
