import { z } from 'zod';
import { text, timestamp } from '../../../platform/schema.ts';

const teamDays = {
  emailContentDays: z
    .int()
    .nullable()
    .describe('How many days the content of emails is kept. null: the setting of the server'),
  sandboxDays: z.int().nullable().describe('How many days sandbox messages are kept'),
  eventDays: z.int().nullable().describe('How many days events are kept'),
};

const frequencyCap = z
  .object({ count: z.int().min(1).max(1_000), hours: z.int().min(1).max(8_760) })
  .nullable()
  .describe(
    'At most this many campaigns and marketing emails of automations in so many hours for each address. An email of an automation waits until it may go. null: no limit',
  );

export const teamSchema = z
  .object({
    id: z.int(),
    name: z.string(),
    ...teamDays,
    frequencyCap,
    retentionLimits: z
      .object({ emailContentDays: z.int().nullable(), sandboxDays: z.int(), eventDays: z.int() })
      .describe('The settings of the server. A team can only keep data for a shorter time. null: forever'),
    storage: z
      .object({
        usedBytes: z.int().describe('What the last count found, and the sizes of what was added since then'),
        limitBytes: z.int().nullable().describe('null: no limit'),
        countedAt: timestamp.nullable().describe('null: not counted yet. Without a limit nothing is counted'),
      })
      .describe('How much the team stores. Over the limit, new data is rejected until something is deleted'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Team' });

const days = z.int().min(1).max(36_500);

export const teamUpdate = z.object({
  name: text({ min: 1, max: 200, trim: true }).optional(),
  emailContentDays: days.nullish(),
  sandboxDays: days.nullish(),
  eventDays: days.nullish(),
  frequencyCap: frequencyCap.optional(),
});

export type Team = z.infer<typeof teamSchema>;
export type TeamUpdate = z.infer<typeof teamUpdate>;
