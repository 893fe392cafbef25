/** The OpenAPI 3.1 document, made from the same declarations that serve and check the requests. */
import type { z } from 'zod';
import { nameRoles, rolesOf, takesIdempotencyKey, type AnyRoute, type Role } from '../platform/route.ts';
import { describeErrors, ERROR_SCHEMAS } from './openapi-errors.ts';
import { toSchema, type JsonSchema, type Schemas } from './openapi-schema.ts';
import { SESSION_COOKIE } from './session-cookie.ts';

export interface OpenApi {
  openapi: string;
  info: { title: string; version: string; summary: string; description: string; license: object };
  servers: { url: string }[];
  security: object[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Schemas; securitySchemes: object };
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  /** Where it is not as for the others, which take a key or a session. */
  security?: object[];
  'x-permission': AnyRoute['permission'];
  /** The roles that may do this, of people who are signed in. Not there where nobody is. */
  'x-roles'?: Role[];
  /** Whether a key bound to one domain gets in. */
  'x-bound-keys': 'refused' | 'kept-to-domain';
  'x-body-limit-bytes'?: number;
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, OpenApiMedia> };
  responses: Record<string, OpenApiResponse>;
}

export interface Parameter {
  in: 'path' | 'query' | 'header';
  name: string;
  required: boolean;
  description?: string;
  schema: JsonSchema;
  example?: string | number | boolean;
}

export interface OpenApiMedia {
  schema: JsonSchema;
  example?: unknown;
  examples?: Record<string, { summary: string; value: unknown }>;
}

export interface OpenApiResponse {
  description: string;
  headers?: Record<string, { description: string; schema: JsonSchema }>;
  content: Record<string, OpenApiMedia>;
}

/** What a heading of the documentation is about; one without a sentence here simply has none. */
const GROUPS: Record<string, string> = {
  Emails: 'Transactional email: sent at once, held for a moment so that it can be undone, or scheduled.',
  Suppressions: 'Addresses that your team does not write to any more.',
  Domains: 'A domain that you send from. It must publish its records and be verified before mail can leave.',
  'Contact books':
    'A contact book is a list of people you may write to, with the variables that personalise their mail and its own double opt-in.',
  Contacts: 'The people of a contact book. An address is in a book once, whatever its case.',
  Analytics: 'What happened to your mail, from counters that are kept with every event.',
  Members: 'The people of your team, and those who are invited into it.',
  'Signing in':
    'For people, and for programs that act for a browser: they end in a session, kept in a cookie.',
  'Your account':
    'About the one who is signed in. Whatever a key can do, a session can do too; a request that changes something must then come from our own pages, as its `Origin` or `Sec-Fetch-Site` header tells.',
  Campaigns:
    'One mail to everyone in a contact book, each rendered for its reader. Nobody is lost and nobody gets it twice, whatever happens on the way.',
  Segments: 'A segment is the part of a contact book that a filter finds, looked up anew each time.',
  Templates: 'A template is content that is written once, with merge tags, and sent by its id.',
  Topics: 'A topic is something that you write about. A contact can leave one and stay in the book.',
  Mailboxes: 'An address on a domain of yours that receives mail and sends it.',
  Threads: 'Conversations of a mailbox, with everything that was received and sent in them.',
  'Waiting messages':
    'What a mailbox sends waits: for its time, or for a moment in which it can be undone. Until it has gone it can be moved, sent at once or taken back.',
  'Saved replies':
    'What a mailbox writes again and again, with variables that are filled in when it is inserted.',
  Webhooks:
    'Endpoints of yours that are told what happens, signed as Standard Webhooks asks for (`webhook-id`, `webhook-timestamp`, `webhook-signature`). A call that is not answered with 2xx within 15 seconds is made again for about three days.',
  'Team and keys': 'A team owns everything: what another team has does not exist for yours.',
};

const IDEMPOTENCY_HEADER: Parameter = {
  in: 'header',
  name: 'Idempotency-Key',
  required: false,
  description: 'The same request with the same key gets the same answer for 24 hours and does nothing twice',
  schema: { type: 'string', minLength: 1, maxLength: 256 },
};

const REPLAYED_HEADER = {
  'Idempotency-Replayed': {
    description: '`true` when this is the answer to an earlier request with the same `Idempotency-Key`',
    schema: { type: 'string', enum: ['true'] },
  },
};

const SECURITY: Partial<Record<AnyRoute['permission'], object[]>> = { person: [{ session: [] }], anyone: [] };

export function buildOpenApi(routes: AnyRoute[], baseUrl: string): OpenApi {
  const schemas: Schemas = { ...ERROR_SCHEMAS };
  const paths: OpenApi['paths'] = {};
  for (const route of routes) {
    (paths[route.path] ??= {})[route.method.toLowerCase()] = describe(route, schemas);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Posthorn',
      version: '1',
      summary: 'A self-hosted email platform',
      description:
        'Sending, contact books, campaigns and mailboxes behind one HTTP API. All requests and answers are JSON in UTF-8.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${baseUrl}/api` }],
    security: [{ apiKey: [] }, { session: [] }],
    tags: [...new Set(routes.map((route) => route.group))].map((name) =>
      GROUPS[name] ? { name, description: GROUPS[name] } : { name },
    ),
    paths,
    components: {
      schemas,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of your team' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description: 'The session of someone who is signed in',
        },
      },
    },
  };
}

function describe(route: AnyRoute, schemas: Schemas): Operation {
  const parameters = [
    ...describeParameters('path', route.params, route.example.params),
    ...describeParameters('query', route.query, route.example.query),
    ...(takesIdempotencyKey(route) ? [IDEMPOTENCY_HEADER] : []),
  ];
  const requestBody = describeBody(route, schemas);
  return {
    operationId: route.operationId,
    tags: [route.group],
    summary: route.summary,
    ...describeInWords(route),
    ...(SECURITY[route.permission] ? { security: SECURITY[route.permission] } : {}),
    'x-permission': route.permission,
    ...(route.role ? { 'x-roles': rolesOf(route) } : {}),
    'x-bound-keys': route.boundKeys ?? 'refused',
    ...(route.bodyLimitBytes ? { 'x-body-limit-bytes': route.bodyLimitBytes } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(requestBody ? { requestBody } : {}),
    responses: { 200: describeSuccess(route, schemas), ...describeErrors(route) },
  };
}

function describeInWords(route: AnyRoute): { description?: string } {
  const roles = route.role && route.role !== 'member' && rolesOf(route);
  const restriction = roles && `Only ${nameRoles(roles)} of the team may do this, and API keys.`;
  const description = [route.description, restriction].filter(Boolean).join(' ');
  return description === '' ? {} : { description };
}

function describeParameters(
  place: 'path' | 'query',
  shape: z.ZodType | undefined,
  example: unknown,
): Parameter[] {
  if (!shape) return [];
  const { properties = {}, required = [] } = toSchema(shape, 'input', {});
  const examples = (example ?? {}) as Record<string, string>;
  return Object.entries(properties).map(([name, { description, ...rest }]) => {
    const schema = typeOfText(rest);
    return {
      in: place,
      name,
      required: place === 'path' || required.includes(name),
      ...(description ? { description } : {}),
      schema,
      ...(name in examples ? { example: readText(schema, examples[name]!) } : {}),
    };
  });
}

/** In a URL all is text; what is meant by `'true' | 'false'` is a boolean. */
function typeOfText(schema: JsonSchema): JsonSchema {
  if (schema.enum?.join() !== 'true,false') return schema;
  const { enum: _, ...rest } = schema;
  return { ...rest, type: 'boolean' };
}

function readText(schema: JsonSchema, example: string): string | number | boolean {
  if (schema.type === 'boolean') return example === 'true';
  return schema.type === 'integer' ? Number(example) : example;
}

function describeBody(route: AnyRoute, schemas: Schemas): Operation['requestBody'] {
  if ('upload' in route) {
    const { contentType, example } = route.upload;
    return { required: true, content: { [contentType]: { schema: { type: 'string' }, example } } };
  }
  if (!route.body) return undefined;
  const schema = toSchema(route.body, 'input', schemas, `${capitalize(route.operationId)}Body`);
  return {
    required: !route.body.safeParse(undefined).success,
    content: { 'application/json': { schema, example: route.example.body } },
  };
}

function describeSuccess(route: AnyRoute, schemas: Schemas): OpenApiResponse {
  const headers = takesIdempotencyKey(route) ? { headers: REPLAYED_HEADER } : {};
  const example = route.example.answer;
  if (typeof route.answer === 'string') {
    const content = { [route.answer]: { schema: { type: 'string' }, example } };
    return { description: 'A file, sent as it is read', content };
  }
  const schema = toSchema(route.answer, 'output', schemas, `${capitalize(route.operationId)}Answer`);
  return { description: 'Done', ...headers, content: { 'application/json': { schema, example } } };
}

function capitalize(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}`;
}
