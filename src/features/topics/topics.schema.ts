import { z } from 'zod';
import { cursorPage, cursorQuery, pathId, text, timestamp } from '../../platform/schema.ts';

const MAX_CHANGES = 100;

const defaultSubscription = z
  .enum(['opt_in', 'opt_out'])
  .describe('`opt_out`: everyone is in who has not left; `opt_in`: only who has joined');

const topicFields = {
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  defaultSubscription,
};

const topicSchema = z
  .object({ ...topicFields, createdAt: timestamp, updatedAt: timestamp })
  .meta({ id: 'Topic' });

const contactTopicSchema = z
  .object({
    ...topicFields,
    subscribed: z.boolean().describe('Whether the contact is in the topic now'),
    changedAt: timestamp.nullable().describe('Null for a contact who follows the default'),
  })
  .meta({ id: 'ContactTopic' });

const topicName = text({ min: 1, max: 200, trim: true });
const topicDescription = text({ max: 1000, trim: true }).nullish();

export const topicAnswer = topicSchema;
export const topicInput = z.object({
  name: topicName,
  description: topicDescription,
  defaultSubscription: defaultSubscription.default('opt_out'),
});
export const topicUpdate = z.object({
  name: topicName.optional(),
  description: topicDescription,
  defaultSubscription: defaultSubscription.optional(),
});
export const topicParams = z.object({ topicId: pathId() });
export const topicQuery = z.object(cursorQuery);
export const topicPage = cursorPage(topicSchema);
export const topicDeleted = z.object({ id: z.string(), success: z.boolean() });

export const contactTopicPage = cursorPage(contactTopicSchema);
export const contactTopicChanges = z.object({
  topics: z
    .array(z.object({ id: text({ min: 1, max: 256 }), subscribed: z.boolean() }))
    .min(1)
    .max(MAX_CHANGES)
    .refine((changes) => new Set(changes.map(({ id }) => id)).size === changes.length, {
      error: 'must not name a topic twice',
    }),
});

export type Topic = z.infer<typeof topicSchema>;
export type ContactTopic = z.infer<typeof contactTopicSchema>;
export type TopicInput = z.output<typeof topicInput>;
export type TopicUpdate = z.output<typeof topicUpdate>;
export type TopicQuery = z.output<typeof topicQuery>;
export type ContactTopicChange = z.output<typeof contactTopicChanges>['topics'][number];
