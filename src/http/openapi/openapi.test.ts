import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import type { JsonSchema } from './openapi-schema.ts';
import type { OpenApi } from './document.ts';
import { apiRoutes } from '../routes.ts';

let server: TestServer;
let document: OpenApi;

beforeAll(async () => {
  server = await startTestServer();
  const { status, body } = await server.call('GET', '/openapi.json');
  expect(status).toBe(200);
  document = body as OpenApi;
});
afterAll(() => server.close());

function operationOf(route: (typeof apiRoutes)[number]) {
  return document.paths[route.path]![route.method.toLowerCase()]!;
}

test('the document is OpenAPI 3.1, needs no key and names the URL of the API', async () => {
  expect((await fetch(`${server.url}/api/v1/openapi.json`)).headers.get('content-type')).toContain('json');
  expect(document.openapi).toBe('3.1.0');
  expect(document.servers).toEqual([{ url: `${server.config.baseUrl}/api` }]);
});

test('every route is in the document and has a unique operationId', () => {
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map((operation) => operation.operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(apiRoutes.map((route) => route.operationId).toSorted());
});

test('the document contains nothing specific to zod, and every reference has a target', () => {
  const text = JSON.stringify(document);
  expect(text).not.toMatch(/9007199254740991|\$defs|__schema|"\$schema"|"id":"[A-Z]\w+","type"/);
  for (const [, name] of text.matchAll(/"\$ref":"([^"]*)"/g)) {
    expect(name).toMatch(/^#\/components\/schemas\/[A-Z]\w*$/);
    expect(document.components.schemas).toHaveProperty(name!.split('/').at(-1)!);
  }
  for (const schema of Object.values(document.components.schemas)) expect(schema.$ref).toBeUndefined();
});

test('every list and open object of a request has a limit', () => {
  const unlimited: string[] = [];
  const look = (schema: JsonSchema | undefined, place: string): void => {
    if (typeof schema !== 'object') return;
    const { $ref, type, items, additionalProperties, properties = {} } = schema;
    if ($ref) look(document.components.schemas[$ref.split('/').at(-1)!], place);
    const isList = [type].flat().includes('array');
    const isOpen = typeof additionalProperties === 'object';
    if ((isList && !schema.maxItems) || (isOpen && !schema.maxProperties)) unlimited.push(place);
    look(items, `${place}[]`);
    if (isOpen) look(additionalProperties, `${place}{}`);
    for (const [name, inner] of Object.entries(properties)) look(inner, `${place}.${name}`);
    for (const inner of [schema.anyOf, schema.oneOf, schema.allOf].flatMap((all) => all ?? []))
      look(inner, place);
  };
  for (const route of apiRoutes) {
    const content = operationOf(route).requestBody?.content ?? {};
    for (const { schema } of Object.values(content)) look(schema, route.operationId);
  }
  expect(unlimited).toEqual([]);
});

describe.each(apiRoutes.map((route) => [route.operationId, route] as const))('%s', (_id, route) => {
  const { example } = route;

  test('has examples that match its shapes', () => {
    expectFits(route.params, example.params);
    expectFits(route.query, example.query ?? {});
    if ('upload' in route) expect(route.upload.example).not.toBe('');
    else if (route.takesFile) expect(route.takesFile.example).not.toBe('');
    else expectFits(route.body, route.example.body);
    if (typeof route.answer === 'string') expect(example.answer).toBeTypeOf('string');
    else expectFits(route.answer, JSON.parse(JSON.stringify(example.answer)));

    const { requestBody, responses, parameters = [] } = operationOf(route);
    const media = [requestBody, responses['200']].flatMap((part) => Object.values(part?.content ?? {}));
    for (const { example: shown } of media) expect(shown).toBeDefined();
    for (const parameter of parameters) {
      if (parameter.in === 'path') expect(parameter.example).toBeDefined();
    }
    expect(parameters.filter(({ in: place }) => place === 'path').map(({ name }) => name)).toEqual(
      [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
    );
  });

  test('lists the errors of every operation, in its own error form', () => {
    const form = route.errorForm === 'string' ? 'ErrorText' : 'Error';
    const { 200: _, ...failures } = operationOf(route).responses;
    const always = route.permission === 'anyone' ? ['500', '503'] : ['401', '403', '429', '500', '503'];
    expect(Object.keys(failures)).toEqual(expect.arrayContaining(always));
    for (const { content } of Object.values(failures)) {
      const { schema, examples } = content['application/json']!;
      expect(schema.$ref).toBe(`#/components/schemas/${form}`);
      for (const [code, { value }] of Object.entries(examples!)) {
        const message: unknown = expect.any(String);
        expect(value).toEqual({ error: form === 'ErrorText' ? message : { code, message } });
      }
    }
  });

  test('has no optional fields in its response', () => {
    const { schema } = Object.values(operationOf(route).responses['200']!.content)[0]!;
    expect(optionalFields(schema, '')).toEqual([]);
  });
});

test('each operation names its authentication: key or session, session only, or none', () => {
  expect(document.security).toEqual([{ apiKey: [] }, { session: [] }]);
  expect(document.components.securitySchemes).toMatchObject({
    apiKey: { type: 'http', scheme: 'bearer' },
    session: { type: 'apiKey', in: 'cookie', name: 'ph_session' },
  });
  const { paths } = document;
  expect(paths['/v1/team']!.get!.security).toBeUndefined();
  expect(paths['/v1/auth/session']!.get!.security).toEqual([{ session: [] }]);
  expect(paths['/v1/auth/sign-in']!.post!.security).toEqual([]);
  expect(paths['/v1/api-keys']!.get!['x-roles']).toEqual(['owner', 'admin']);
  expect(paths['/v1/api-keys']!.get!.description).toContain('Available to owners and admins');
  expect(paths['/v1/auth/session']!.get!['x-roles']).toEqual(['owner', 'admin', 'member']);
});

test('PATCH and DELETE of a contact book document their errors as text', () => {
  const { patch, delete: remove, get } = document.paths['/v1/contactBooks/{contactBookId}']!;
  for (const [operation, form] of [
    [patch, 'ErrorText'],
    [remove, 'ErrorText'],
    [get, 'Error'],
  ] as const) {
    const { schema } = operation!.responses['404']!.content['application/json']!;
    expect(schema.$ref).toBe(`#/components/schemas/${form}`);
  }
});

test('the page shows every operation and loads nothing from other hosts', async () => {
  const response = await fetch(`${server.url}/api/docs`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/html/);
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  const html = await response.text();
  expect(html.match(/<script[^>]*>/g)).toEqual(['<script src="/api/docs.js" defer>']);
  expect(html).not.toMatch(/@import|url\(/i);
  expect(html).not.toMatch(/(?:src|href)\s*=\s*["']?\s*(?:https?:)?\/\//i);
  const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(apiRoutes.map((route) => route.operationId)));
  for (const [, id] of html.matchAll(/href="#([^"]*)"/g)) expect(ids).toContain(id);
});

function expectFits(shape: z.ZodType | undefined, value: unknown): void {
  const result = (shape ?? z.unknown()).safeParse(value);
  expect(result.error?.issues ?? []).toEqual([]);
}

/** Returns the optional fields of a response. There should be none: a field without a value is null. */
function optionalFields(schema: JsonSchema, way: string): string[] {
  if (schema.$ref) return optionalFields(document.components.schemas[schema.$ref.split('/').at(-1)!]!, way);
  const { properties = {}, required = [], items, anyOf = [] } = schema;
  return [
    ...Object.entries(properties).flatMap(([name, property]) => [
      ...(required.includes(name) ? [] : [`${way}/${name}`]),
      ...optionalFields(property, `${way}/${name}`),
    ]),
    ...(items ? optionalFields(items, `${way}[]`) : []),
    ...anyOf.flatMap((choice) => optionalFields(choice, way)),
  ];
}
