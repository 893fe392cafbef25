/**
 * Renders content with merge tags, conditions and loops for a contact, as campaigns do: styles are inlined, and the
 * preview text, the text part and, for marketing, the unsubscribe link are added. Anything that sends the same content to
 * contacts one by one uses this, with its own values beside those of the contact.
 */
import { compileText } from '../../../mail/mime/compose/message-template.ts';
import { toOneLine } from '../../../mail/mime/header-encoding.ts';
import type { TextKind } from '../../../mail/html/merge-tags.ts';
import { readPath } from '../../../mail/html/slotted-text.ts';
import { contactField } from '../own-fields/contact-tags.ts';
import type { TaggedContact } from '../own-fields/own-columns.ts';
import { prepareContent } from '../../content/rendering/prepare-content.ts';

export interface ContactContent {
  teamId: number;
  subject: string;
  previewText: string | null;
  /** Used instead of `content` if both are given. */
  html: string | null;
  content: string | null;
  /** Null: made from the HTML. */
  plain: string | null;
}

export interface RenderedForContact {
  subject: string;
  html: string;
  text: string;
}

/**
 * Plain data by name, such as `event` and `step`. `{{event.plan}}` reads a nested object, and
 * `{% for item in event.items %}` a list in it. Links are values as well: `unsubscribeUrl`, `preferencesUrl`. A name that
 * is here takes precedence over a property of the contact.
 */
export type FurtherValues = Record<string, unknown>;

interface Reader {
  contact: TaggedContact & { email: string };
  values: FurtherValues;
}

/**
 * Compiles the content once. The returned function renders it for a contact, and throws an `AppError` when the result is
 * too long. Null when there is no content. With `unsubscribe: 'added'`, content without `{{unsubscribeUrl}}` gets a link
 * at its end.
 */
export async function compileForContacts(
  content: ContactContent,
  { unsubscribe }: { unsubscribe: 'added' | 'as written' },
): Promise<((contact: Reader['contact'], values: FurtherValues) => RenderedForContact) | null> {
  const prepared = await prepareContent(content, unsubscribe);
  if (!prepared) return null;
  const subject = compileText(content.subject, 'plain', resolve);
  const html = compileText(prepared.html, 'html', resolve);
  const text = compileText(prepared.text, 'plain', resolve);
  return (contact, values) => {
    const reader = { contact, values };
    return { subject: toOneLine(subject(reader)), html: html(reader), text: text(reader) };
  };
}

function resolve(name: string): (reader: Reader) => unknown {
  const root = name.split('.', 1)[0]!;
  const ofContact = contactField<Reader['contact']>(name, ({ email }) => email);
  return ({ contact, values }) => (Object.hasOwn(values, root) ? readPath(values, name) : ofContact(contact));
}

/** Fills in the tags of a short text that is not part of an email, such as a property. */
export function fillForContact(
  text: string,
  contact: Reader['contact'],
  values: FurtherValues,
  kind: TextKind = 'plain',
): string {
  return text.includes('{') ? compileText(text, kind, resolve)({ contact, values }) : text;
}
