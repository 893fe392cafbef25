import { z } from 'zod';
import { dateTime } from '../../../platform/schema.ts';

export const snoozeInput = z.object({
  until: dateTime.describe('When the thread comes back, from one minute to one year from now'),
  wake: z
    .enum(['time_or_reply', 'time_only', 'reply_only'])
    .default('time_or_reply')
    .describe('What brings it back: the time, a reply, or the first of both'),
  for: z
    .enum(['all', 'me'])
    .default('all')
    .describe('`all` moves the messages to the snoozed folder. `me` hides the thread from your lists alone'),
});

export type SnoozeInput = z.output<typeof snoozeInput>;
export type SnoozeWake = SnoozeInput['wake'];
