/** The form as plain HTML for other sites. It needs neither a script nor a key, and inherits the style of the site. */
import { escapeHtml } from '../../../mail/html/entities.ts';
import { inputAttributesOf, labelOf } from './form-fields.ts';
import { formTextsIn } from './form-texts.ts';
import type { FormField, FormLanguage, FormText } from './forms.schema.ts';

/**
 * A field that people do not see and bots fill in. It is also `hidden`, because the policy of a site may forbid inline
 * styles. A variable of a contact book cannot have this name, because of the hyphen.
 */
export const HONEYPOT_FIELD = 'your-website';

interface Embedded {
  url: string;
  fields: FormField[];
  texts: Record<FormText, string | null>;
  language: FormLanguage | null;
}

export function renderEmbedHtml({ url, fields, texts, language: chosen }: Embedded): string {
  const language = chosen ?? 'en';
  const defaults = formTextsIn(language);
  return [
    `<form action="${escapeHtml(url)}" method="post" accept-charset="utf-8">`,
    ...fields.map((field) => `  ${renderField(field, language)}`),
    `  <p hidden style="position:absolute;left:-9999px" aria-hidden="true"><label>${defaults.leaveEmpty}<br><input type="text" name="${HONEYPOT_FIELD}" tabindex="-1" autocomplete="off"></label></p>`,
    ...(texts.note === null ? [] : [`  <p>${escapeHtml(texts.note)}</p>`]),
    `  <p><button type="submit">${escapeHtml(texts.button ?? defaults.button)}</button></p>`,
    '</form>',
  ].join('\n');
}

function renderField(field: FormField, language: FormLanguage): string {
  const attributes = Object.entries(inputAttributesOf(field)).map(([name, value]) => `${name}="${value}"`);
  const input = `<input ${attributes.join(' ')}${field.required ? ' required' : ''}>`;
  return `<p><label>${escapeHtml(labelOf(field, language))}<br>${input}</label></p>`;
}
