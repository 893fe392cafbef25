/** Segments, which older SDKs call audiences. Both names have the same routes. */
import { z } from 'zod';
import { getContactBook } from '../../../../features/audience/contact-books/contact-books.ts';
import { createMemberSegment } from '../../../../features/audience/segments/member-segments.ts';
import { segmentName } from '../../../../features/audience/segments/segments.schema.ts';
import {
  deleteSegment,
  getSegment,
  listSegments,
  updateSegment,
} from '../../../../features/audience/segments/segments.ts';
import { pathId } from '../../../../platform/schema.ts';
import { ensureContacts, isBookId } from './audience.ts';
import { deleteRoute, listRoute } from '../routing/object-routes.ts';
import { resendRoute } from '../routing/resend-route.ts';

export const listedSegment = z.object({ id: z.string(), name: z.string(), created_at: z.string() });

const names = z.object({ name: segmentName });
const params = z.object({ id: pathId() });

function routesAt(path: '/segments' | '/audiences', object: 'segment' | 'audience') {
  const named = z.object({ object: z.literal(object), id: z.string() });
  return [
    resendRoute({
      method: 'POST',
      path,
      scope: 'contacts.write',
      permission: 'full',
      creates: 'segments',
      body: names,
      answer: named.extend({ name: z.string() }),
      async handle({ db, teamId, body: { name } }) {
        const contactBookId = await ensureContacts(db, teamId);
        const { id } = await createMemberSegment(db, teamId, { name, contactBookId });
        return { object, id, name };
      },
    }),
    listRoute({
      path,
      scope: 'contacts.read',
      permission: 'full',
      list: ({ db, teamId }, page) => listSegments(db, teamId, page),
      item: listedSegment,
      present: presentSegment,
    }),
    resendRoute({
      method: 'GET',
      path: `${path}/{id}`,
      scope: 'contacts.read',
      permission: 'full',
      params,
      answer: listedSegment.extend({ object: z.literal(object) }),
      async handle({ db, teamId, params: { id } }) {
        const found = isBookId(id) ? await getContactBook(db, teamId, id) : await getSegment(db, teamId, id);
        return { object, ...presentSegment(found) };
      },
    }),
    resendRoute({
      method: 'PATCH',
      path: `${path}/{id}`,
      scope: 'contacts.write',
      permission: 'full',
      params,
      body: names,
      answer: named,
      async handle({ db, teamId, params: { id }, body }) {
        await updateSegment(db, teamId, id, body);
        return { object, id };
      },
    }),
    deleteRoute({
      path: `${path}/{id}`,
      scope: 'contacts.write',
      permission: 'full',
      object,
      remove: ({ db, teamId }, id) => deleteSegment(db, teamId, id),
    }),
  ];
}

export const resendSegmentRoutes = [
  ...routesAt('/segments', 'segment'),
  ...routesAt('/audiences', 'audience'),
];

export function presentSegment({ id, name, createdAt }: { id: string; name: string; createdAt: string }) {
  return { id, name, created_at: createdAt };
}
