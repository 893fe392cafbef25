/** Checks an email in our own form, and names the fields of the vendor in its errors. */
import { emailInput, type EmailInput } from '../../../features/sending/emails/emails.schema.ts';
import { check, refusal } from '../../requests/validate.ts';

/** `names` has the vendor's name of each of our fields that has another name there. */
export function readEmailFields(
  fields: Partial<Record<keyof EmailInput, unknown>>,
  names: Partial<Record<string, string>>,
): EmailInput {
  const result = check(emailInput, fields);
  if (result.faults === null) return result.value;
  throw refusal(
    result.faults.map(({ path: [first, ...rest], message }) => ({
      path: first === undefined ? [] : [names[String(first)] ?? first, ...rest],
      message,
    })),
  );
}
