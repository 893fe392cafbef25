import { z } from 'zod';
import { FAILURE_CLASSES } from '../../../mail/bounces/failure-classes.ts';
import { cursorPage, cursorQuery, pathId, text, timestamp } from '../../../platform/schema.ts';

const delivery = z
  .object({
    id: z.string().describe('The ID of the email and the number of the recipient'),
    teamId: z.number(),
    emailId: z.string(),
    campaignId: z.string().nullable(),
    from: z.string(),
    subject: z.string(),
    recipient: z.string(),
    state: z
      .enum(['waiting', 'sending', 'held', 'paused'])
      .describe(
        '`waiting`: it is tried at `nextAttemptAt`. `sending`: a worker has claimed it. `held`: it is not tried until it is released. `paused`: its campaign is paused',
      ),
    attempts: z.number().int(),
    queuedAt: timestamp.describe('When the email was accepted'),
    lastAttemptAt: timestamp.nullable(),
    lastError: z.string().nullable().describe('The reply of the server, or why there was none'),
    lastClass: z.enum(FAILURE_CLASSES).nullable().describe('The class of that failure'),
    nextAttemptAt: timestamp.nullable(),
  })
  .meta({ id: 'QueuedDelivery' });

const withEvents = delivery
  .extend({
    events: z.array(
      z.object({
        status: z.string(),
        recipient: z.string().nullable(),
        createdAt: timestamp,
        data: z.unknown().nullable(),
      }),
    ),
  })
  .meta({ id: 'QueuedDeliveryWithEvents' });

const filters = {
  domain: text({ min: 1, max: 255 }).optional().describe('The domain of the recipient'),
  campaignId: text({ min: 1, max: 64 }).optional(),
};
const heldFilter = {
  held: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional()
    .describe('`true` for held deliveries only, `false` for the others'),
};

export const queueQuery = z.object({ ...cursorQuery, ...filters, ...heldFilter });
export const queueCountQuery = z.object({ ...filters, ...heldFilter });
export const queuePage = cursorPage(delivery);
export const queueCounts = z.object({
  total: z.number().int().describe('All deliveries that match, the held ones included'),
  held: z.number().int(),
});
export const queueParams = z.object({ deliveryId: pathId() });
export const queueDelivery = withEvents;

export const queueActionInput = z
  .object({
    deliveryIds: z
      .array(text({ min: 1, max: 64 }))
      .min(1)
      .max(1_000)
      .optional()
      .describe('IDs of deliveries, or IDs of emails to select all their deliveries'),
    ...filters,
    held: z.boolean().optional(),
    all: z.literal(true).optional().describe('Required if there is no other filter'),
    cursor: text({ min: 1, max: 256 }).optional().describe('The `next_cursor` of the previous response'),
  })
  .refine(({ deliveryIds, domain, campaignId, all }) => deliveryIds ?? domain ?? campaignId ?? all, {
    error: 'must have deliveryIds, domain or campaignId, or "all": true',
  });
export const queueActionAnswer = z.object({
  changed: z.number().int().describe('How many deliveries were changed'),
  busy: z.number().int().describe('How many were not changed because a worker is sending them'),
  next_cursor: z
    .string()
    .nullable()
    .describe('Set when there may be more. Send the same request again with it as `cursor`'),
});

export type QueuedDelivery = z.infer<typeof delivery>;
export type QueuedDeliveryWithEvents = z.infer<typeof withEvents>;
export type QueueCounts = z.infer<typeof queueCounts>;
export type QueueActionAnswer = z.infer<typeof queueActionAnswer>;
