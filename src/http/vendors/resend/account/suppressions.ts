import { z } from 'zod';
import {
  suppressionInput,
  type Suppression,
} from '../../../../features/sending/suppressions/suppressions.schema.ts';
import {
  addSuppressions,
  findSuppressions,
  listSuppressions,
  removeSuppressions,
} from '../../../../features/sending/suppressions/suppressions.ts';
import { badRequest, notFound } from '../../../../platform/errors.ts';
import { pathId, text } from '../../../../platform/schema.ts';
import { validate } from '../../../requests/validate.ts';
import { listOf, listQueryWith, toList, toPageRequest } from '../routing/lists.ts';
import { deleteRoute } from '../routing/object-routes.ts';
import { resendRoute } from '../routing/resend-route.ts';

const MAX_BATCH = 100;

const origin = z.enum(['bounce', 'complaint', 'manual']);
const REASONS = { bounce: 'HARD_BOUNCE', complaint: 'COMPLAINT', manual: 'MANUAL' } as const;
const ORIGINS = {
  HARD_BOUNCE: 'bounce',
  COMPLAINT: 'complaint',
  MANUAL: 'manual',
  ERASED: 'manual',
} as const;

const listed = z.object({
  id: z.string(),
  email: z.string(),
  origin,
  source_id: z.null(),
  created_at: z.string(),
});
const shown = listed.extend({ object: z.literal('suppression') });
const named = z.object({ object: z.literal('suppression'), id: z.string() });
const removed = named.extend({ deleted: z.boolean() });
const params = z.object({ id: pathId() });
const emails = z.array(suppressionInput.shape.email).min(1).max(MAX_BATCH);

export const resendSuppressionRoutes = [
  resendRoute({
    method: 'POST',
    path: '/suppressions',
    scope: 'contacts.write',
    permission: 'full',
    creates: 'suppressions',
    body: z.object({ email: z.unknown().optional() }),
    answer: named,
    async handle({ db, teamId, body }) {
      const { email } = validate(suppressionInput, body);
      return presentId((await addSuppressions(db, teamId, [email]))[0]!);
    },
  }),
  resendRoute({
    method: 'GET',
    path: '/suppressions',
    scope: 'contacts.read',
    permission: 'full',
    query: listQueryWith({ origin: origin.optional() }),
    answer: listOf(listed),
    async handle({ db, teamId, query }) {
      const reason = query.origin && REASONS[query.origin];
      return toList(await listSuppressions(db, teamId, { ...toPageRequest(query), reason }), presentListed);
    },
  }),
  resendRoute({
    method: 'GET',
    path: '/suppressions/{id}',
    scope: 'contacts.read',
    permission: 'full',
    params,
    answer: shown,
    async handle({ db, teamId, params: { id } }) {
      const [found] = await findSuppressions(db, teamId, [id]);
      if (!found) throw notFound('Suppression');
      return { object: 'suppression' as const, ...presentListed(found) };
    },
  }),
  deleteRoute({
    path: '/suppressions/{id}',
    scope: 'contacts.write',
    permission: 'full',
    object: 'suppression',
    async remove({ db, teamId }, id) {
      const [found] = await removeSuppressions(db, teamId, [id]);
      if (!found) throw notFound('Suppression');
      return found.id;
    },
  }),
  resendRoute({
    method: 'POST',
    path: '/suppressions/batch/add',
    scope: 'contacts.write',
    permission: 'full',
    creates: 'suppressions',
    body: z.object({ emails }),
    answer: z.object({ data: z.array(named) }),
    async handle({ db, teamId, body }) {
      return { data: (await addSuppressions(db, teamId, body.emails)).map(presentId) };
    },
  }),
  resendRoute({
    method: 'POST',
    path: '/suppressions/batch/remove',
    scope: 'contacts.write',
    permission: 'full',
    body: z.object({
      emails: emails.optional(),
      ids: z
        .array(text({ min: 1, max: 256 }))
        .min(1)
        .max(MAX_BATCH)
        .optional(),
    }),
    answer: z.object({ data: z.array(removed) }),
    async handle({ db, teamId, body }) {
      const named = body.emails ?? body.ids;
      if (named === undefined || (body.emails && body.ids))
        throw badRequest('Either emails or ids is required.');
      const gone = await removeSuppressions(db, teamId, named);
      return { data: gone.map((each) => ({ ...presentId(each), deleted: true })) };
    },
  }),
];

function presentId({ id }: Suppression) {
  return { object: 'suppression' as const, id };
}

function presentListed({ id, email, reason, createdAt }: Suppression) {
  return { id, email, origin: ORIGINS[reason], source_id: null, created_at: createdAt };
}
