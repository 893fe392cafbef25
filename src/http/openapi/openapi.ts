/** Builds the OpenAPI 3.1 document from the same declarations that serve and validate the requests. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { z } from 'zod';
import { nameRoles, rolesOf } from '../../features/api/roles.ts';
import { takesIdempotencyKey, type AnyRoute } from '../../features/api/route.ts';
import type { OpenApi, OpenApiResponse, ApiOperation, Parameter } from './document.ts';
import { describeErrors, ERROR_SCHEMAS } from './openapi-errors.ts';
import { toSchema, type JsonSchema, type Schemas } from './openapi-schema.ts';
import { SESSION_COOKIE } from '../requests/session-cookie.ts';

/** Descriptions of the groups of operations. They are optional. */
const GROUPS: Record<string, string> = {
  Emails: 'Send transactional emails right away, with a short time to undo, or at a scheduled time.',
  Suppressions: 'Addresses that your team never sends email to.',
  Domains:
    'The domains that you send from. Publish the DNS records of a domain and verify it before you send.',
  'Contact books': 'A contact book is a list of contacts with its own variables and double opt-in settings.',
  Contacts: 'The people in a contact book. An email address can be in a book only once, regardless of case.',
  Analytics: 'Statistics about your emails, updated with every event.',
  Members: 'The members of your team and pending invitations.',
  'Signing in':
    'For people who sign in with a browser. These operations create a session, which is stored in a cookie.',
  'Your account':
    'The account of the signed-in user. A session can be used instead of an API key. Requests that change data with a session must come from Posthorn’s own pages, as shown by the `Origin` or `Sec-Fetch-Site` header.',
  Campaigns:
    'One email to everyone in a contact book, personalised for each contact. Pausing a campaign or restarting the server never skips a recipient and never sends to one twice.',
  Segments:
    'A segment is the part of a contact book that matches a filter. It is evaluated each time it is used.',
  Templates: 'A template is reusable content with merge tags that you send by its ID.',
  Media: 'Images for your emails. They are served under `/m/` to everyone who has their URL.',
  Topics:
    'A topic is a kind of email, such as product news. A contact can unsubscribe from a topic and stay in the contact book.',
  Mailboxes: 'A mailbox is an address on one of your domains that sends and receives email.',
  Threads: 'The conversations of a mailbox, with all sent and received messages.',
  'Waiting messages':
    'Messages that are scheduled or held for undo. Until they are sent, you can reschedule them, send them now or cancel them.',
  'Saved replies':
    'Replies that a mailbox uses often, with merge tags that are filled in when the reply is inserted.',
  Webhooks:
    'Your endpoints receive events as HTTP requests, signed according to Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`). If an endpoint does not return 2xx within 15 seconds, the delivery is retried for about three days.',
  'Team and keys': 'Every resource belongs to one team. You cannot see the resources of other teams.',
};

const IDEMPOTENCY_HEADER: Parameter = {
  in: 'header',
  name: 'Idempotency-Key',
  required: false,
  description:
    'Repeating the same request with the same key within 24 hours returns the first response and does nothing else',
  schema: { type: 'string', minLength: 1, maxLength: 256 },
};

const REPLAYED_HEADER = {
  'Idempotency-Replayed': {
    description:
      '`true` if this is the stored response of an earlier request with the same `Idempotency-Key`',
    schema: { type: 'string', enum: ['true'] },
  },
};

const SECURITY: Partial<Record<AnyRoute['permission'], object[]>> = { person: [{ session: [] }], anyone: [] };

/** Some generators of clients, such as openapi-python-client, send the bytes of a file only with this type. */
const BYTES = 'application/octet-stream';
const FILE: JsonSchema = { type: 'string', format: 'binary' };

/** Yields to the event loop after each route, because all routes together take a large part of a second. */
export async function buildOpenApi(routes: AnyRoute[], baseUrl: string): Promise<OpenApi> {
  const schemas: Schemas = { ...ERROR_SCHEMAS };
  const paths: OpenApi['paths'] = {};
  for (const route of routes) {
    (paths[route.path] ??= {})[route.method.toLowerCase()] = describe(route, schemas);
    await yieldToEventLoop();
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Posthorn',
      version: '1',
      summary: 'A self-hosted email platform',
      description:
        'Sending, contact books, campaigns and mailboxes behind one HTTP API. All requests and responses are JSON in UTF-8.',
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
          description: 'The session of a signed-in user',
        },
      },
    },
  };
}

function describe(route: AnyRoute, schemas: Schemas): ApiOperation {
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
    ...describeText(route),
    ...(SECURITY[route.permission] ? { security: SECURITY[route.permission] } : {}),
    'x-permission': route.permission,
    // What is open to anyone is open to every key.
    'x-scope': route.permission === 'anyone' ? 'any' : route.scope,
    ...(route.role ? { 'x-roles': rolesOf(route) } : {}),
    'x-bound-keys': route.boundKeys ?? 'refused',
    ...describeLimit(route.takesFile?.maxBytes ?? route.bodyLimitBytes),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(requestBody ? { requestBody } : {}),
    responses: { 200: describeSuccess(route, schemas), ...describeErrors(route) },
  };
}

function describeLimit(bytes: number | undefined): Pick<ApiOperation, 'x-body-limit-bytes'> {
  return bytes === undefined ? {} : { 'x-body-limit-bytes': bytes };
}

function describeText(route: AnyRoute): { description?: string } {
  const roles = route.role && route.role !== 'member' && rolesOf(route);
  const restriction = roles && `Available to ${nameRoles(roles)}, and to API keys.`;
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

/** Values in a URL are text. The enum `'true' | 'false'` is documented as a boolean. */
function typeOfText(schema: JsonSchema): JsonSchema {
  if (schema.enum?.join() !== 'true,false') return schema;
  const { enum: _, ...rest } = schema;
  return { ...rest, type: 'boolean' };
}

function readText(schema: JsonSchema, example: string): string | number | boolean {
  if (schema.type === 'boolean') return example === 'true';
  return schema.type === 'integer' ? Number(example) : example;
}

function describeBody(route: AnyRoute, schemas: Schemas): ApiOperation['requestBody'] {
  if ('upload' in route) {
    const { contentType, alsoTaken = [], example } = route.upload;
    const content = { [contentType]: { schema: FILE, example } };
    if (alsoTaken.includes(BYTES)) content[BYTES] = { schema: FILE, example };
    return { required: true, content };
  }
  if (route.takesFile) return describeFileBody(route.takesFile);
  if (!route.body) return undefined;
  const schema = toSchema(route.body, 'input', schemas, `${capitalize(route.operationId)}Body`);
  const json = { 'application/json': { schema, example: route.example.body } };
  return {
    required: !route.body.safeParse(undefined).success,
    content: { ...json, ...describePlainText(route.takesText, route.example.body) },
  };
}

function describePlainText(takesText: AnyRoute['takesText'], example: unknown): Record<string, object> {
  if (!takesText) return {};
  const text = (example as Record<string, string>)[takesText.field];
  return Object.fromEntries(
    takesText.contentTypes.map((type) => [type, { schema: { type: 'string' }, example: text }]),
  );
}

function describeFileBody({
  contentTypes,
  alsoTaken = [],
  example,
}: NonNullable<AnyRoute['takesFile']>): ApiOperation['requestBody'] {
  const form: JsonSchema = { type: 'object', properties: { file: FILE }, required: ['file'] };
  const types = alsoTaken.includes(BYTES) ? [BYTES] : contentTypes;
  return {
    required: true,
    content: {
      ...Object.fromEntries(types.map((type) => [type, { schema: FILE, example }])),
      'multipart/form-data': { schema: form, example: { file: example } },
    },
  };
}

function describeSuccess(route: AnyRoute, schemas: Schemas): OpenApiResponse {
  const headers = takesIdempotencyKey(route) ? { headers: REPLAYED_HEADER } : {};
  const example = route.example.answer;
  if (typeof route.answer === 'string') {
    const schema = route.answer.startsWith('text/') ? { type: 'string' } : FILE;
    const content = { [route.answer]: { schema, example } };
    return { description: 'A file, streamed', content };
  }
  const schema = toSchema(route.answer, 'output', schemas, `${capitalize(route.operationId)}Answer`);
  return { description: 'Done', ...headers, content: { 'application/json': { schema, example } } };
}

function capitalize(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}`;
}
