import { route } from '../../api/route.ts';
import {
  apiKeyDeleted,
  apiKeyInput,
  apiKeyPage,
  apiKeyParams,
  apiKeyQuery,
  createdApiKeySchema,
  type ApiKey,
} from './api-keys.schema.ts';
import { createApiKey, listApiKeys, revokeApiKey } from './api-keys.ts';

const example: ApiKey = {
  id: 'key_01kbd8x4zvf7m8rk2q3w5t6y7h',
  name: 'Website',
  permission: 'sending',
  domainId: null,
  keyStart: 'ph_7x2k9d4m',
  createdAt: '2026-11-15T09:30:00.000Z',
  expiresAt: null,
  lastUsedAt: null,
};

export const apiKeyRoutes = [
  route({
    operationId: 'createApiKey',
    method: 'POST',
    creates: 'apiKeys',
    path: '/v1/api-keys',
    group: 'Team and keys',
    summary: 'Create an API key',
    description: 'The response contains the key. It is not shown again.',
    permission: 'full',
    role: 'admin',
    errors: ['NOT_FOUND'],
    body: apiKeyInput,
    answer: createdApiKeySchema,
    example: {
      body: { name: 'Website', permission: 'sending' },
      answer: { ...example, key: 'ph_7x2k9d4m_0s8f4m2k6n1q9r3t7v5w8x2y4z6a1b3c5d7e9f2g4h6j8k1m3n5p' },
    },
    handle: ({ db, teamId, body }) => createApiKey(db, teamId, body),
  }),
  route({
    operationId: 'listApiKeys',
    method: 'GET',
    path: '/v1/api-keys',
    group: 'Team and keys',
    summary: 'List API keys',
    description: 'Newest first. Revoked keys are not listed, and the keys themselves are never returned.',
    permission: 'full',
    role: 'admin',
    query: apiKeyQuery,
    answer: apiKeyPage,
    example: { answer: { items: [example], next_cursor: null } },
    handle: ({ db, teamId, query }) => listApiKeys(db, teamId, query),
  }),
  route({
    operationId: 'revokeApiKey',
    method: 'DELETE',
    path: '/v1/api-keys/{apiKeyId}',
    group: 'Team and keys',
    summary: 'Revoke an API key',
    description: 'The key stops working within a second.',
    permission: 'full',
    role: 'admin',
    errors: ['NOT_FOUND'],
    params: apiKeyParams,
    answer: apiKeyDeleted,
    example: { params: { apiKeyId: example.id }, answer: { id: example.id, success: true } },
    async handle({ db, teamId, params }) {
      await revokeApiKey(db, teamId, params.apiKeyId);
      return { id: params.apiKeyId, success: true };
    },
  }),
];
