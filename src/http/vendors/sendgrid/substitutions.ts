/** SendGrid's substitutions: each key is replaced by its value wherever it occurs, without escaping. */
import { MAX_BODY_LENGTH } from '../../../features/sending/emails/emails.schema.ts';
import { invalidField } from '../../../platform/errors.ts';

/** Limits the work of finding many keys in a long text. */
const MAX_LENGTH = 500_000;

export type Substitutions = Record<string, string>;

export function substitute(text: string, substitutions: Substitutions | null | undefined): string {
  const keys = Object.keys(substitutions ?? {}).filter((key) => key !== '');
  if (keys.length === 0) return text;
  if (text.length > MAX_LENGTH)
    throw invalidField('content', `must have at most ${MAX_LENGTH} characters to contain substitutions`);
  // The longest key comes first, so that "-name2-" is not read as "-name" followed by text.
  const escaped = keys.toSorted((one, two) => two.length - one.length).map(escape);
  let length = text.length;
  return text.replaceAll(new RegExp(escaped.join('|'), 'g'), (key) => {
    const value = substitutions![key]!;
    length += value.length;
    if (length > MAX_BODY_LENGTH) throw invalidField('substitutions', 'make the email too long');
    return value;
  });
}

function escape(key: string): string {
  return key.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

/** For a template, whose tags are `{{name}}`. */
export function toVariables(substitutions: Substitutions, field: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(substitutions).map(([key, value]) => {
      const name = /^\{\{\s*([\w.-]+)\s*\}\}$/.exec(key)?.[1];
      if (name === undefined)
        throw invalidField(field, 'must have keys such as {{name}}, because the tags of a template do');
      return [name, value];
    }),
  );
}
