import { encodeId } from '../../../platform/ids.ts';
import { route } from '../../api/route.ts';
import type { SegmentFilter } from '../segments/segment-filter.ts';
import { segmentParams } from '../segments/segments.schema.ts';
import { readSegment } from '../segments/segments.ts';
import { exampleContact } from './contacts.examples.ts';
import { contactPage, contactQuery } from './contacts.schema.ts';
import { listContacts } from './list-contacts.ts';

/** These routes are not with the segments, because contacts import segments and not the reverse. */
export const segmentContactRoutes = [
  route({
    operationId: 'listSegmentContacts',
    method: 'GET',
    path: '/v1/segments/{segmentId}/contacts',
    scope: 'contacts.read',
    group: 'Segments',
    summary: 'List the contacts in a segment',
    description: 'All contacts in the book that match the filter now, subscribed or not. Newest first.',
    heavy: 'reads',
    permission: 'full',
    role: 'member',
    readsReplica: true,
    errors: ['NOT_FOUND'],
    params: segmentParams,
    query: contactQuery,
    answer: contactPage,
    example: {
      params: { segmentId: 'seg_01kbd8x4zvf7m8rk2q3w5t6y7h' },
      query: { limit: '50', subscribed: 'true' },
      answer: { items: [exampleContact], next_cursor: null },
    },
    async handle({ db, teamId, params: { segmentId }, query }) {
      const { contact_book_id, filter } = await readSegment(db, teamId, segmentId);
      return listContacts(db, teamId, encodeId('cbk', contact_book_id), {
        ...query,
        filter: filter as SegmentFilter,
      });
    },
  }),
];
