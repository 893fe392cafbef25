/** Parses a form field that is a JSON object, with the limits of a JSON body. */
import { invalidField } from '../../../platform/errors.ts';
import { isStorable } from '../../../platform/schema.ts';
import { outlineJson } from '../../requests/json-outline.ts';

const MAX_BYTES = 10 * 1024 * 1024;

export async function parseJsonField(name: string, json: string): Promise<Record<string, unknown>> {
  const bytes = Buffer.from(json);
  if (bytes.length > MAX_BYTES) throw invalidField(name, `must have at most ${MAX_BYTES} bytes`);
  await outlineJson(bytes, null);
  const value = parse(name, json);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidField(name, 'must be a JSON object');
  return value as Record<string, unknown>;
}

function parse(name: string, json: string): unknown {
  let hasUnstorable = false;
  // Only escapes can contain such text, because the form itself was checked.
  const refuse = (_key: string, value: unknown): unknown => {
    if (typeof value === 'string' && !isStorable(value)) hasUnstorable = true;
    return value;
  };
  let value: unknown;
  try {
    value = /\\u(?:0000|d[89a-f])/i.test(json) ? JSON.parse(json, refuse) : JSON.parse(json);
  } catch {
    throw invalidField(name, 'must be valid JSON');
  }
  if (hasUnstorable) throw invalidField(name, 'must not contain NUL characters or unpaired surrogates');
  return value;
}
