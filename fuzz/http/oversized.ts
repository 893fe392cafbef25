/**
 * Bodies at and slightly above the size limit of an operation: very long lists, texts and keys and deep nesting, each
 * in place of one field of a valid body. The request may be rejected, but it must not block others.
 */
import type { JsonSchema } from '../../src/http/openapi/openapi-schema.ts';
import type { FuzzedOperation } from './operations.ts';

export interface Oversized {
  name: string;
  /** Creates the body when it is sent, because all of them together would not fit into memory. */
  make(valid: unknown): string;
}

const MIB = 1024 * 1024;
/** Reserved for the rest of the body under the limit. */
const RESERVED_BYTES = 4096;
const LARGEST_TEXT = 24 * MIB;
const LARGEST_LIST = 10 * MIB;
const ZEROS = 150_000;
const NESTING = 100_000;

const TEXTS: Record<string, string> = {
  'the letter a': 'a',
  spaces: ' ',
  'opening brackets': '<',
  quotes: '"',
  commas: ',',
  'opening parentheses': '(',
  'at signs': '@',
  'opening braces': '{{',
  'merge tags': '{{firstName,fallback=x}} ',
  links: '<a href="https://x.test/?a=1&b=2">x</a> ',
  paragraphs: '<p style="color:red">a &amp; b</p>\n',
  'unclosed elements': '<div>',
  words: 'It turns. ',
  addresses: 'a@b.test,',
};

const CONTENT_FIELDS = new Set(['html', 'text', 'content', 'doubleOptInContent']);
const SHORT_TEXTS = ['spaces', 'the letter a', 'opening brackets', 'quotes', 'addresses'];

export function oversizedBodies(operation: FuzzedOperation): Oversized[] {
  const limit = operation.bodyLimitBytes - RESERVED_BYTES;
  return [...wholeBodies(limit), ...fieldsOf(operation).flatMap((field) => inField(field, limit))];
}

function wholeBodies(limit: number): Oversized[] {
  return [
    { name: 'a list of zeros', make: () => zeros(Math.min(LARGEST_LIST, limit) / 2) },
    { name: 'deep lists', make: () => '['.repeat(NESTING) + ']'.repeat(NESTING) },
    { name: 'deep objects', make: () => '{"a":'.repeat(NESTING) + '1' + '}'.repeat(NESTING) },
    {
      name: 'a long key',
      make: (valid) => withField(valid, 'k'.repeat(Math.min(limit, 2 * MIB) - 1000), '1'),
    },
    { name: 'many keys', make: (valid) => withFields(valid, keys(Math.min(limit, 2 * MIB))) },
    { name: 'more than is taken', make: () => `{"x":"${'x'.repeat(limit + 2 * RESERVED_BYTES)}"}` },
  ];
}

interface Field {
  name: string;
  kinds: Set<string>;
}

function fieldsOf({ body }: FuzzedOperation): Field[] {
  const schema = body!.schema.items ?? body!.schema;
  return Object.entries(schema.properties ?? {}).map(([name, inner]) => ({ name, kinds: kindsOf(inner) }));
}

function kindsOf(schema: JsonSchema): Set<string> {
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((each) => [...kindsOf(each)]);
  return new Set([...[schema.type ?? []].flat(), ...inner]);
}

function inField({ name, kinds }: Field, limit: number): Oversized[] {
  const put = (what: string, make: () => string): Oversized => ({
    name: `${name}: ${what}`,
    make: (valid) => withField(valid, name, make()),
  });
  const bodies: Oversized[] = [];
  if (kinds.has('string')) {
    const texts = CONTENT_FIELDS.has(name) ? Object.keys(TEXTS) : SHORT_TEXTS;
    bodies.push(put('4,000 spaces and an x', () => `"${' '.repeat(4000)}x"`));
    for (const text of texts) bodies.push(put(text, () => repeatText(TEXTS[text]!, limit)));
  }
  if (kinds.has('array')) {
    bodies.push(put('150,000 zeros', () => zeros(ZEROS)));
    bodies.push(put('zeros up to the limit', () => zeros(Math.min(LARGEST_LIST, limit) / 2)));
    bodies.push(put('addresses', () => list('"a@b.test"', limit)));
    bodies.push(put('objects', () => list('{}', limit)));
  }
  if (kinds.has('object')) {
    bodies.push(put('many keys', () => `{${keys(Math.min(limit, 2 * MIB))}}`));
    bodies.push(put('conditions', () => `{"all":${list('{"field":"email","op":"x","value":1}', limit)}}`));
    bodies.push(put('deep objects', () => '{"all":['.repeat(20_000) + ']}'.repeat(20_000)));
  }
  return bodies;
}

/** Returns JSON text that is shortened to fit. */
function repeatText(text: string, limit: number): string {
  const written = JSON.stringify(text).slice(1, -1);
  return `"${written.repeat(Math.floor(Math.min(limit, LARGEST_TEXT) / Buffer.byteLength(written)))}"`;
}

function zeros(count: number): string {
  return `[${'0,'.repeat(Math.max(1, count) - 1)}0]`;
}

function list(item: string, limit: number): string {
  const count = Math.floor(Math.min(limit, LARGEST_LIST) / (item.length + 1));
  return `[${`${item},`.repeat(count - 1)}${item}]`;
}

function keys(bytes: number): string {
  return Array.from({ length: Math.floor(bytes / 16) }, (_, index) => `"key${index}":1`).join(',');
}

/** Returns the valid body, or a list with one item, with this field replaced by JSON text. A body may be optional. */
function withField(valid: unknown, name: string, json: string): string {
  const item = ([valid].flat()[0] ?? {}) as Record<string, unknown>;
  const { [name]: _, ...rest } = item;
  const text = withFields(rest, `${JSON.stringify(name)}:${json}`);
  return Array.isArray(valid) ? `[${text}]` : text;
}

function withFields(valid: unknown, fields: string): string {
  const text = JSON.stringify([valid].flat()[0] ?? {});
  return text === '{}' ? `{${fields}}` : `${text.slice(0, -1)},${fields}}`;
}
