/** Describes a JSON Schema in words: "array of strings or null", "1 to 200 characters". */
import type { JsonSchema, Schemas } from '../openapi/openapi-schema.ts';

const NAMES: Record<string, string> = {
  'date-time': 'date-time',
  date: 'date',
  uri: 'URL',
  email: 'email address',
};

/** Replaces a reference by its target, combined with the properties beside the reference. */
export function resolve(schema: JsonSchema, schemas: Schemas): JsonSchema {
  if (!schema.$ref) return schema;
  const { $ref, ...beside } = schema;
  return { ...resolve(schemas[$ref.split('/').at(-1)!] ?? {}, schemas), ...beside };
}

/** Returns the shapes of a union, without null. */
export function choicesOf(schema: JsonSchema, schemas: Schemas): JsonSchema[] {
  const whole = resolve(schema, schemas);
  const choices = whole.anyOf ?? whole.oneOf;
  if (choices) return choices.flatMap((choice) => choicesOf(choice, schemas));
  if (!Array.isArray(whole.type)) return whole.type === 'null' ? [] : [whole];
  return whole.type.filter((type) => type !== 'null').map((type) => ({ ...whole, type }));
}

function isNullable(schema: JsonSchema, schemas: Schemas): boolean {
  const whole = resolve(schema, schemas);
  const choices = whole.anyOf ?? whole.oneOf ?? [];
  return [whole.type].flat().includes('null') || choices.some((choice) => isNullable(choice, schemas));
}

export function typeWords(schema: JsonSchema, schemas: Schemas): string {
  const words = choicesOf(schema, schemas).map((choice) => typeWord(choice, schemas, ''));
  if (isNullable(schema, schemas)) words.push('null');
  return joinWords([...new Set(words)], 'or');
}

function typeWord(choice: JsonSchema, schemas: Schemas, plural: '' | 's'): string {
  if (choice.type === 'array') {
    const items = choicesOf(choice.items ?? {}, schemas).map((item) => typeWord(item, schemas, 's'));
    return `array${plural} of ${joinWords([...new Set(items)], 'or')}`;
  }
  const type = NAMES[choice.format ?? ''] ?? choice.type ?? (choice.properties ? 'object' : undefined);
  if (type === undefined) return plural ? 'any JSON values' : 'any JSON value';
  return type === 'email address' && plural ? 'email addresses' : `${String(type)}${plural}`;
}

/** Returns the limits of a value in words, with `code` in backticks. */
export function limitWords(schema: JsonSchema, schemas: Schemas): string[] {
  const whole = resolve(schema, schemas);
  const words = choicesOf(schema, schemas).flatMap((choice) => choiceLimits(choice, schemas));
  if (whole.default !== undefined) words.push(`default ${code(whole.default)}`);
  return [...new Set(words)];
}

function choiceLimits(choice: JsonSchema, schemas: Schemas): string[] {
  const { enum: values, additionalProperties } = choice;
  const words = [
    range(choice.minLength, choice.maxLength, ' characters'),
    range(choice.minItems, choice.maxItems, ' items'),
    range(choice.minimum, choice.maximum, ''),
  ].filter((word) => word !== null);
  if (values) words.push(joinWords(values.filter((value) => value !== null).map(code), 'or'));
  if (choice.const !== undefined) words.push(`always ${code(choice.const)}`);
  if (choice.pattern) words.push(`matches ${code(choice.pattern)}`);
  if (typeof additionalProperties === 'object') {
    words.push(`values: ${typeWords(additionalProperties, schemas)}`);
  }
  const each = choice.type === 'array' ? limitWords(choice.items ?? {}, schemas) : [];
  return each.length > 0 ? [...words, `each ${each.join(', ')}`] : words;
}

function range(min: number | undefined, max: number | undefined, unit: string): string | null {
  if (min !== undefined && max !== undefined) {
    return min === max ? `exactly ${count(min)}${unit}` : `${count(min)} to ${count(max)}${unit}`;
  }
  if (max !== undefined) return `at most ${count(max)}${unit}`;
  return min === undefined ? null : `at least ${count(min)}${min === 1 ? unit.replace(/s$/, '') : unit}`;
}

const THOUSANDS = new Intl.NumberFormat('en-US');

function count(value: number): string {
  return THOUSANDS.format(value);
}

function code(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function joinWords(words: string[], last: string): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)!}`;
}
