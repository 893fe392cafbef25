/** Reads a submitted form. */
import { parseAddress } from '../../../mail/mime/address.ts';
import { givenOwnFields, isOwnField } from '../own-fields/own-fields.ts';
import { maxLengthOf } from './form-fields.ts';
import type { FormField } from './forms.schema.ts';
import type { PublicForm } from './public-form.ts';
import type { SignUp } from './sign-up.ts';

/** Maps each field with a problem to the name of the text that explains it. */
export type Problems = Map<string, 'required' | 'invalidEmail' | 'tooLong'>;

/** Fields that the form does not have are ignored. */
export function readSignUp(
  { fields }: Pick<PublicForm, 'fields'>,
  valueOf: (name: string) => string,
): { signUp: SignUp } | { problems: Problems } {
  const problems: Problems = new Map();
  const values = new Map<string, string>();
  for (const field of fields) {
    const value = valueOf(field.name).trim();
    const problem = findProblem(field, value);
    if (problem) problems.set(field.name, problem);
    else if (value !== '') values.set(field.name, value);
  }
  const email = parseAddress(values.get('email') ?? '');
  if (!email && !problems.has('email')) problems.set('email', 'invalidEmail');
  if (!email || problems.size > 0) return { problems };
  const properties = Object.fromEntries(
    [...values].filter(([name]) => name !== 'email' && !isOwnField(name)),
  );
  return { signUp: { email, ...givenOwnFields((name) => values.get(name)), properties } };
}

function findProblem({ name, required }: FormField, value: string): 'required' | 'tooLong' | null {
  if (value === '') return required ? 'required' : null;
  return [...value].length > maxLengthOf(name) ? 'tooLong' : null;
}
