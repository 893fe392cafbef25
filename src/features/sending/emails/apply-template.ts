/** Fills in the content of an email from a template, with the email's variables in its merge tags. */
import { toOneLine } from '../../../mail/mime/header-encoding.ts';
import { runYielding } from '../../../platform/concurrency/run-yielding.ts';
import { compileTags, type TextKind } from '../../../mail/html/merge-tags.ts';
import { plainName, propertyKey } from '../../../mail/html/tag-names.ts';
import type { Db } from '../../../platform/database/database.ts';
import { badRequest } from '../../../platform/errors.ts';
import { readTemplateContent } from '../templates/templates.ts';
import { MAX_BODY_LENGTH, MAX_SUBJECT, type EmailInput } from './emails.schema.ts';

/** Limits the work of escaping. No email app shows more. */
const MAX_INSERTED_LENGTH = 500_000;

/** The email's own subject takes precedence over that of the template. */
export async function applyTemplate(db: Db, teamId: number, email: EmailInput): Promise<EmailInput> {
  if (!email.templateId) return email;
  const template = await readTemplateContent(db, teamId, email.templateId);
  const length = (template.html?.length ?? 0) + (template.plain?.length ?? 0);
  return runYielding(length, () => fillTemplate(email, template));
}

function fillTemplate(
  email: EmailInput,
  template: Awaited<ReturnType<typeof readTemplateContent>>,
): EmailInput {
  const render = createRenderer(email.variables ?? {});
  const subject = render(email.subject || template.subject, 'plain');
  if (subject === null) throw badRequest('subject is required because the template has none.');
  if (subject.length > 2 * MAX_SUBJECT || [...subject].length > MAX_SUBJECT)
    throw badRequest(`With the variables filled in, the subject is longer than ${MAX_SUBJECT} characters.`);
  const filled = {
    ...email,
    subject: toOneLine(subject),
    html: render(template.html, 'html') || null,
    text: render(template.plain, 'plain') || null,
  };
  if (!filled.html && !filled.text) throw badRequest('The template has no content.');
  if (Math.max(filled.html?.length ?? 0, filled.text?.length ?? 0) > MAX_BODY_LENGTH)
    throw badRequest(`With the variables filled in, the email is longer than ${MAX_BODY_LENGTH} characters.`);
  return filled;
}

function createRenderer(variables: NonNullable<EmailInput['variables']>) {
  let length = 0;
  const spellings = new Map(Object.keys(variables).map((name) => [propertyKey(name), name]));
  const valueOf = (name: string) => {
    const key = [name, plainName(name), `contact.${name}`]
      .map((each) => (Object.hasOwn(variables, each) ? each : spellings.get(propertyKey(each))))
      .find((each) => each !== undefined);
    const value = key === undefined ? null : (variables[key] ?? null);
    if (value === null) return null;
    const text = String(value);
    // Many tags with one long value can far exceed the limit, so it is checked for each value.
    length += text.length;
    if (length > MAX_INSERTED_LENGTH)
      throw badRequest(`The variables add more than ${MAX_INSERTED_LENGTH} characters to the template.`);
    return text;
  };
  return (part: string | null, kind: TextKind) =>
    part === null ? null : compileTags(part, kind).render(valueOf);
}
