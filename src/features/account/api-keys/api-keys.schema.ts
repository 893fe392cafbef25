import { z } from 'zod';
import { cursorPage, cursorQuery, dateTime, pathId, text, timestamp } from '../../../platform/schema.ts';

const permission = z.enum(['full', 'sending']);

const apiKeySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    permission,
    domainId: z.int().nullable().describe('The domain that the key is limited to, or null for all domains'),
    keyStart: z.string().describe('The first characters of the key, for identification'),
    createdAt: timestamp,
    expiresAt: timestamp.nullable(),
    lastUsedAt: timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' });

export const createdApiKeySchema = apiKeySchema
  .extend({ key: z.string().describe('The API key. Returned only here') })
  .meta({ id: 'CreatedApiKey' });

export const apiKeyInput = z.object({
  name: text({ min: 1, max: 200, trim: true }),
  permission,
  domainId: z.int32().min(1).nullish(),
  expiresAt: dateTime.nullish(),
});

export const apiKeyUpdate = apiKeyInput.pick({ name: true });

export const apiKeyParams = z.object({ apiKeyId: pathId() });
export const apiKeyQuery = z.object(cursorQuery);
export const apiKeyPage = cursorPage(apiKeySchema);
export const apiKeyDeleted = z.object({ id: z.string(), success: z.boolean() });

export type ApiKey = z.infer<typeof apiKeySchema>;
export type CreatedApiKey = z.infer<typeof createdApiKeySchema>;
export type ApiKeyInput = z.output<typeof apiKeyInput>;
