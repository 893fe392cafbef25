import { route } from '../../api/route.ts';
import {
  suppressionAnswer,
  suppressionDeleted,
  suppressionInput,
  suppressionPage,
  suppressionParams,
  suppressionQuery,
  type Suppression,
} from './suppressions.schema.ts';
import { addSuppression, listSuppressions, removeSuppression } from './suppressions.ts';

const group = 'Suppressions';

const example: Suppression = {
  id: 'sup_01kbd8x4zvf7m8rk2q3w5t6y7h',
  email: 'gone@example.org',
  reason: 'HARD_BOUNCE',
  createdAt: '2026-11-15T09:30:00.000Z',
};

export const suppressionRoutes = [
  route({
    operationId: 'addSuppression',
    method: 'POST',
    creates: 'suppressions',
    path: '/v1/suppressions',
    scope: 'contacts.write',
    storesLittle: true,
    group,
    summary: 'Suppress an address',
    description: 'If the address is already suppressed, nothing changes.',
    permission: 'full',
    role: 'member',
    body: suppressionInput,
    answer: suppressionAnswer,
    example: { body: { email: 'gone@example.org' }, answer: { ...example, reason: 'MANUAL' } },
    handle: ({ db, teamId, body }) => addSuppression(db, teamId, body.email),
  }),
  route({
    operationId: 'listSuppressions',
    method: 'GET',
    path: '/v1/suppressions',
    scope: 'contacts.read',
    group,
    summary: 'List suppressed addresses',
    description: 'Newest first.',
    permission: 'full',
    role: 'member',
    readsReplica: true,
    query: suppressionQuery,
    answer: suppressionPage,
    example: { answer: { items: [example], next_cursor: null } },
    handle: ({ db, teamId, query }) => listSuppressions(db, teamId, query),
  }),
  route({
    operationId: 'removeSuppression',
    method: 'DELETE',
    path: '/v1/suppressions/{suppressionId}',
    scope: 'contacts.write',
    group,
    summary: 'Remove an address from the suppression list',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: suppressionParams,
    answer: suppressionDeleted,
    example: { params: { suppressionId: example.id }, answer: { id: example.id, success: true } },
    async handle({ db, teamId, params: { suppressionId } }) {
      await removeSuppression(db, teamId, suppressionId);
      return { id: suppressionId, success: true };
    },
  }),
];
