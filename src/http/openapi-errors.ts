/** Which errors an operation can give, in which form, and what each of them says. */
import type { ErrorCode } from '../platform/errors.ts';
import { takesIdempotencyKey, type AnyRoute } from '../platform/route.ts';
import { STATUS_OF } from './error-answer.ts';
import type { JsonSchema } from './openapi-schema.ts';
import type { OpenApiResponse } from './openapi.ts';

const WHY: Record<ErrorCode, string> = {
  BAD_REQUEST: 'The path, query or body is not as described here',
  UNAUTHORIZED: 'No API key or session, or one that is unknown, revoked or expired',
  FORBIDDEN: 'The API key or the person may not do this',
  NOT_FOUND: 'Something named in the request does not exist in your team',
  METHOD_NOT_ALLOWED: 'The path takes other methods',
  CONFLICT: 'The state of what it is about forbids it',
  already_sent: 'The message has already gone',
  TOO_LARGE: 'The body is too large',
  IDEMPOTENCY_MISMATCH: 'The `Idempotency-Key` was used for another request',
  RATE_LIMITED: 'Too many requests; wait as long as `Retry-After` says',
  INTERNAL: 'Something went wrong on our side',
  UNAVAILABLE: 'The database is away; try again after `Retry-After`',
};

const UNDER_WAY = 'A request with the same `Idempotency-Key` is still under way';

/** What such an error says in words; the real ones are more to the point. */
const SAYS: Record<ErrorCode, string> = {
  BAD_REQUEST: 'The request body is not valid JSON.',
  UNAUTHORIZED: 'The API key is not known, was revoked or has expired.',
  FORBIDDEN: 'This API key is bound to one domain and does not work here.',
  NOT_FOUND: 'Not found in your team',
  METHOD_NOT_ALLOWED: 'This path takes only GET, HEAD.',
  CONFLICT: 'A request with this Idempotency-Key is still under way. Try again when it is done.',
  already_sent: 'The message has already gone.',
  TOO_LARGE: 'The request body is too large.',
  IDEMPOTENCY_MISMATCH: 'This Idempotency-Key was used for another request. Use a new key for a new request.',
  RATE_LIMITED: 'Your team has made too many requests. Wait as long as Retry-After says.',
  INTERNAL: 'Something went wrong on our side. Try again; the log has the details.',
  UNAVAILABLE: 'The database cannot be reached right now. Try again in a moment.',
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
    description: 'The object form of an error, used everywhere but where the text form is named',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          code: { type: 'string', enum: Object.keys(STATUS_OF) },
          message: { type: 'string', description: 'A sentence that says what to change' },
          issues: {
            type: 'array',
            description: 'Everything that is wrong with the input, where there is more to say',
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
    description: 'The text form of an error, used by a few operations for each of their errors',
    required: ['error'],
    properties: { error: { type: 'string', description: 'A sentence that says what to change' } },
  },
};

/** What every route can answer, and what this one adds. */
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
    // The body of a write is read, and held against the limit, also where none is needed.
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
    const message = phrase(route, code);
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
  if (code !== 'CONFLICT' || !takesIdempotencyKey(route)) return WHY[code];
  return route.errors?.includes('CONFLICT') ? `${WHY.CONFLICT}; or a${UNDER_WAY.slice(1)}` : UNDER_WAY;
}

/** `{contactBookId}` is missed as "Contact book not found". */
function phrase(route: AnyRoute, code: ErrorCode): string {
  if (route.permission === 'anyone' && code === 'UNAUTHORIZED')
    return 'The address or the password is not right.';
  if (route.permission === 'anyone' && code === 'FORBIDDEN')
    return 'This request comes from another site, and was refused.';
  if (route.permission === 'person' && code === 'UNAUTHORIZED') return 'You are not signed in.';
  if (route.permission === 'person' && code === 'FORBIDDEN')
    return 'This is for people who are signed in; an API key cannot do it.';
  const subject = /.*\{(\w+)Id\}/.exec(route.path)?.[1];
  if (code === 'FORBIDDEN' && route.permission === 'full')
    return 'This needs an API key with full access; this one may only send.';
  if (code !== 'NOT_FOUND' || !subject) return SAYS[code];
  const words = subject.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words[0]!.toUpperCase()}${words.slice(1)} not found`.replace(/^Api /, 'API ');
}
