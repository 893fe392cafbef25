/**
 * Resend writes merge tags with three braces, and the fallback after a bar: `{{{contact.first_name|friend}}}`. Ours are
 * `{{firstName,fallback=friend}}`.
 */
import { propertyKey, TAG } from '../../../../mail/html/tag-names.ts';
import { CONTACT_NAMES, OURS_OF_PATH } from '../audience/contact-names.ts';

const RESEND_TAG = /\{\{\{\s*([A-Za-z_][\w.]{0,63})\s*(?:\|([^{}]*))?\}\}\}/g;

/** Names are in lower case, without `contact.`. */
const OUR_NAMES: Record<string, string> = {
  ...Object.fromEntries(CONTACT_NAMES),
  email: 'email',
  resend_unsubscribe_url: 'unsubscribeUrl',
  unsubscribe_url: 'unsubscribeUrl',
};
const THEIR_NAMES: Record<string, string> = {
  ...Object.fromEntries(Object.entries(OURS_OF_PATH).map(([theirs, ours]) => [ours, theirs])),
  unsubscribeUrl: 'RESEND_UNSUBSCRIBE_URL',
};

/** For a broadcast. The names are those of contacts. `fallbacks` are those of properties, by name in lower case. */
export function fromBroadcastTags<Text extends string | null | undefined>(
  text: Text,
  fallbacks: ReadonlyMap<string, string>,
): Text {
  return mapText(text, (value) =>
    value.replaceAll(RESEND_TAG, (_, written: string, fallback?: string) => {
      const name = written.replace(/^contact\./i, '');
      return toTag(OUR_NAMES[propertyKey(name)] ?? name, fallback ?? fallbacks.get(propertyKey(name)));
    }),
  );
}

export function toBroadcastTags<Text extends string | null | undefined>(text: Text): Text {
  return mapText(text, (value) =>
    value.replaceAll(TAG, (_, name: string, fallback?: string) => {
      const theirs = THEIR_NAMES[name] ?? (name.includes('.') ? name : `contact.${name}`);
      return `{{{${theirs}${fallback?.trim() ? `|${fallback.trim()}` : ''}}}}`;
    }),
  );
}

/** For a template. The names are those of its variables, and the fallbacks are separate from the content. */
export function fromTemplateTags<Text extends string | null | undefined>(
  text: Text,
  fallbacks: Map<string, string>,
): Text {
  return mapText(text, (value) =>
    value.replaceAll(RESEND_TAG, (_, name: string, fallback?: string) =>
      toTag(name, fallback ?? fallbacks.get(name)),
    ),
  );
}

export function toTemplateTags<Text extends string | null | undefined>(text: Text): Text {
  return mapText(text, (value) => value.replaceAll(TAG, (_, name: string) => `{{{${name}}}}`));
}

function mapText<Text extends string | null | undefined>(
  text: Text,
  change: (value: string) => string,
): Text {
  return (typeof text === 'string' ? change(text) : text) as Text;
}

function toTag(name: string, fallback: string | undefined): string {
  return fallback?.trim() ? `{{${name},fallback=${fallback.trim()}}}` : `{{${name}}}`;
}
