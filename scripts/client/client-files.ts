/**
 * Writes the generated files of posthorn-client/ from the OpenAPI document: the types, and a method for every operation
 * that an API key can call. `listEmails` in the group Emails becomes `emails.list`.
 */
import { format } from 'prettier';
import type { ApiOperation } from '../../src/http/openapi/document.ts';
import { buildOpenApi } from '../../src/http/openapi/openapi.ts';
import { apiRoutes } from '../../src/http/routes.ts';
import { comment, schemaToType, type Schema } from './schema-to-type.ts';

const NOTICE = '/** Generated from the OpenAPI document by `npm run generate`. */\n';
const JSON_TYPE = 'application/json';
/** The methods import the types of components under this name. */
const TYPES = 't.';

interface Method {
  group: string;
  name: string;
  method: string;
  path: string;
  operation: ApiOperation;
}

export async function clientFiles(): Promise<Record<string, string>> {
  const { paths, components } = await buildOpenApi(apiRoutes, 'https://posthorn.example.com');
  const schemas = components.schemas as Record<string, Schema>;
  const methods = nameMethods(
    Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, operation]) => isForKeys(operation))
        .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    ),
  );
  const types = Object.entries(schemas).map(
    ([name, schema]) => `${comment(schema.description)}export type ${name} = ${schemaToType(schema)};`,
  );
  return {
    'posthorn-client/src/types.ts': await tidy(`${NOTICE}${types.join('\n\n')}`),
    'posthorn-client/src/groups.ts': await tidy(groupsFile(methods, schemas)),
  };
}

/** Event streams have no end, and operations of people need a session. */
function isForKeys({ 'x-permission': permission, responses }: ApiOperation): boolean {
  const isStream = 'text/event-stream' in (responses['200']?.content ?? {});
  return (permission === 'full' || permission === 'sending') && !isStream;
}

function nameMethods(found: Omit<Method, 'group' | 'name'>[]): Method[] {
  const ids = new Set(found.map(({ operation }) => operation.operationId));
  return found.map((each) => {
    const group = groupOf(each);
    return { ...each, group, name: methodName(each.operation.operationId, group, ids) };
  });
}

/** `Contact books` becomes `contactBooks`. The keys of the team have a group of their own. */
function groupOf({ path, operation }: Pick<Method, 'path' | 'operation'>): string {
  const tag = operation.tags[0]!;
  if (tag === 'Team and keys') return path.startsWith('/v1/api-keys') ? 'apiKeys' : 'team';
  return tag
    .toLowerCase()
    .split(' ')
    .map((word, index) => (index === 0 ? word : `${word[0]!.toUpperCase()}${word.slice(1)}`))
    .join('');
}

/** Leaves out the noun of the group. Of `sendEmail` and `sendEmails`, the second becomes `sendMany`. */
function methodName(operationId: string, group: string, ids: Set<string>): string {
  const plural = `${group[0]!.toUpperCase()}${group.slice(1)}`;
  const singular = plural.replace(/ies$/, 'y').replace(/xes$/, 'x').replace(/s$/, '');
  const [, verb, noun] = /^([a-z]+)(.*)$/.exec(operationId)!;
  if (noun === singular) return verb!;
  if (noun !== plural) return operationId;
  return ids.has(`${verb}${singular}`) ? `${verb}Many` : verb!;
}

function groupsFile(methods: Method[], schemas: Record<string, Schema>): string {
  const groups = [...new Set(methods.map(({ group }) => group))];
  const bodies = groups.map((group) => {
    const of = methods.filter((each) => each.group === group);
    const more =
      group === 'webhooks'
        ? ['/** Checks the signature of a webhook and returns its event. */\nverify: verifyWebhook,']
        : [];
    return `${group}: { ${[...of.map((each) => methodText(each, schemas)), ...more].join('\n')} },`;
  });
  return `${NOTICE}
import type { Client, Options, UploadBody } from './client.ts';
import type { Pages } from './pages.ts';
import type * as t from './types.ts';
import { verifyWebhook } from './webhooks.ts';

export function createGroups(client: Client) {
  return { ${bodies.join('\n')} };
}
`;
}

function methodText({ name, method, path, operation }: Method, schemas: Record<string, Schema>): string {
  const parameters = operation.parameters ?? [];
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, each]) => each!);
  const query = parameters.filter((each) => each.in === 'query');
  const body = operation.requestBody;
  const answer = operation.responses['200']?.content ?? {};
  const item = itemOf(answer[JSON_TYPE]?.schema, schemas);
  const isOptional = !query.some(({ required }) => required);
  const types = parameters
    .filter((each) => each.in === 'path')
    .map((each) => [each.name, schemaToType(each.schema as Schema)] as const);
  const args = [
    ...inPath.map(
      (each) =>
        `${each}: ${types.find(([of]) => of === each)?.[1] === 'number' ? 'number | string' : 'string'}`,
    ),
    ...(body ? [`body${body.required ? '' : '?'}: ${bodyType(body)}`] : []),
    ...(query.length > 0 ? [`query${isOptional ? '?' : ''}: ${queryType(query)}`] : []),
    'options?: Options',
  ];
  const target = path.replaceAll(/\{(\w+)\}/g, (_, each: string) => `\${encodeURIComponent(${each})}`);
  const url = target.includes('${') ? `\`${target}\`` : `'${target}'`;
  const given = [
    `method: '${method}'`,
    `path: ${url}`,
    ...(body
      ? ['body', ...(JSON_TYPE in body.content ? [] : [`contentType: '${Object.keys(body.content)[0]}'`])]
      : []),
    ...(query.length > 0 ? ['query'] : []),
  ].join(', ');
  const text = comment(operation.summary);
  if (item !== null)
    return `${text}${name}: (${args.join(', ')}): Pages<${item}> => client.pages({ ${given} }, options),`;
  if (!(JSON_TYPE in answer))
    return `${text}${name}: (${args.join(', ')}): Promise<Response> => client.download({ ${given} }, options),`;
  const result = schemaToType(answer[JSON_TYPE].schema, TYPES);
  return `${text}${name}: (${args.join(', ')}): Promise<${result}> => client.request({ ${given} }, options),`;
}

/** Returns the type of the items of a paginated list, or null for another response. */
function itemOf(schema: Schema | undefined, schemas: Record<string, Schema>): string | null {
  const resolved = schema?.$ref ? schemas[schema.$ref.slice('#/components/schemas/'.length)] : schema;
  const { items, next_cursor: cursor } = resolved?.properties ?? {};
  return items?.items && cursor ? schemaToType(items.items, TYPES) : null;
}

function bodyType(body: NonNullable<ApiOperation['requestBody']>): string {
  const json = body.content[JSON_TYPE];
  return json ? schemaToType(json.schema, TYPES) : 'UploadBody';
}

function queryType(query: NonNullable<ApiOperation['parameters']>): string {
  const fields = query.map(
    ({ name, required, description, schema }) =>
      `${comment(description)}${name}${required ? '' : '?'}: ${schemaToType(schema as Schema)};`,
  );
  return `{ ${fields.join('\n')} }`;
}

function tidy(text: string): Promise<string> {
  return format(text, { parser: 'typescript', printWidth: 110, singleQuote: true });
}
