/** Describes the errors of an operation: which ones it can return, their form, and example messages. */
import type { ErrorCode } from '../../platform/errors.ts';
import { takesIdempotencyKey, type AnyRoute } from '../../features/api/route.ts';
import { STATUS_OF } from '../requests/error-answer.ts';
import type { OpenApiResponse } from './document.ts';
import type { JsonSchema } from './openapi-schema.ts';

const REASONS: Record<ErrorCode, string> = {
  BAD_REQUEST: 'The path, query or body is invalid',
  UNAUTHORIZED: 'The API key or session is missing, invalid, revoked or expired',
  FORBIDDEN: 'The API key or user is not allowed to do this',
  NOT_FOUND: 'A resource in the request does not exist in your team',
  METHOD_NOT_ALLOWED: 'The path does not support this method',
  CONFLICT: 'The current state of the resource does not allow this',
  already_sent: 'The message has already been sent',
  THREAD_CHANGED: 'The thread has a message that the writer has not seen. `newMessages` has their IDs',
  TOO_LARGE: 'The body is too large',
  IDEMPOTENCY_MISMATCH: 'The `Idempotency-Key` was already used for a different request',
  RATE_LIMITED: 'Too many requests. Wait for the time in `Retry-After`',
  INTERNAL: 'Internal server error',
  NOT_IMPLEMENTED: 'Posthorn does not have this',
  UNAVAILABLE:
    'The database or the object store is not available, or the server is too busy. Try again after `Retry-After`',
};

const UNDER_WAY = 'A request with the same `Idempotency-Key` is still in progress';

/** Example messages. The real ones are more specific. */
const MESSAGES: Record<ErrorCode, string> = {
  BAD_REQUEST: 'The request body is not valid JSON.',
  UNAUTHORIZED: 'The API key is invalid, revoked or expired.',
  FORBIDDEN: 'This API key is limited to one domain and cannot be used here.',
  NOT_FOUND: 'Not found in your team',
  METHOD_NOT_ALLOWED: 'This path only supports GET, HEAD.',
  CONFLICT: 'A request with this Idempotency-Key is still in progress. Try again when it has finished.',
  already_sent: 'This message has already been sent.',
  THREAD_CHANGED: 'This conversation has new messages.',
  TOO_LARGE: 'The request body is too large.',
  IDEMPOTENCY_MISMATCH: 'This Idempotency-Key was already used for a different request. Use a new key.',
  RATE_LIMITED: 'Your team has made too many requests. Wait for the time in Retry-After, then try again.',
  INTERNAL: 'Internal server error. Try again. The server log has the details.',
  NOT_IMPLEMENTED: "Posthorn doesn't support this endpoint.",
  UNAVAILABLE: 'The database is not available right now. Try again in a moment.',
};

const RETRY_AFTER = { description: 'Seconds to wait', schema: { type: 'integer' } };

const HEADERS: Partial<Record<ErrorCode, OpenApiResponse['headers']>> = {
  UNAUTHORIZED: { 'WWW-Authenticate': { description: 'Always `Bearer`', schema: { type: 'string' } } },
  RATE_LIMITED: { 'Retry-After': RETRY_AFTER },
  UNAVAILABLE: { 'Retry-After': RETRY_AFTER },
};

export const ERROR_SCHEMAS: Record<string, JsonSchema> = {
  Error: {
    type: 'object',
    description: 'An error in object form, used by all operations except those that use the text form',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          code: { type: 'string', enum: Object.keys(STATUS_OF) },
          message: { type: 'string', description: 'What is wrong and how to fix it' },
          issues: {
            type: 'array',
            description: 'Details about each invalid field, if there are any',
            items: {
              type: 'object',
              required: ['path', 'message'],
              properties: {
                path: { type: 'string', description: 'A JSON pointer into the request' },
                message: { type: 'string' },
              },
            },
          },
        },
      },
    },
  },
  ErrorText: {
    type: 'object',
    description: 'An error in text form, used by a few operations for all of their errors',
    required: ['error'],
    properties: { error: { type: 'string', description: 'What is wrong and how to fix it' } },
  },
};

/** Returns the errors of every route and those that this route adds. */
function possibleErrors(route: AnyRoute): Set<ErrorCode> {
  const isWrite = route.method !== 'GET';
  const isOpen = route.permission === 'anyone';
  const keyed = takesIdempotencyKey(route);
  const readsInput =
    Boolean(route.params ?? route.query) || keyed || ('body' in route && Boolean(route.body));
  return new Set<ErrorCode>([
    ...(readsInput ? (['BAD_REQUEST'] as const) : []),
    ...(isOpen ? [] : (['UNAUTHORIZED'] as const)),
    ...(isOpen && !isWrite ? [] : (['FORBIDDEN'] as const)),
    ...(route.errors ?? []),
    // The body of a write is always read and limited, even if the route takes none.
    ...(isWrite ? ([route.tooLargeAs ?? 'TOO_LARGE'] as const) : []),
    ...(keyed ? (['CONFLICT', 'IDEMPOTENCY_MISMATCH'] as const) : []),
    ...(isOpen ? [] : (['RATE_LIMITED'] as const)),
    'INTERNAL',
    'UNAVAILABLE',
  ]);
}

export function describeErrors(route: AnyRoute): Record<string, OpenApiResponse> {
  const responses: Record<string, OpenApiResponse> = {};
  const form = route.errorForm === 'string' ? 'ErrorText' : 'Error';
  for (const code of possibleErrors(route)) {
    const why = explain(route, code);
    const message = exampleMessage(route, code);
    const value = form === 'ErrorText' ? { error: message } : { error: { code, message } };
    const known = responses[STATUS_OF[code]];
    responses[STATUS_OF[code]] = {
      description: known ? `${known.description}. ${why}` : why,
      ...(HEADERS[code] ? { headers: HEADERS[code] } : {}),
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${form}` },
          examples: { ...known?.content['application/json']?.examples, [code]: { summary: why, value } },
        },
      },
    };
  }
  return responses;
}

function explain(route: AnyRoute, code: ErrorCode): string {
  if (code !== 'CONFLICT' || !takesIdempotencyKey(route)) return REASONS[code];
  return route.errors?.includes('CONFLICT') ? `${REASONS.CONFLICT}; or a${UNDER_WAY.slice(1)}` : UNDER_WAY;
}

/** For a path with `{contactBookId}`, NOT_FOUND has the message "Contact book not found". */
function exampleMessage(route: AnyRoute, code: ErrorCode): string {
  if (route.permission === 'anyone' && code === 'UNAUTHORIZED')
    return 'The email address or password is incorrect.';
  if (route.permission === 'anyone' && code === 'FORBIDDEN')
    return 'This request was rejected because it comes from another site.';
  if (route.permission === 'person' && code === 'UNAUTHORIZED') return 'You are not signed in.';
  if (route.permission === 'person' && code === 'FORBIDDEN')
    return 'This requires a signed-in user. API keys are not accepted.';
  const subject = /.*\{(\w+)Id\}/.exec(route.path)?.[1];
  if (code === 'FORBIDDEN' && route.permission === 'full')
    return 'This requires an API key with full access. This key can only send emails.';
  if (code !== 'NOT_FOUND' || !subject) return MESSAGES[code];
  const words = subject.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words[0]!.toUpperCase()}${words.slice(1)} not found`.replace(/^Api /, 'API ');
}
