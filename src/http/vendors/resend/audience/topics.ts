/** Topics. Our `opt_out` is Resend's `opt_in`: everyone gets the email of the topic until they leave it. */
import { z } from 'zod';
import { topicInput, topicUpdate, type Topic } from '../../../../features/audience/topics/topics.schema.ts';
import {
  createTopic,
  deleteTopic,
  getTopic,
  listTopics,
  updateTopic,
} from '../../../../features/audience/topics/topics.ts';
import { pathId } from '../../../../platform/schema.ts';
import { validate } from '../../../requests/validate.ts';
import { deleteRoute, listRoute } from '../routing/object-routes.ts';
import { resendRoute } from '../routing/resend-route.ts';

const subscription = z.enum(['opt_in', 'opt_out']);
const shownTopic = z.object({
  object: z.literal('topic'),
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  default_subscription: subscription,
  visibility: z.literal('public'),
  created_at: z.string(),
});
const named = z.object({ object: z.literal('topic'), id: z.string() });
const params = z.object({ id: pathId() });
const anything = z.unknown().optional();

export const resendTopicRoutes = [
  resendRoute({
    method: 'POST',
    path: '/topics',
    scope: 'contacts.write',
    permission: 'full',
    creates: 'topics',
    body: z.object({ name: anything, description: anything, default_subscription: subscription }),
    answer: named,
    async handle({ db, teamId, body: { name, description, default_subscription } }) {
      const defaultSubscription = inverse(default_subscription);
      const input = validate(topicInput, { name, description, defaultSubscription });
      return { object: 'topic' as const, id: (await createTopic(db, teamId, input)).id };
    },
  }),
  listRoute({
    path: '/topics',
    scope: 'contacts.read',
    permission: 'full',
    list: ({ db, teamId }, page) => listTopics(db, teamId, page),
    item: shownTopic,
    present,
  }),
  resendRoute({
    method: 'GET',
    path: '/topics/{id}',
    scope: 'contacts.read',
    permission: 'full',
    params,
    answer: shownTopic,
    handle: async ({ db, teamId, params: { id } }) => present(await getTopic(db, teamId, id)),
  }),
  resendRoute({
    method: 'PATCH',
    path: '/topics/{id}',
    scope: 'contacts.write',
    permission: 'full',
    params,
    body: z.object({ name: anything, description: anything }),
    answer: named,
    async handle({ db, teamId, params: { id }, body: { name, description } }) {
      await updateTopic(db, teamId, id, validate(topicUpdate, { name, description }));
      return { object: 'topic' as const, id };
    },
  }),
  deleteRoute({
    path: '/topics/{id}',
    scope: 'contacts.write',
    permission: 'full',
    object: 'topic',
    remove: ({ db, teamId }, id) => deleteTopic(db, teamId, id),
  }),
];

function inverse(value: z.output<typeof subscription>): z.output<typeof subscription> {
  return value === 'opt_in' ? 'opt_out' : 'opt_in';
}

function present(topic: Topic) {
  return {
    object: 'topic' as const,
    id: topic.id,
    name: topic.name,
    description: topic.description,
    default_subscription: inverse(topic.defaultSubscription),
    // Every contact sees every topic on the page for preferences.
    visibility: 'public' as const,
    created_at: topic.createdAt,
  };
}
