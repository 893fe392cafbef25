/** The email of a step: compiled once, and then rendered for each run. */
import type { TextKind } from '../../../mail/html/merge-tags.ts';
import { PREFERENCES_TAG, UNSUBSCRIBE_TAGS } from '../../../mail/html/tag-names.ts';
import type { Db } from '../../../platform/database/database.ts';
import { badRequest } from '../../../platform/errors.ts';
import type { TaggedContact } from '../../audience/own-fields/own-columns.ts';
import {
  compileForContacts,
  fillForContact,
  type ContactContent,
  type RenderedForContact,
} from '../../audience/rendering/render-for-contact.ts';
import { languageFor } from '../../campaigns/languages.ts';
import { readTemplateContent } from '../../content/templates/templates.ts';
import {
  languagesOf,
  withTranslation,
  type Translatable,
  type Translations,
} from '../../content/translations.ts';
import type { StepOfType } from '../definition/automations.schema.ts';
import { findGap, neededNames } from './find-gap.ts';

export interface StepRecipient {
  contact: TaggedContact & { email: string };
  /** The data of the event that started the run. */
  event: Record<string, unknown>;
  /** The responses of webhooks, by the key of the step. */
  outputs: Record<string, unknown>;
  unsubscribeUrl: string;
  preferencesUrl: string;
}

type RenderEmail = (recipient: StepRecipient) => RenderedForContact;

const MAX_COMPILED = 50;
const compiled = new Map<string, Promise<CompiledEmail>>();

interface CompiledEmail {
  render: Awaited<ReturnType<typeof compileForContacts>>;
  needed: string[];
}

/**
 * In the language of the contact. Returns null for a step without usable content. Throws if its template was deleted, or
 * has a merge tag without a value.
 */
export async function compileStepEmail(
  db: Db,
  teamId: number,
  step: StepOfType<'email'>,
  contact: TaggedContact,
): Promise<RenderEmail | null> {
  const content = await readContent(db, teamId, step, contact);
  const { render, needed } = await compileOnce(content, step);
  const given = Object.keys(step.variables ?? {});
  const gap = step.templateId ? await findGap(db, teamId, needed, { given, contact }) : null;
  if (gap !== null)
    throw badRequest(
      `The template has no value for {{${gap}}}. Add it to the variables of the step, or give the tag a fallback.`,
    );
  return render && ((recipient) => render(recipient.contact, valuesOf(recipient, step)));
}

function compileOnce(content: ContactContent, { kind }: StepOfType<'email'>): Promise<CompiledEmail> {
  const unsubscribe = kind === 'transactional' ? 'as written' : 'added';
  const key = JSON.stringify([content, unsubscribe]);
  let found = compiled.get(key);
  if (!found) {
    if (compiled.size >= MAX_COMPILED) compiled.delete(compiled.keys().next().value!);
    found = compileForContacts(content, { unsubscribe }).then((render) => ({
      render,
      needed: neededNames(content),
    }));
    compiled.set(key, found);
    found.catch(() => compiled.delete(key));
  }
  return found;
}

async function readContent(
  db: Db,
  teamId: number,
  step: StepOfType<'email'>,
  contact: TaggedContact,
): Promise<ContactContent> {
  const common = { teamId, previewText: step.previewText ?? null };
  const inLanguage = <Content extends Translatable>(content: Content, translations: Translations | null) =>
    withTranslation(content, translations, languageFor(languagesOf(translations), contact));
  if (!step.templateId)
    return inLanguage(
      {
        ...common,
        subject: step.subject ?? '',
        html: step.html ?? null,
        plain: step.text ?? null,
        content: step.content ?? null,
      },
      step.translations ?? null,
    );
  const { translations, ...template } = await readTemplateContent(db, teamId, step.templateId);
  const { previewText, subject, html, plain } = inLanguage({ ...common, ...template }, translations);
  const { subject: own } = inLanguage(
    { subject: step.subject ?? '', html: null },
    step.subject ? (step.translations ?? null) : null,
  );
  return { teamId, previewText, subject: own || subject || '', html, plain, content: null };
}

/** A variable may have merge tags of its own. Its value is encoded where it stands, like every other. */
function valuesOf(recipient: StepRecipient, { variables }: StepOfType<'email'>): Record<string, unknown> {
  const values = valuesOfRun(recipient);
  for (const [name, value] of Object.entries(variables ?? {}))
    values[name] = typeof value === 'string' ? fillValue(value, recipient) : value;
  return values;
}

function valuesOfRun({
  event,
  outputs,
  unsubscribeUrl,
  preferencesUrl,
}: StepRecipient): Record<string, unknown> {
  const values: Record<string, unknown> = { event, step: outputs, [PREFERENCES_TAG]: preferencesUrl };
  for (const name of UNSUBSCRIBE_TAGS) values[name] = unsubscribeUrl;
  return values;
}

/** Fills in the merge tags of a value that is not part of an email, such as a property. */
export function fillValue(value: string, recipient: StepRecipient, kind: TextKind = 'plain'): string {
  return fillForContact(value, recipient.contact, valuesOfRun(recipient), kind);
}

/** The subject of a follow-up in the same thread. */
export function toReplySubject(subject: string): string {
  return /^re:/i.test(subject) ? subject : `Re: ${subject}`;
}
