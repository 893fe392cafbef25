import { z } from 'zod';
import {
  cursorPage,
  cursorQuery,
  dateTime,
  pathId,
  plainId,
  text,
  timestamp,
} from '../../../platform/schema.ts';
import { SCOPES } from '../../api/scopes.ts';
import { isNetwork } from './networks.ts';

const permission = z.enum(['full', 'sending']);
const scope = z.enum(SCOPES);
const kind = z.enum(['application', 'agent']);
const MAX_BOUND = 100;
const MAX_NETWORKS = 50;

const network = text({ min: 1, max: 64 }).refine(isNetwork, {
  error: 'must be an IP address, or a network such as 192.0.2.0/24',
});
/** An empty list would limit the key to nothing, so it is more likely a mistake. */
const listOf = <Item extends z.ZodType>(item: Item, max: number) => z.array(item).min(1).max(max);

export const apiKeySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    permission: permission.nullable().describe('Null for a key with scopes'),
    scopes: z.array(scope).nullable().describe('What the key may do, if it has no permission'),
    domainId: z.int().nullable().describe('The only domain that the key is limited to'),
    domainIds: z
      .array(z.int())
      .nullable()
      .describe('The domains that the key is limited to, or null for all'),
    mailboxIds: z.array(z.string()).nullable().describe('The mailboxes that the key is limited to, or null'),
    contactBookIds: z.array(z.string()).nullable().describe('The contact books that the key is limited to'),
    kind: kind.describe('An agent is software that decides by itself'),
    policyId: z.string().nullable().describe('The send policy that every email of the key must pass'),
    client: z
      .string()
      .nullable()
      .describe('The application that a person has connected by OAuth, for which this key stands'),
    allowedIps: z.array(z.string()).nullable().describe('The addresses and networks that the key works from'),
    keyStart: z.string().describe('The first characters of the key, for identification'),
    createdAt: timestamp,
    expiresAt: timestamp.nullable(),
    lastUsedAt: timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' });

export const createdApiKeySchema = apiKeySchema
  .extend({ key: z.string().describe('The API key. Returned only here') })
  .meta({ id: 'CreatedApiKey' });

const bounds = {
  mailboxIds: listOf(plainId, MAX_BOUND)
    .nullish()
    .describe('Limits the key to these mailboxes. Not for a sending key'),
  domainIds: listOf(z.int32().min(1), MAX_BOUND).nullish(),
  contactBookIds: listOf(pathId(), MAX_BOUND).nullish(),
  allowedIps: listOf(network, MAX_NETWORKS).nullish(),
  policyId: pathId().nullish().describe('The send policy of the key. An agent needs one'),
  expiresAt: dateTime.nullish(),
};
const name = text({ min: 1, max: 200, trim: true });

export const apiKeyInput = z
  .object({
    name,
    permission: permission.nullish().describe('Required without scopes'),
    scopes: listOf(scope, SCOPES.length).nullish().describe('Instead of a permission'),
    domainId: z.int32().min(1).nullish().describe('The same as domainIds with one domain'),
    kind: kind.nullish().describe('By default application'),
    ...bounds,
  })
  .superRefine(({ permission: given, scopes, domainId, domainIds, kind: made, policyId }, context) => {
    if (!given && !scopes)
      context.addIssue({ code: 'custom', path: ['permission'], message: 'or scopes is required' });
    if (domainId && domainIds)
      context.addIssue({ code: 'custom', path: ['domainId'], message: 'cannot be given with domainIds' });
    if (made === 'agent' && !policyId)
      context.addIssue({ code: 'custom', path: ['policyId'], message: 'is required for an agent' });
  });

export const apiKeyUpdate = z.object({
  name: name.optional(),
  scopes: listOf(scope, SCOPES.length).optional().describe('Only for a key with scopes'),
  ...bounds,
});

export const apiKeyRotation = z.object({
  overlapHours: z
    .number()
    .min(0)
    .max(168)
    .default(24)
    .describe('How long the key before this one still works'),
});

export const apiKeyParams = z.object({ apiKeyId: pathId() });
export const apiKeyQuery = z.object(cursorQuery);
export const apiKeyPage = cursorPage(apiKeySchema);
export const apiKeyDeleted = z.object({ id: z.string(), success: z.boolean() });

export type ApiKey = z.infer<typeof apiKeySchema>;
export type CreatedApiKey = z.infer<typeof createdApiKeySchema>;
export type ApiKeyInput = z.output<typeof apiKeyInput>;
export type ApiKeyUpdate = z.output<typeof apiKeyUpdate>;
