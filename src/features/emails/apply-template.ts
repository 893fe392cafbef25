/** An email that names a template gets its content from there, with the email's variables in the merge tags. */
import { toOneLine } from '../../mail/header-encoding.ts';
import { inTurns } from '../../mail/in-turns.ts';
import { compileTags, type TextKind } from '../../mail/merge-tags.ts';
import { plainName } from '../../mail/tag-names.ts';
import type { Db } from '../../platform/database.ts';
import { badRequest } from '../../platform/errors.ts';
import { readTemplateContent } from '../templates/templates.ts';
import {
  MAX_CONTENT_BYTES,
  MAX_LETTER_LENGTH,
  MAX_SUBJECT,
  sizeOf,
  type EmailInput,
} from './emails.schema.ts';

/** More than any reader reads, and little enough to be escaped in a moment. */
const MAX_PUT_IN = 500_000;

/** The email's own subject goes before that of the template. */
export async function applyTemplate(db: Db, teamId: number, email: EmailInput): Promise<EmailInput> {
  if (!email.templateId) return email;
  const template = await readTemplateContent(db, teamId, email.templateId);
  const length = (template.html?.length ?? 0) + (template.plain?.length ?? 0);
  return inTurns(length, () => fillTemplate(email, template));
}

function fillTemplate(
  email: EmailInput,
  template: Awaited<ReturnType<typeof readTemplateContent>>,
): EmailInput {
  const render = createRenderer(email.variables ?? {});
  const subject = render(email.subject || template.subject, 'plain');
  if (subject === null) throw badRequest('subject is required: the template has none.');
  if (subject.length > 2 * MAX_SUBJECT || [...subject].length > MAX_SUBJECT)
    throw badRequest(`With its variables the subject is longer than ${MAX_SUBJECT} characters.`);
  const written = {
    ...email,
    subject: toOneLine(subject),
    html: render(template.html, 'html') || null,
    text: render(template.plain, 'plain') || null,
  };
  if (!written.html && !written.text) throw badRequest('The template has no content to send.');
  if (Math.max(written.html?.length ?? 0, written.text?.length ?? 0) > MAX_LETTER_LENGTH)
    throw badRequest(`With its variables the email is longer than ${MAX_LETTER_LENGTH} characters.`);
  if (sizeOf(written) > MAX_CONTENT_BYTES)
    throw badRequest('With its template the email is larger than 25 MiB in all.');
  return written;
}

function createRenderer(variables: NonNullable<EmailInput['variables']>) {
  let length = 0;
  const valueOf = (name: string) => {
    const key = [name, plainName(name), `contact.${name}`].find((each) => Object.hasOwn(variables, each));
    const value = key === undefined ? null : (variables[key] ?? null);
    if (value === null) return null;
    const written = String(value);
    // Many tags with one long value make far more than came in: stopped on the way, not at the end.
    length += written.length;
    if (length > MAX_PUT_IN)
      throw badRequest(`The variables put more than ${MAX_PUT_IN} characters into the template.`);
    return written;
  };
  return (part: string | null, kind: TextKind) =>
    part === null ? null : compileTags(part, kind).render(valueOf);
}
