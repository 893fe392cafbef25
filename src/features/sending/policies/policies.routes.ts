import { route } from '../../api/route.ts';
import {
  sendPolicyDeleted,
  sendPolicyInput,
  sendPolicyPage,
  sendPolicyParams,
  sendPolicyQuery,
  sendPolicySchema,
  sendPolicyUpdate,
  type SendPolicy,
} from './policies.schema.ts';
import {
  createSendPolicy,
  deleteSendPolicy,
  getSendPolicy,
  listSendPolicies,
  updateSendPolicy,
} from './policies.ts';

const example: SendPolicy = {
  id: 'pol_01kbd8x4zvf7m8rk2q3w5t6y7h',
  name: 'Support assistant',
  mode: 'approve_new',
  recipients: { allow: [], deny: ['example.net'], threadParticipants: true, contactBookIds: [] },
  maxRecipients: 5,
  maxPerHour: 20,
  maxPerDay: 100,
  maxNewRecipientsPerDay: 5,
  links: ['example.com'],
  attachments: 'from_thread',
  bcc: false,
  taint: 'strict',
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};
const params = { policyId: example.id };

const common = {
  group: 'Send policies',
  permission: 'full',
  role: 'admin',
} as const;

export const sendPolicyRoutes = [
  route({
    ...common,
    operationId: 'createSendPolicy',
    method: 'POST',
    creates: 'sendPolicies',
    path: '/v1/send-policies',
    scope: 'none',
    summary: 'Create a send policy',
    description:
      'Every email of a key that names the policy must pass it, by whichever way it is sent: the API, SMTP, JMAP, and the APIs of other vendors. What may not go is answered with 200 and `status`: `held` waits for the approval of a person, `blocked` is not sent.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    body: sendPolicyInput,
    answer: sendPolicySchema,
    example: {
      body: { name: example.name, mode: 'approve_new', maxPerHour: 20, links: ['example.com'] },
      answer: example,
    },
    handle: ({ db, teamId, body }) => createSendPolicy(db, teamId, body),
  }),
  route({
    ...common,
    operationId: 'listSendPolicies',
    method: 'GET',
    path: '/v1/send-policies',
    scope: 'keys.manage',
    summary: 'List send policies',
    description: 'Newest first.',
    query: sendPolicyQuery,
    answer: sendPolicyPage,
    example: { answer: { items: [example], next_cursor: null } },
    handle: ({ db, teamId, query }) => listSendPolicies(db, teamId, query),
  }),
  route({
    ...common,
    operationId: 'getSendPolicy',
    method: 'GET',
    path: '/v1/send-policies/{policyId}',
    scope: 'keys.manage',
    summary: 'Get a send policy',
    errors: ['NOT_FOUND'],
    params: sendPolicyParams,
    answer: sendPolicySchema,
    example: { params, answer: example },
    handle: ({ db, teamId, params: { policyId } }) => getSendPolicy(db, teamId, policyId),
  }),
  route({
    ...common,
    operationId: 'updateSendPolicy',
    method: 'PATCH',
    path: '/v1/send-policies/{policyId}',
    scope: 'none',
    summary: 'Change a send policy',
    description: 'The change applies to the next email.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: sendPolicyParams,
    body: sendPolicyUpdate,
    answer: sendPolicySchema,
    example: { params, body: { mode: 'approve_all' }, answer: { ...example, mode: 'approve_all' } },
    handle: ({ db, teamId, params: { policyId }, body }) => updateSendPolicy(db, teamId, policyId, body),
  }),
  route({
    ...common,
    operationId: 'deleteSendPolicy',
    method: 'DELETE',
    path: '/v1/send-policies/{policyId}',
    scope: 'none',
    summary: 'Delete a send policy',
    description: 'A policy that an API key uses is rejected with 409.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: sendPolicyParams,
    answer: sendPolicyDeleted,
    example: { params, answer: { id: example.id, success: true } },
    async handle({ db, teamId, params: { policyId } }) {
      await deleteSendPolicy(db, teamId, policyId);
      return { id: policyId, success: true };
    },
  }),
];
