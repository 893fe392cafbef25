/** The field for the two-factor code of an existing account, on pages where someone joins a team. */
import { ApiError } from '../../api/client.ts';
import { peopleTexts } from '../../texts/en/people.ts';
import { TextField } from '../../ui/field.tsx';
import type { Form } from '../../ui/form.tsx';

const t = peopleTexts.signIn;

/** True if the server asks for the code of an account with two-factor authentication. */
export function asksForCode(error: unknown): boolean {
  return error instanceof ApiError && error.issues.some(({ path }) => path === '/code');
}

export function CodeField(field: ReturnType<Form<{ code: string }>['text']>) {
  return <TextField label={t.code} hint={t.codeHint} {...field} autoComplete="one-time-code" required />;
}
