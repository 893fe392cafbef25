/** Validates input with our own shapes, and uses the vendor's field names in errors. */
import { withoutUndefined } from '../../../platform/without-undefined.ts';
import type { z } from 'zod';
import { emailInput, type EmailInput } from '../../../features/sending/emails/emails.schema.ts';
import { check, refusal } from '../../requests/validate.ts';

/** The vendor's names of our fields, where they differ. A nested field is written as `attachments.contentId`. */
export type FieldNames = Partial<Record<string, string>>;

export function readEmailFields(
  fields: Partial<Record<keyof EmailInput, unknown>>,
  names: FieldNames,
): EmailInput {
  return readFields(emailInput, fields, names);
}

export function readFields<Schema extends z.ZodType>(
  schema: Schema,
  fields: Record<string, unknown>,
  names: FieldNames,
): z.output<Schema> {
  // Zod takes twice as long for an object with undefined fields.
  const result = check(schema, withoutUndefined(fields));
  if (result.faults === null) return result.value;
  throw refusal(
    result.faults.map(({ path, message, reason }) => ({
      reason,
      path: rename(path, names),
      message: message.replace(OTHER_FIELD, (name) => names[name] ?? name),
    })),
  );
}

/** A message may contain a second field: "html or text is required", "must not be sent together with templateId". */
const OTHER_FIELD = /(?<=^or |together with )\w+/;

function rename([first, ...rest]: readonly PropertyKey[], names: FieldNames): PropertyKey[] {
  if (first === undefined) return [];
  const inner = rest.map((part) => names[`${String(first)}.${String(part)}`] ?? part);
  return [names[String(first)] ?? first, ...inner];
}
