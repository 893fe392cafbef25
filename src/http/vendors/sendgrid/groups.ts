/** Groups are our topics. The number of a group comes from the ID of its topic. */
import { z } from 'zod';
import {
  changeTopicOf,
  countLeft,
  findLeft,
  findTopicId,
  listLeft,
} from '../../../features/audience/topics/topic-addresses.ts';
import type { Topic } from '../../../features/audience/topics/topics.schema.ts';
import {
  createTopic,
  deleteTopic,
  getTopic,
  listTopics,
  updateTopic,
} from '../../../features/audience/topics/topics.ts';
import { parseAddress } from '../../../mail/mime/address.ts';
import { toIdNumber } from '../../../platform/id-numbers.ts';
import { integerText, text } from '../../../platform/schema.ts';
import {
  address,
  NOTHING,
  recipientEmails,
  respondCreated,
  respondEmpty,
  sendgridRoute,
} from './sendgrid-route.ts';

/** The limit of topics in a team. */
const MAX_GROUPS = 1_000;

const group = z.object({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  is_default: z.literal(false),
  unsubscribes: z.int(),
});
const change = z.strictObject({
  name: text({ min: 1, max: 200, trim: true }).optional(),
  description: text({ max: 1000 }).optional(),
  is_default: z.literal(false, { error: 'must be false: there is no default group' }).optional(),
});
const groupParams = z.object({
  groupId: z
    .string()
    .regex(/^\d{1,16}$/, { error: 'must be the number of a group' })
    .transform(Number),
});
const emails = z.array(z.string());
const shared = { permission: 'full' as const };

export const groupRoutes = [
  sendgridRoute({
    ...shared,
    method: 'GET',
    path: '/v3/asm/groups',
    scope: 'contacts.read',
    query: z.object({ id: integerText(0, Number.MAX_SAFE_INTEGER).optional() }),
    answer: z.array(group),
    async handle({ db, teamId, query: { id } }) {
      const { items } = await listTopics(db, teamId, { limit: MAX_GROUPS });
      const left = await countLeft(db, teamId);
      return items.map((topic) => present(topic, left)).filter((each) => id === undefined || each.id === id);
    },
  }),
  sendgridRoute({
    ...shared,
    method: 'POST',
    path: '/v3/asm/groups',
    scope: 'contacts.write',
    creates: 'topics',
    body: change.required({ name: true }),
    answer: group,
    async handle({ db, teamId, body: { name, description } }) {
      return present(await createTopic(db, teamId, { name, description, defaultSubscription: 'opt_out' }));
    },
    respond: respondCreated,
  }),
  sendgridRoute({
    ...shared,
    method: 'GET',
    path: '/v3/asm/groups/{groupId}',
    scope: 'contacts.read',
    params: groupParams,
    answer: group,
    async handle({ db, teamId, params: { groupId } }) {
      const topic = await getTopic(db, teamId, await findTopicId(db, teamId, groupId));
      return present(topic, await countLeft(db, teamId));
    },
  }),
  sendgridRoute({
    ...shared,
    method: 'PATCH',
    path: '/v3/asm/groups/{groupId}',
    scope: 'contacts.write',
    params: groupParams,
    body: change,
    answer: group,
    async handle({ db, teamId, params: { groupId }, body: { name, description } }) {
      const topicId = await findTopicId(db, teamId, groupId);
      return present(
        await updateTopic(db, teamId, topicId, { name, description }),
        await countLeft(db, teamId),
      );
    },
    respond: respondCreated,
  }),
  sendgridRoute({
    ...shared,
    method: 'DELETE',
    path: '/v3/asm/groups/{groupId}',
    scope: 'contacts.write',
    params: groupParams,
    answer: NOTHING,
    async handle({ db, teamId, params: { groupId } }) {
      await deleteTopic(db, teamId, await findTopicId(db, teamId, groupId));
      return {};
    },
    respond: respondEmpty,
  }),
  sendgridRoute({
    ...shared,
    method: 'GET',
    path: '/v3/asm/groups/{groupId}/suppressions',
    scope: 'contacts.read',
    params: groupParams,
    answer: emails,
    handle: async ({ db, teamId, params: { groupId } }) =>
      listLeft(db, teamId, await findTopicId(db, teamId, groupId)),
  }),
  sendgridRoute({
    ...shared,
    method: 'POST',
    path: '/v3/asm/groups/{groupId}/suppressions',
    scope: 'contacts.write',
    params: groupParams,
    body: recipientEmails,
    answer: recipientEmails,
    async handle({ db, teamId, caller: { by }, params: { groupId }, body }) {
      const topicId = await findTopicId(db, teamId, groupId);
      await changeTopicOf(db, teamId, topicId, body.recipient_emails, { subscribed: false, by });
      return body;
    },
    respond: respondCreated,
  }),
  sendgridRoute({
    ...shared,
    method: 'POST',
    path: '/v3/asm/groups/{groupId}/suppressions/search',
    scope: 'contacts.read',
    params: groupParams,
    body: recipientEmails,
    answer: emails,
    async handle({ db, teamId, params: { groupId }, body }) {
      const topicId = await findTopicId(db, teamId, groupId);
      const left = await findLeft(db, teamId, topicId, body.recipient_emails.map(keyOf));
      return body.recipient_emails.filter((email) => left.has(keyOf(email)));
    },
  }),
  sendgridRoute({
    ...shared,
    method: 'DELETE',
    path: '/v3/asm/groups/{groupId}/suppressions/{email}',
    scope: 'contacts.write',
    params: groupParams.extend({ email: address }),
    answer: NOTHING,
    async handle({ db, teamId, caller: { by }, params: { groupId, email } }) {
      const topicId = await findTopicId(db, teamId, groupId);
      await changeTopicOf(db, teamId, topicId, [email], { subscribed: true, by });
      return {};
    },
    respond: respondEmpty,
  }),
];

function keyOf(email: string): string {
  return parseAddress(email)?.key ?? '';
}

function present({ id, name, description }: Topic, left = new Map<string, number>()) {
  return {
    id: toIdNumber('top', id),
    name,
    description: description ?? '',
    is_default: false as const,
    unsubscribes: left.get(id) ?? 0,
  };
}
