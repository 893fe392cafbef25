/** Writes a JSON Schema of the OpenAPI document as a TypeScript type. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  description?: string;
}

/** `prefix` is put before the names of components. */
export function schemaToType(schema: Schema, prefix = ''): string {
  if (schema.$ref) return `${prefix}${schema.$ref.slice('#/components/schemas/'.length)}`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return union(schema.anyOf.map((each) => schemaToType(each, prefix)));
  const types = [schema.type ?? []].flat();
  if (schema.enum) {
    const values = schema.enum.map((value) => JSON.stringify(value));
    return union([...values, ...(types.includes('null') ? ['null'] : [])]);
  }
  if (types.length === 0) return 'unknown';
  return union(types.map((type) => typeOf(type, schema, prefix)));
}

function union(types: string[]): string {
  return [...new Set(types)].join(' | ');
}

function typeOf(type: string, schema: Schema, prefix: string): string {
  switch (type) {
    case 'integer':
      return 'number';
    case 'array':
      return `Array<${schemaToType(schema.items ?? {}, prefix)}>`;
    case 'object':
      return objectToType(schema, prefix);
    default:
      return type;
  }
}

function objectToType({ properties, required = [], additionalProperties }: Schema, prefix: string): string {
  if (!properties) {
    const values =
      typeof additionalProperties === 'object' ? schemaToType(additionalProperties, prefix) : 'unknown';
    return `Record<string, ${values}>`;
  }
  const fields = Object.entries(properties).map(([name, property]) => {
    const mark = required.includes(name) ? '' : '?';
    return `${comment(property.description)}${quote(name)}${mark}: ${schemaToType(property, prefix)};`;
  });
  return `{ ${fields.join('\n')} }`;
}

export function comment(text: string | undefined): string {
  return text ? `\n/** ${text.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ')} */\n` : '';
}

function quote(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
