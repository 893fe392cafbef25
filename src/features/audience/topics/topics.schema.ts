import { z } from 'zod';
import { cursorPage, cursorQuery, pathId, text, timestamp } from '../../../platform/schema.ts';
import { contactIds } from '../contacts/contacts.schema.ts';

const MAX_CHANGES = 100;
/** Ten topics and 10,000 contacts make 100,000 rows. */
const MAX_BULK_TOPICS = 10;

const defaultSubscription = z
  .enum(['opt_in', 'opt_out'])
  .describe(
    '`opt_out`: all contacts are subscribed until they opt out. `opt_in`: no contact is subscribed until they opt in',
  );

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
    createdAt: timestamp.describe('When the topic was created'),
    subscribed: z.boolean().describe('Whether the contact is subscribed to the topic'),
    changedAt: timestamp.nullable().describe('Null if the contact has not made a choice'),
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
const topicChanges = z
  .array(z.object({ id: text({ min: 1, max: 256 }), subscribed: z.boolean() }))
  .min(1)
  .max(MAX_CHANGES)
  .refine((changes) => new Set(changes.map(({ id }) => id)).size === changes.length, {
    error: 'must not contain duplicate topics',
  });
export const contactTopicChanges = z.object({ topics: topicChanges });

/** Resubscribing many people with one request is deliberately impossible. */
export const contactsUpdate = z
  .object({
    contactIds,
    subscribed: z.literal(false).nullish().describe('`false` unsubscribes the contacts'),
    topics: topicChanges.nullish().describe('At most 10 topics'),
  })
  .superRefine(({ subscribed, topics }, context) => {
    if (subscribed === false || topics) {
      if ((topics?.length ?? 0) > MAX_BULK_TOPICS)
        context.addIssue({
          code: 'custom',
          path: ['topics'],
          message: `must have at most ${MAX_BULK_TOPICS} items`,
        });
      return;
    }
    context.addIssue({ code: 'custom', path: ['subscribed'], message: 'or topics is required' });
  });

export type Topic = z.infer<typeof topicSchema>;
export type ContactTopic = z.infer<typeof contactTopicSchema>;
export type TopicInput = z.output<typeof topicInput>;
export type TopicUpdate = z.output<typeof topicUpdate>;
export type ContactsUpdate = z.output<typeof contactsUpdate>;
export type ContactTopicChange = z.output<typeof contactTopicChanges>['topics'][number];
