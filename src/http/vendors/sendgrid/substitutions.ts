/** SendGrid's substitutions: each key is replaced by its value wherever it occurs, without escaping. */
import { createRenderer, type ContentSource } from '../../../features/content/stored/content-source.ts';
import { invalidField } from '../../../platform/errors.ts';

/** Limits the work of finding many keys in a long text. SendGrid takes 10,000 bytes of keys and values. */
const MAX_KEYS_LENGTH = 10_000;
const MAX_LENGTH = 500_000;
const MAX_SUBJECT_LENGTH = 20_000;

export type Substitutions = Record<string, string>;

export function requireShortKeys(substitutions: Substitutions, field: string): void {
  const length = Object.keys(substitutions).reduce((sum, key) => sum + key.length, 0);
  if (length > MAX_KEYS_LENGTH)
    throw invalidField(field, `must have keys of at most ${MAX_KEYS_LENGTH} characters in total`);
}

/** Returns a function that makes the substitutions in a subject. */
export function createSubstitute(source: ContentSource, substitutions: Substitutions) {
  const render = createRenderer(source, { values: substitutions, recipient: null });
  return (subject: string): string => {
    if (subject.length > MAX_SUBJECT_LENGTH)
      throw invalidField(
        'subject',
        `must have at most ${MAX_SUBJECT_LENGTH} characters to contain substitutions`,
      );
    return render(subject, 'plain')!;
  };
}

export function requireShortTexts({ html, text }: ContentSource): void {
  if (Math.max(html?.length ?? 0, text?.length ?? 0) > MAX_LENGTH)
    throw invalidField('content', `must have at most ${MAX_LENGTH} characters to contain substitutions`);
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
