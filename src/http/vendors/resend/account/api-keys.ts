import { z } from 'zod';
import { apiKeyInput, apiKeyUpdate } from '../../../../features/identity/api-keys/api-keys.schema.ts';
import {
  createApiKey,
  listApiKeys,
  revokeApiKey,
  updateApiKey,
} from '../../../../features/identity/api-keys/api-keys.ts';
import { pathId } from '../../../../platform/schema.ts';
import { validate } from '../../../requests/validate.ts';
import { toNumber } from './domains.ts';
import { deleteRoute, listRoute } from '../routing/object-routes.ts';
import { resendRoute } from '../routing/resend-route.ts';

const newKey = z.object({
  name: z.unknown().optional(),
  permission: z.enum(['full_access', 'sending_access']).default('full_access'),
  domain_id: z.string().max(100).nullish(),
});
const listedKey = z.object({
  id: z.string(),
  name: z.string(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
});
const named = z.object({ object: z.literal('api_key'), id: z.string() });
const params = z.object({ id: pathId() });

export const resendApiKeyRoutes = [
  resendRoute({
    method: 'POST',
    path: '/api-keys',
    scope: 'keys.manage',
    role: 'admin',
    permission: 'full',
    creates: 'apiKeys',
    body: newKey,
    answer: z.object({ id: z.string(), token: z.string() }),
    async handle({ db, teamId, caller, body: { name, permission, domain_id } }) {
      const input = validate(apiKeyInput, {
        name,
        permission: permission === 'full_access' ? 'full' : 'sending',
        domainId: domain_id ? toNumber(domain_id) : null,
      });
      const { id, key } = await createApiKey(db, teamId, input, { maker: caller });
      return { id, token: key };
    },
  }),
  listRoute({
    path: '/api-keys',
    scope: 'keys.manage',
    role: 'admin',
    permission: 'full',
    list: ({ db, teamId }, page) => listApiKeys(db, teamId, page),
    item: listedKey,
    present: ({ id, name, createdAt, lastUsedAt }) => ({
      id,
      name,
      created_at: createdAt,
      last_used_at: lastUsedAt,
    }),
  }),
  resendRoute({
    method: 'PATCH',
    path: '/api-keys/{id}',
    scope: 'keys.manage',
    role: 'admin',
    permission: 'full',
    params,
    body: z.object({ name: z.unknown().optional() }),
    answer: named,
    async handle({ db, caller, params: { id }, body }) {
      await updateApiKey(db, caller, id, {
        name: validate(apiKeyUpdate.pick({ name: true }).required(), body).name,
      });
      return { object: 'api_key' as const, id };
    },
  }),
  deleteRoute({
    path: '/api-keys/{id}',
    scope: 'keys.manage',
    role: 'admin',
    permission: 'full',
    object: 'api_key',
    remove: ({ db, caller }, id) => revokeApiKey(db, caller, id),
  }),
];
