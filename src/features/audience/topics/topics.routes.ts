import { route } from '../../api/route.ts';
import { contactParams, contactWritten } from '../contacts/contacts.schema.ts';
import { changeContactTopics } from './change-topics.ts';
import { listContactTopics } from './contact-topics.ts';
import {
  contactTopicChanges,
  contactTopicPage,
  topicAnswer,
  topicDeleted,
  topicInput,
  topicPage,
  topicParams,
  topicQuery,
  topicUpdate,
  type ContactTopic,
  type Topic,
} from './topics.schema.ts';
import { createTopic, deleteTopic, getTopic, listTopics, updateTopic } from './topics.ts';

const group = 'Topics';

const example: Topic = {
  id: 'top_01kbd8x4zvf7m8rk2q3w5t6y7h',
  name: 'New books',
  description: 'New arrivals, once a month.',
  defaultSubscription: 'opt_out',
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};
const { id, name, description, defaultSubscription, createdAt } = example;
const chosen: ContactTopic = {
  id,
  name,
  description,
  defaultSubscription,
  createdAt,
  subscribed: false,
  changedAt: '2026-11-15T09:30:00.000Z',
};
const params = { topicId: id };
const ofContact = {
  contactBookId: 'cbk_01kbd8x4zvf7m8rk2q3w5t6y7h',
  contactId: 'con_01kbd8x4zvf7m8rk2q3w5t6y7h',
};

export const topicRoutes = [
  route({
    operationId: 'createTopic',
    method: 'POST',
    creates: 'topics',
    path: '/v1/topics',
    scope: 'contacts.write',
    group,
    summary: 'Create a topic',
    permission: 'full',
    role: 'member',
    body: topicInput,
    answer: topicAnswer,
    example: { body: { name, description, defaultSubscription }, answer: example },
    handle: ({ db, teamId, body }) => createTopic(db, teamId, body),
  }),
  route({
    operationId: 'listTopics',
    method: 'GET',
    path: '/v1/topics',
    scope: 'contacts.read',
    group,
    summary: 'List topics',
    description: 'Newest first.',
    permission: 'full',
    role: 'member',
    query: topicQuery,
    answer: topicPage,
    example: { answer: { items: [example], next_cursor: null } },
    handle: ({ db, teamId, query }) => listTopics(db, teamId, query),
  }),
  route({
    operationId: 'getTopic',
    method: 'GET',
    path: '/v1/topics/{topicId}',
    scope: 'contacts.read',
    group,
    summary: 'Get a topic',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: topicParams,
    answer: topicAnswer,
    example: { params, answer: example },
    handle: ({ db, teamId, params: { topicId } }) => getTopic(db, teamId, topicId),
  }),
  route({
    operationId: 'updateTopic',
    method: 'PATCH',
    path: '/v1/topics/{topicId}',
    scope: 'contacts.write',
    group,
    summary: 'Update a topic',
    description:
      'Only the fields you send are changed. `null` clears the description. Changing the default affects only contacts who have not made a choice.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: topicParams,
    body: topicUpdate,
    answer: topicAnswer,
    example: { params, body: { name }, answer: example },
    handle: ({ db, teamId, params: { topicId }, body }) => updateTopic(db, teamId, topicId, body),
  }),
  route({
    operationId: 'deleteTopic',
    method: 'DELETE',
    path: '/v1/topics/{topicId}',
    scope: 'contacts.write',
    group,
    summary: 'Delete a topic',
    description: 'The choices that contacts made for this topic are deleted too.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: topicParams,
    answer: topicDeleted,
    example: { params, answer: { id, success: true } },
    async handle({ db, teamId, params: { topicId } }) {
      await deleteTopic(db, teamId, topicId);
      return { id: topicId, success: true };
    },
  }),
  route({
    operationId: 'listContactTopics',
    method: 'GET',
    path: '/v1/contactBooks/{contactBookId}/contacts/{contactId}/topics',
    boundKeys: 'kept-to-book',
    scope: 'contacts.read',
    group,
    summary: 'List the topics of a contact',
    description: 'All topics of the team, newest first, with the subscription of this contact.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: contactParams,
    query: topicQuery,
    answer: contactTopicPage,
    example: { params: ofContact, answer: { items: [chosen], next_cursor: null } },
    handle: ({ db, teamId, params: { contactBookId, contactId }, query }) =>
      listContactTopics(db, teamId, contactBookId, contactId, query),
  }),
  route({
    operationId: 'changeContactTopics',
    method: 'PATCH',
    path: '/v1/contactBooks/{contactBookId}/contacts/{contactId}/topics',
    boundKeys: 'kept-to-book',
    scope: 'contacts.write',
    group,
    summary: 'Update the topics of a contact',
    description:
      'All or nothing. The caller is recorded. The subscription to the contact book does not change.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: contactParams,
    body: contactTopicChanges,
    answer: contactWritten,
    example: {
      params: ofContact,
      body: { topics: [{ id, subscribed: false }] },
      answer: { contactId: ofContact.contactId },
    },
    async handle({ db, teamId, caller, params: { contactBookId, contactId }, body }) {
      await changeContactTopics(db, teamId, contactBookId, contactId, body.topics, caller.by);
      return { contactId };
    },
  }),
];
