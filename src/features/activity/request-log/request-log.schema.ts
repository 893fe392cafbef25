import { z } from 'zod';
import { cursorPage, cursorQuery, text, timestamp } from '../../../platform/schema.ts';

const listedRequest = z.object({
  id: z.string(),
  at: timestamp,
  method: z.string(),
  path: z.string(),
  status: z.int(),
  durationMs: z.int().describe('How long the response took.'),
  keyId: z.string(),
  requestId: z.string().describe('The x-request-id of the response.'),
  userAgent: z.string().nullable(),
  emailId: z.string().nullable().describe('The email that the request made or named.'),
});

export const loggedRequest = listedRequest.extend({
  requestBody: z.unknown().describe('Without secrets, attachments and the content of emails.'),
  responseBody: z.unknown(),
});
export type LoggedRequest = z.infer<typeof loggedRequest>;
export type ListedRequest = z.infer<typeof listedRequest>;

export const requestsQuery = z.object({
  status: z
    .string()
    .regex(/^[1-5](?:\d\d|xx)$/, { error: 'must be a status such as 422, or a class such as 4xx' })
    .optional()
    .describe('A status such as `422`, or a class such as `4xx`.'),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
  path: text({ min: 1, max: 500 })
    .optional()
    .describe('A path, or the first part of some: `/api/v1/emails`. `/api/v1` or `/api` may be left out.'),
  keyId: text({ min: 1, max: 100 }).optional(),
  requestId: text({ min: 1, max: 64 }).optional(),
  ...cursorQuery,
});
export type RequestsQuery = z.output<typeof requestsQuery>;

export const requestsPage = cursorPage(listedRequest);
