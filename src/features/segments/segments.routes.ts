import { route } from '../../platform/route.ts';
import {
  segmentAnswer,
  segmentCount,
  segmentDeleted,
  segmentInput,
  segmentPage,
  segmentParams,
  segmentQuery,
  segmentToCount,
  segmentUpdate,
  type Segment,
} from './segments.schema.ts';
import {
  countFilter,
  countSegment,
  createSegment,
  deleteSegment,
  getSegment,
  listSegments,
  updateSegment,
} from './segments.ts';

const group = 'Segments';

const example: Segment = {
  id: 'seg_01kbd8x4zvf7m8rk2q3w5t6y7h',
  name: 'Londoners who read',
  contactBookId: 'cbk_01kbd8x4zvf7m8rk2q3w5t6y7h',
  filter: {
    all: [
      { field: 'properties.city', op: 'equals', value: 'London' },
      { field: 'engagement.opened', op: 'equals', value: true },
    ],
  },
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};
const { contactBookId, filter } = example;
const params = { segmentId: example.id };

export const segmentRoutes = [
  route({
    operationId: 'createSegment',
    method: 'POST',
    path: '/v1/segments',
    group,
    summary: 'Create a segment',
    permission: 'full',
    errors: ['NOT_FOUND'],
    body: segmentInput,
    answer: segmentAnswer,
    example: { body: { name: example.name, contactBookId, filter }, answer: example },
    handle: ({ db, teamId, body }) => createSegment(db, teamId, body),
  }),
  route({
    operationId: 'listSegments',
    method: 'GET',
    path: '/v1/segments',
    group,
    summary: 'List segments',
    description: 'Newest first.',
    permission: 'full',
    errors: ['NOT_FOUND'],
    query: segmentQuery,
    answer: segmentPage,
    example: { query: { contactBookId }, answer: { items: [example], next_cursor: null } },
    handle: ({ db, teamId, query }) => listSegments(db, teamId, query),
  }),
  route({
    operationId: 'countFilter',
    method: 'POST',
    path: '/v1/segments/count',
    group,
    summary: 'Count the contacts that a filter finds',
    description: 'Without keeping a segment: for a form in which the filter is being put together.',
    permission: 'full',
    errors: ['NOT_FOUND'],
    body: segmentToCount,
    answer: segmentCount,
    example: { body: { contactBookId, filter }, answer: { count: 128 } },
    handle: async ({ db, teamId, body }) => ({
      count: await countFilter(db, teamId, body.contactBookId, body.filter),
    }),
  }),
  route({
    operationId: 'getSegment',
    method: 'GET',
    path: '/v1/segments/{segmentId}',
    group,
    summary: 'Get a segment',
    permission: 'full',
    errors: ['NOT_FOUND'],
    params: segmentParams,
    answer: segmentAnswer,
    example: { params, answer: example },
    handle: ({ db, teamId, params: { segmentId } }) => getSegment(db, teamId, segmentId),
  }),
  route({
    operationId: 'countSegment',
    method: 'GET',
    path: '/v1/segments/{segmentId}/count',
    group,
    summary: 'Count the contacts of a segment',
    description: 'All that the filter finds in the book now, subscribed or not.',
    permission: 'full',
    errors: ['NOT_FOUND'],
    params: segmentParams,
    answer: segmentCount,
    example: { params, answer: { count: 128 } },
    handle: async ({ db, teamId, params: { segmentId } }) => ({
      count: await countSegment(db, teamId, segmentId),
    }),
  }),
  route({
    operationId: 'updateSegment',
    method: 'PATCH',
    path: '/v1/segments/{segmentId}',
    group,
    summary: 'Update a segment',
    description: 'Replaces what it names. A segment stays with its book.',
    permission: 'full',
    errors: ['NOT_FOUND'],
    params: segmentParams,
    body: segmentUpdate,
    answer: segmentAnswer,
    example: { params, body: { name: example.name }, answer: example },
    handle: ({ db, teamId, params: { segmentId }, body }) => updateSegment(db, teamId, segmentId, body),
  }),
  route({
    operationId: 'deleteSegment',
    method: 'DELETE',
    path: '/v1/segments/{segmentId}',
    group,
    summary: 'Delete a segment',
    description: 'Its contacts stay in their book.',
    permission: 'full',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: segmentParams,
    answer: segmentDeleted,
    example: { params, answer: { id: example.id, success: true } },
    async handle({ db, teamId, params: { segmentId } }) {
      await deleteSegment(db, teamId, segmentId);
      return { id: segmentId, success: true };
    },
  }),
];
