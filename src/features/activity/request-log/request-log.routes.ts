import { z } from 'zod';
import { route } from '../../api/route.ts';
import { getRequest, listRequests } from './list-requests.ts';
import { loggedRequest, requestsPage, requestsQuery, type ListedRequest } from './request-log.schema.ts';

const group = 'Request log';

const example: ListedRequest = {
  id: 'log_01kbd8x4zvf7m8rk2q3w5t6y7h',
  at: '2026-11-15T09:30:00.000Z',
  method: 'POST',
  path: '/api/v1/emails',
  status: 400,
  durationMs: 3,
  keyId: 'key_01kbd8x4zvf7m8rk2q3w5t6y7h',
  requestId: 'b5c5b9e4',
  userAgent: 'my-shop/1.0',
  emailId: null,
};

export const requestLogRoutes = [
  route({
    operationId: 'listRequests',
    method: 'GET',
    path: '/v1/logs',
    scope: 'audit.read',
    group,
    summary: 'List the requests of API keys',
    description:
      'Newest first, for 30 days: all requests that write or fail, and of those that read one a minute for each key and path. A request appears within a second.',
    permission: 'full',
    role: 'admin',
    query: requestsQuery,
    answer: requestsPage,
    example: { answer: { items: [example], next_cursor: null } },
    handle: ({ db, teamId, query }) => listRequests(db, teamId, query),
  }),
  route({
    operationId: 'getRequest',
    method: 'GET',
    path: '/v1/logs/{id}',
    scope: 'audit.read',
    group,
    summary: 'Show a request with its bodies',
    description:
      'The bodies have at most 8 kB, and no secrets, attachments or content of emails. A body over 64 kB, or one that is not JSON or a form, is not kept.',
    permission: 'full',
    role: 'admin',
    errors: ['NOT_FOUND'],
    params: z.object({ id: z.string() }),
    answer: loggedRequest,
    example: {
      params: { id: example.id },
      answer: {
        ...example,
        requestBody: { from: 'hello@example.com', subject: '(hidden)' },
        responseBody: { error: { code: 'BAD_REQUEST', message: 'to is required.' } },
      },
    },
    handle: ({ db, teamId, params }) => getRequest(db, teamId, params.id),
  }),
];
