/** The operations of the OpenAPI document, in a form that suits fuzzing. */
import type { JsonSchema } from '../../src/http/openapi/openapi-schema.ts';
import type { OpenApi, ApiOperation, Parameter } from '../../src/http/openapi/document.ts';

export interface FuzzedOperation {
  id: string;
  method: string;
  path: string;
  permission: ApiOperation['x-permission'];
  query: Parameter[];
  /** The JSON body; null for an operation without a body or with a file. */
  body: { schema: JsonSchema; example: unknown } | null;
  /** Set for an operation that takes a file. */
  file: { contentType: string; example: string } | null;
  bodyLimitBytes: number;
  responses: ApiOperation['responses'];
}

const DEFAULT_BODY_LIMIT = 2 * 1024 * 1024;

export function readOperations(document: OpenApi): FuzzedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const [contentType, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
      const isJson = contentType === 'application/json';
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        permission: operation['x-permission'],
        query: (operation.parameters ?? []).filter((parameter) => parameter.in === 'query'),
        body: media && isJson ? { schema: resolve(media.schema, document), example: media.example } : null,
        file: media && !isJson ? { contentType: contentType!, example: String(media.example) } : null,
        bodyLimitBytes: operation['x-body-limit-bytes'] ?? DEFAULT_BODY_LIMIT,
        responses: operation.responses,
      };
    }),
  );
}

/** Returns the operation of this path. A literal path segment takes precedence over a parameter. */
export function findOperation(operations: FuzzedOperation[], method: string, path: string): FuzzedOperation {
  const parts = path.split('?')[0]!.split('/');
  const found = operations.filter((operation) => {
    const declared = operation.path.split('/');
    const isSame = (part: string, at: number) => part === parts[at] || part.startsWith('{');
    return operation.method === method && declared.length === parts.length && declared.every(isSame);
  });
  const parameters = (operation: FuzzedOperation) => operation.path.split('{').length;
  return found.toSorted((one, other) => parameters(one) - parameters(other))[0]!;
}

const DEEPEST = 12;

/** Replaces references by their targets. A recursive schema ends at a maximum depth. */
function resolve(schema: JsonSchema, document: OpenApi, depth = 0): JsonSchema {
  if (depth > DEEPEST) return {};
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice('#/components/schemas/'.length);
    return resolve(document.components.schemas[name]!, document, depth + 1);
  }
  const resolved = { ...schema };
  if (schema.properties) {
    resolved.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, inner]) => [name, resolve(inner, document, depth + 1)]),
    );
  }
  if (schema.items) resolved.items = resolve(schema.items, document, depth + 1);
  for (const union of ['anyOf', 'oneOf', 'allOf'] as const) {
    if (schema[union]) resolved[union] = schema[union].map((inner) => resolve(inner, document, depth + 1));
  }
  return resolved;
}
