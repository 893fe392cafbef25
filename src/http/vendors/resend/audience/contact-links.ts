/** The topics and segments of a contact. */
import { z } from 'zod';
import { updateContact } from '../../../../features/audience/contacts/contacts.ts';
import { findContact } from '../../../../features/audience/contacts/find-contact.ts';
import { listSegmentsOf } from '../../../../features/audience/segments/member-segments.ts';
import { getSegment } from '../../../../features/audience/segments/segments.ts';
import { changeContactTopics } from '../../../../features/audience/topics/change-topics.ts';
import { listContactTopics } from '../../../../features/audience/topics/contact-topics.ts';
import { contactTopicChanges } from '../../../../features/audience/topics/topics.schema.ts';
import { notFound } from '../../../../platform/errors.ts';
import { pathId } from '../../../../platform/schema.ts';
import { validate } from '../../../requests/validate.ts';
import { membershipOf } from './audience.ts';
import { topicChoices } from './contact-shape.ts';
import { listOf, listQuery, pageOf, toList, toPageRequest } from '../routing/lists.ts';
import { resendRoute } from '../routing/resend-route.ts';
import { listedSegment, presentSegment } from './segments.ts';

const params = z.object({ contact: pathId() });
const linkParams = params.extend({ segment: pathId() });
const contactTopic = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  subscription: z.enum(['opt_in', 'opt_out']),
  created_at: z.string(),
});

export const resendContactLinkRoutes = [
  resendRoute({
    method: 'GET',
    path: '/contacts/{contact}/topics',
    scope: 'contacts.read',
    permission: 'full',
    params,
    query: listQuery,
    answer: listOf(contactTopic),
    async handle({ db, teamId, params, query }) {
      const { contactBookId, id } = await findContact(db, teamId, params.contact);
      const page = await listContactTopics(db, teamId, contactBookId, id, toPageRequest(query));
      return toList(page, (topic) => ({
        id: topic.id,
        name: topic.name,
        description: topic.description,
        subscription: topic.subscribed ? ('opt_in' as const) : ('opt_out' as const),
        created_at: topic.createdAt,
      }));
    },
  }),
  resendRoute({
    method: 'PATCH',
    path: '/contacts/{contact}/topics',
    scope: 'contacts.write',
    permission: 'full',
    params,
    body: topicChoices.min(1),
    answer: z.object({ id: z.string() }),
    async handle({ db, caller: { teamId, by }, params, body }) {
      const { topics } = validate(contactTopicChanges, {
        topics: body.map(({ id, subscription }) => ({ id, subscribed: subscription === 'opt_in' })),
      });
      const { contactBookId, id } = await findContact(db, teamId, params.contact);
      await changeContactTopics(db, teamId, contactBookId, id, topics, by);
      return { id };
    },
  }),
  resendRoute({
    method: 'GET',
    path: '/contacts/{contact}/segments',
    scope: 'contacts.read',
    permission: 'full',
    params,
    query: listQuery,
    answer: listOf(listedSegment),
    async handle({ db, teamId, params, query }) {
      const { properties } = await findContact(db, teamId, params.contact);
      const segments = await listSegmentsOf(db, teamId, properties);
      return toList(
        pageOf(segments, query, ({ id }) => id),
        presentSegment,
      );
    },
  }),
  resendRoute({
    method: 'POST',
    path: '/contacts/{contact}/segments/{segment}',
    scope: 'contacts.write',
    permission: 'full',
    params: linkParams,
    answer: z.object({ id: z.string() }),
    async handle({ db, caller: { teamId, by }, params }) {
      const { contactBookId, id } = await findContact(db, teamId, params.contact);
      const segment = await getSegment(db, teamId, params.segment);
      const properties = membershipOf([segment], contactBookId);
      await updateContact(db, teamId, contactBookId, id, { properties }, by);
      return { id: segment.id };
    },
  }),
  resendRoute({
    method: 'DELETE',
    path: '/contacts/{contact}/segments/{segment}',
    scope: 'contacts.write',
    permission: 'full',
    params: linkParams,
    answer: z.object({ id: z.string(), audienceId: z.string(), deleted: z.boolean() }),
    async handle({ db, caller: { teamId, by }, params }) {
      const { contactBookId, id, properties } = await findContact(db, teamId, params.contact);
      const segment = await getSegment(db, teamId, params.segment);
      membershipOf([segment], contactBookId);
      if (properties[segment.id] !== true) throw notFound('Segment of this contact');
      await updateContact(db, teamId, contactBookId, id, { properties: { [segment.id]: null } }, by);
      return { id: segment.id, audienceId: segment.id, deleted: true };
    },
  }),
];
