/**
 * Bodies with one field as full as its schema allows: lists and objects with as many entries as they may have, and
 * texts as long as they may be. Such a request is valid or nearly valid, and multiplies what the server makes of it.
 */
import type { JsonSchema } from '../../src/http/openapi/openapi-schema.ts';
import type { FuzzedOperation } from '../http/operations.ts';
import type { Oversized } from '../http/oversized.ts';

const MOST_BYTES = 1024 * 1024;
const MOST_ITEMS = 1_000;

export function fullestBodies({ body }: FuzzedOperation): Oversized[] {
  const { schema } = body!;
  const lists = schema.items
    ? [
        {
          name: 'as many items as are allowed',
          make: (valid: unknown) => fullList(schema, [valid].flat()[0]),
        },
      ]
    : [];
  const fields = Object.entries((schema.items ?? schema).properties ?? {}).map(([name, inner]) => ({
    name: `${name}: as full as is allowed`,
    make: (valid: unknown) => {
      const [item] = [valid].flat() as [object];
      const full = { ...item, [name]: fullest(inner, (item as Record<string, unknown>)[name], MOST_BYTES) };
      return JSON.stringify(Array.isArray(valid) ? [full] : full);
    },
  }));
  return [...lists, ...fields];
}

function fullList({ maxItems = MOST_ITEMS }: JsonSchema, item: unknown): string {
  return JSON.stringify(Array.from({ length: Math.min(maxItems, MOST_ITEMS) }, () => item));
}

/** `example` is a valid value, if there is one. */
function fullest(schema: JsonSchema, example: unknown, bytes: number): unknown {
  const choice = schema.anyOf ?? schema.oneOf;
  if (choice) {
    const largest = choice.find(({ type }) => type === 'array' || type === 'object') ?? choice[0]!;
    return fullest(largest, example, bytes);
  }
  switch ([schema.type].flat()[0]) {
    case 'array': {
      const count = Math.min(schema.maxItems ?? MOST_ITEMS, MOST_ITEMS);
      const known = Array.isArray(example) ? (example[0] as unknown) : undefined;
      return Array.from({ length: count }, (_, no) =>
        vary(known ?? fullest(schema.items ?? {}, undefined, bytes / count), no),
      );
    }
    case 'object': {
      if (schema.properties)
        return Object.fromEntries(
          Object.entries(schema.properties).map(([name, inner]) => [
            name,
            fullest(inner, undefined, bytes / Object.keys(schema.properties!).length),
          ]),
        );
      const count = Math.min(schema.maxProperties ?? 100, MOST_ITEMS);
      const inner = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {};
      const value = fullest(inner, undefined, bytes / count);
      return Object.fromEntries(Array.from({ length: count }, (_, no) => [`k${no}`, value]));
    }
    case 'integer':
    case 'number':
      return schema.maximum ?? 1_000_000;
    case 'boolean':
      return true;
    default: {
      if (schema.enum) return schema.enum.at(-1);
      const length = Math.floor(Math.min(schema.maxLength ?? MOST_BYTES, bytes));
      return 'word {{name}} '.repeat(Math.ceil(length / 14)).slice(0, Math.max(1, length));
    }
  }
}

/** Gives each item an address of its own, because the same one twice is often a single recipient. */
function vary(value: unknown, no: number): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/person\d+@/g, `person${no}@`)) as unknown;
}
