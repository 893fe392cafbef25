/** The OpenAPI 3.1 document, made from the same declarations that serve and check the requests. */
import { z } from 'zod';
import type { ErrorCode } from '../platform/errors.ts';
import type { AnyRoute } from '../platform/route.ts';
import { STATUS_OF } from './error-answer.ts';

type Json = Record<string, unknown>;

export interface OpenApi {
  openapi: string;
  info: Json;
  servers: Json[];
  security: Json[];
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown>; securitySchemes: Json };
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  'x-permission': string;
  parameters: Json[];
  requestBody?: Json;
  responses: Record<string, Json>;
}

const WHY: Record<ErrorCode, string> = {
  BAD_REQUEST: 'The path, query or body is not as described here',
  UNAUTHORIZED: 'No API key, or one that is unknown, revoked or expired',
  FORBIDDEN: 'The API key may not do this',
  NOT_FOUND: 'Something named in the request does not exist in your team',
  METHOD_NOT_ALLOWED: 'The path takes other methods',
  CONFLICT: 'The state of the resource, or a request with the same Idempotency-Key under way, forbids it',
  already_sent: 'The message has already gone',
  TOO_LARGE: 'The body is too large',
  IDEMPOTENCY_MISMATCH: 'The Idempotency-Key was used for another request',
  RATE_LIMITED: 'Too many requests; wait as long as Retry-After says',
  INTERNAL: 'Something went wrong on our side',
  UNAVAILABLE: 'The database is away; try again after Retry-After',
};

const ERROR_SCHEMAS = {
  Error: {
    type: 'object',
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
  ErrorText: { type: 'object', required: ['error'], properties: { error: { type: 'string' } } },
};

export function buildOpenApi(routes: AnyRoute[], baseUrl: string): OpenApi {
  const schemas: Record<string, unknown> = { ...ERROR_SCHEMAS };
  const paths: OpenApi['paths'] = {};
  for (const route of routes) {
    (paths[route.path] ??= {})[route.method.toLowerCase()] = describe(route, schemas);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Posthorn',
      version: '1',
      description: 'A self-hosted email platform. All requests and answers are JSON in UTF-8.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${baseUrl}/api` }],
    security: [{ apiKey: [] }],
    tags: [...new Set(routes.map((route) => route.group))].map((name) => ({ name })),
    paths,
    components: { schemas, securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
  };
}

function describe(route: AnyRoute, schemas: Record<string, unknown>): Operation {
  const operation: Operation = {
    operationId: route.operationId,
    tags: [route.group],
    summary: route.summary,
    description: route.description ?? '',
    'x-permission': route.permission,
    parameters: [
      ...parameters('path', route.params, route.example.params),
      ...parameters('query', route.query, route.example.query),
      ...(takesIdempotencyKey(route) ? [IDEMPOTENCY_HEADER] : []),
    ],
    responses: { 200: success(route, schemas), ...failures(route) },
  };
  if ('upload' in route) {
    const { contentType, example } = route.upload;
    operation.requestBody = {
      required: true,
      content: { [contentType]: { schema: { type: 'string' }, example } },
    };
  } else if (route.body) {
    const schema = toSchema(route.body, 'input', schemas);
    operation.requestBody = {
      required: !route.body.safeParse(undefined).success,
      content: { 'application/json': { schema, example: route.example.body } },
    };
  }
  return operation;
}

const IDEMPOTENCY_HEADER = {
  in: 'header',
  name: 'Idempotency-Key',
  required: false,
  description: 'The same request with the same key gets the same answer for 24 hours and does nothing twice',
  schema: { type: 'string', minLength: 1, maxLength: 256 },
};

function takesIdempotencyKey(route: AnyRoute): boolean {
  return route.method !== 'GET' && route.method !== 'DELETE';
}

function parameters(place: string, schema: z.ZodType | undefined, example: unknown): Json[] {
  if (!schema) return [];
  const shape = toSchema(schema, 'input', {}) as { properties?: Record<string, Json>; required?: string[] };
  const examples = (example ?? {}) as Json;
  return Object.entries(shape.properties ?? {}).map(([name, { description, ...rest }]) => ({
    in: place,
    name,
    required: place === 'path' || (shape.required ?? []).includes(name),
    ...(description ? { description } : {}),
    schema: rest,
    ...(name in examples ? { example: examples[name] } : {}),
  }));
}

function success(route: AnyRoute, schemas: Record<string, unknown>): Json {
  if (route.answer === 'text/csv') {
    const content = { 'text/csv': { schema: { type: 'string' }, example: route.example.answer } };
    return { description: 'A file, sent as it is read', content };
  }
  const schema = toSchema(route.answer, 'output', schemas);
  return {
    description: 'Done',
    content: { 'application/json': { schema, example: route.example.answer } },
  };
}

/** What every route can answer, and what this one adds. */
function possibleErrors(route: AnyRoute): ErrorCode[] {
  const takesBody = 'upload' in route || route.body !== undefined;
  return [
    'BAD_REQUEST',
    'UNAUTHORIZED',
    'FORBIDDEN',
    ...(route.errors ?? []),
    ...(takesBody && route.tooLargeAs !== 'BAD_REQUEST' ? (['TOO_LARGE'] as const) : []),
    ...(takesIdempotencyKey(route) ? (['CONFLICT', 'IDEMPOTENCY_MISMATCH'] as const) : []),
    'RATE_LIMITED',
    'INTERNAL',
    'UNAVAILABLE',
  ];
}

function failures(route: AnyRoute): Record<string, Json> {
  const byStatus: Record<string, ErrorCode[]> = {};
  for (const code of new Set(possibleErrors(route))) (byStatus[STATUS_OF[code]] ??= []).push(code);
  const form = route.errorForm === 'string' ? 'ErrorText' : 'Error';
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `${code}: ${WHY[code]}`).join('; '),
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${form}` },
            example:
              form === 'ErrorText'
                ? { error: WHY[codes[0]!] }
                : { error: { code: codes[0], message: WHY[codes[0]!] } },
          },
        },
      },
    ]),
  );
}

/** JSON Schema of a shape; shapes with an id of their own move to the components. */
function toSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Record<string, unknown>): Json {
  const made = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  const text = JSON.stringify(made).replaceAll('#/$defs/', '#/components/schemas/');
  const { $schema: _, $defs, ...rest } = JSON.parse(text) as Json & { $defs?: Json };
  Object.assign(schemas, $defs);
  const id = schema.meta()?.id;
  if (!id) return rest;
  schemas[id] = rest;
  return { $ref: `#/components/schemas/${id}` };
}
