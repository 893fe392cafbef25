/**
 * Handles a submission of a sign-up form. Against bots that fill in forms:
 * - A field that people do not see must stay empty. If it is filled in, the response is the usual one and nothing is
 *   stored.
 * - The page contains a signed time. It is valid for a day; then the page is shown again with a new one. A form on
 *   another site cannot have a recent one, and is accepted without it, within lower limits (sign-up-limits.ts).
 */
import { HONEYPOT_FIELD } from '../../features/audience/forms/embed-html.ts';
import { formStampsOf, STAMP_FIELD } from '../../features/audience/forms/form-stamp.ts';
import type { PublicForm } from '../../features/audience/forms/public-form.ts';
import type { ContactSource } from '../../features/audience/contacts/upsert-contacts.ts';
import { readSignUp, type Problems } from '../../features/audience/forms/read-sign-up.ts';
import { signUp, type SignUp, type SignUpForm } from '../../features/audience/forms/sign-up.ts';
import { findName } from '../../mail/html/tag-names.ts';
import { networkOf } from '../../platform/network/client-network.ts';
import { AppError, badRequest } from '../../platform/errors.ts';
import type { FormMessage } from './form-page.ts';
import type { PublicTools } from './public-route.ts';
import { createSignUpLimits } from './sign-up-limits.ts';

/** Returns an empty text for a field that was not sent. */
export type Values = (name: string) => string;

export type FormOutcome =
  | { kind: 'done' }
  | { kind: 'problems'; problems: Problems }
  | { kind: 'refused'; error: AppError; message: FormMessage };

/** `id` stands for the form in time stamps and limits. */
type SubmittedForm = SignUpForm & Pick<PublicForm, 'id' | 'fields'>;

/** `language` is that of the page. `findSource` is asked once the sign-up is valid. */
export type SubmitForm = (
  form: SubmittedForm,
  valueOf: Values,
  visitor: { ip: string; language: string },
  findSource?: (given: SignUp) => Promise<ContactSource>,
) => Promise<FormOutcome>;

export function createFormSubmitter({ db, facts }: PublicTools): SubmitForm {
  const stamps = formStampsOf(facts);
  const limits = createSignUpLimits();

  return async (form, valueOf, { ip, language }, findSource) => {
    if (valueOf(HONEYPOT_FIELD) !== '') return { kind: 'done' };
    const read = readSignUp(form, valueOf);
    if ('problems' in read) return { kind: 'problems', problems: read.problems };
    const stamp = stamps.read(form.id, valueOf(STAMP_FIELD), Date.now());
    if (stamp === 'expired') {
      const error = badRequest('The time stamp has expired. Open the page of the form again.');
      return { kind: 'refused', error, message: 'expired' };
    }
    const { id: formId, teamId } = form;
    const addressKey = read.signUp.email.key;
    const isStamped = stamp === 'valid';
    const waitSeconds = limits.count({ formId, teamId, network: networkOf(ip), addressKey, isStamped });
    if (waitSeconds > 0) {
      const options = { retryAfterSeconds: waitSeconds };
      const error = new AppError('RATE_LIMITED', 'Too many sign-ups. Try again later.', options);
      return { kind: 'refused', error, message: 'tooMany' };
    }
    await signUp(db, form, withLanguage(read.signUp, language), await findSource?.(read.signUp));
    return { kind: 'done' };
  };
}

/** A field of the form with the same name takes precedence. */
function withLanguage(given: SignUp, language: string): SignUp {
  if (findName(Object.keys(given.properties), 'language') !== undefined) return given;
  return { ...given, properties: { ...given.properties, language } };
}
