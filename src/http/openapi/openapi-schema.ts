/**
 * Converts a zod shape to the JSON Schema of the documentation: without details that only zod needs (the bounds of safe
 * integers, patterns that repeat a format), and in the short forms of OpenAPI 3.1.
 */
import { z } from 'zod';

export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  propertyNames?: JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  /** Marks a second spelling of another field. It is accepted, and left out of the document. */
  aliasOf?: string;
}

export type Schemas = Record<string, JsonSchema>;

const INT32_MAX = 2 ** 31 - 1;
const INT32_MIN = -(2 ** 31);

/** Adds shapes with an ID to `schemas`, and an object without one under `name`. Returns a schema or a reference. */
export function toSchema(
  shape: z.ZodType,
  io: 'input' | 'output',
  schemas: Schemas,
  name?: string,
): JsonSchema {
  const made = z.toJSONSchema(shape, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      // zod omits the default of a transformed value, such as the number of `?limit=`.
      if (io === 'input' && def.type === 'default' && !isObject(def.defaultValue)) {
        jsonSchema.default = def.defaultValue;
      }
      // Clients must not break when a response gains a field.
      if (io === 'output' && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
    },
  });
  const text = JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { $schema: _, $defs = {}, ...root } = JSON.parse(text) as JsonSchema & Record<string, Schemas>;
  for (const [id, schema] of Object.entries($defs)) add(schemas, id, schema);
  if (!name || root.type !== 'object' || !root.properties) return tidy(root);
  add(schemas, name, root);
  return { $ref: `#/components/schemas/${name}` };
}

function add(schemas: Schemas, name: string, schema: JsonSchema & { id?: unknown }): void {
  const { id: _, ...rest } = schema;
  const tidied = tidy(rest);
  if (name in schemas && JSON.stringify(schemas[name]) !== JSON.stringify(tidied)) {
    throw new Error(`Two different shapes are called ${name} in the API: give one of them another id.`);
  }
  schemas[name] = tidied;
}

function tidy(schema: JsonSchema): JsonSchema {
  const inner = tidyInside(schema);
  if (inner.format !== undefined) delete inner.pattern;
  if (inner.minLength === 0) delete inner.minLength;
  if (inner.type === 'integer') tidyInteger(inner);
  return tidyUnion(splitTypes(inner));
}

/** Generators such as oapi-codegen understand one type beside null, and unions, but no list of several types. */
function splitTypes(schema: JsonSchema): JsonSchema {
  const { type, ...rest } = schema;
  if (!Array.isArray(type) || type.filter((each) => each !== 'null').length < 2) return schema;
  return { ...rest, anyOf: type.map((each) => ({ type: each })) };
}

function tidyInside(schema: JsonSchema): JsonSchema {
  const { properties, items, additionalProperties, propertyNames, ...rest } = schema;
  const tidied: JsonSchema = rest;
  if (properties) {
    tidied.properties = Object.fromEntries(
      Object.entries(properties).flatMap(([name, property]) =>
        property.aliasOf === undefined ? [[name, tidy(property)]] : [],
      ),
    );
  }
  if (items) tidied.items = tidy(items);
  if (isObject(additionalProperties)) {
    tidied.additionalProperties = Object.keys(additionalProperties).length > 0 && tidy(additionalProperties);
    tidied.additionalProperties ||= true;
  } else if (additionalProperties !== undefined) tidied.additionalProperties = additionalProperties;
  if (propertyNames && Object.keys(propertyNames).length > 1) tidied.propertyNames = tidy(propertyNames);
  for (const union of ['anyOf', 'oneOf', 'allOf'] as const) {
    if (schema[union]) tidied[union] = schema[union].map(tidy);
  }
  return tidied;
}

function tidyInteger(schema: JsonSchema): void {
  const { minimum, maximum } = schema;
  if (minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (minimum === INT32_MIN) delete schema.minimum;
  if (maximum === INT32_MAX) {
    delete schema.maximum;
    schema.format = 'int32';
  }
}

/** Writes "a string or null" as one schema with two types instead of a union of two schemas. */
function tidyUnion(schema: JsonSchema): JsonSchema {
  if (!schema.anyOf) return schema;
  const { anyOf, ...rest } = schema;
  const choices = anyOf.flatMap((choice) =>
    Object.keys(choice).join() === 'anyOf' ? choice.anyOf! : choice,
  );
  const [first, second] = choices;
  if (choices.length === 2 && second?.type === 'null' && typeof first?.type === 'string') {
    const nullable: JsonSchema = { ...first, type: [first.type, 'null'], ...rest };
    if (first.enum) nullable.enum = [...first.enum, null];
    if (first.const === undefined) return nullable;
  }
  return { ...rest, anyOf: choices };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
