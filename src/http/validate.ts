/** Holding input against a route's shapes, and saying in words what does not fit. */
import type { z } from 'zod';
import { badRequest, type Issue } from '../platform/errors.ts';
import { isStorable } from '../platform/schema.ts';

export function validate<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => ({ path: toPointer(path), message }));
  throw badRequest(summarize(issues), issues);
}

/** Path and query are text from the URL: the same rule about text that cannot be stored holds for them. */
export function validateText<Schema extends z.ZodType>(
  schema: Schema,
  input: Record<string, string>,
): z.output<Schema> {
  for (const [name, value] of Object.entries(input)) {
    if (!isStorable(value)) throw badRequest(`${name} must not hold NUL characters or half surrogate pairs.`);
  }
  return validate(schema, input);
}

function summarize(issues: Issue[]): string {
  const { path, message } = issues[0]!;
  const first = `${path === '' ? 'The request body' : path.slice(1).replaceAll('/', '.')} ${message}`;
  const others = issues.length - 1;
  return others === 0
    ? `${first}.`
    : `${first}, and ${others} more ${others === 1 ? 'problem' : 'problems'}.`;
}

function toPointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
