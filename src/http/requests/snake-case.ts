/**
 * Reads fields in snake_case as the fields of the schema that they name, at any depth: `reply_to` as `replyTo`. Resend's
 * API spells them so, and dropping `scheduled_at` as an unknown field would send an email at the wrong time.
 */
import { z } from 'zod';
import { badRequest } from '../../platform/errors.ts';
import { isObject } from '../../platform/is-object.ts';

/** Collects the names of the fields that were read so, without duplicates. */
export type Respelled = Set<string>;

export function readSnakeCase(schema: z.ZodType, value: unknown, respelled: Respelled): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return readSnakeCase(schema.unwrap() as z.ZodType, value, respelled);
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((item) => readSnakeCase(schema.element as z.ZodType, item, respelled));
  if (!(schema instanceof z.ZodObject) || !isObject(value)) return value;
  const shape: Record<string, z.ZodType> = schema.shape;
  const fields: Record<string, unknown> = {};
  for (const [given, content] of Object.entries(value)) {
    const name = Object.hasOwn(shape, given) ? given : toCamelCase(given);
    if (!Object.hasOwn(shape, name)) continue;
    if (name !== given) respelled.add(given);
    if (Object.hasOwn(fields, name)) throw sentTwice(name);
    fields[name] = readSnakeCase(shape[name]!, content, respelled);
  }
  return fields;
}

/** The value of a Warning header (RFC 7234, section 5.5). */
export function toWarning(respelled: Respelled): string {
  const pairs = [...respelled].map((given) => `${given} as ${toCamelCase(given)}`);
  return `299 - "Read ${pairs.join(', ')}."`;
}

function sentTwice(name: string) {
  return badRequest(`${name} is sent in two spellings. Send it once.`);
}

function toCamelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
