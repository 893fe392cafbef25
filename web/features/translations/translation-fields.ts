/** Translations as one text of a form, which compares fields as text: JSON, or empty without translations. */
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { texts } from '../../texts/en.ts';

export interface TranslationFields {
  subject: string;
  previewText: string;
  content: string | null;
  html: string;
}

export type AllTranslations = Record<string, TranslationFields>;

export function translationsOf({ translations }: Pick<Campaign, 'translations'>): string {
  if (!translations) return '';
  const entries = Object.entries(translations).map(([language, each]): [string, TranslationFields] => [
    language,
    {
      subject: each.subject,
      previewText: each.previewText ?? '',
      content: each.content,
      // A template stores the HTML that was made from the content.
      html: each.content === null ? (each.html ?? '') : '',
    },
  ]);
  return writeTranslations(Object.fromEntries(entries));
}

export function readTranslations(text: string): AllTranslations {
  return text === '' ? {} : (JSON.parse(text) as AllTranslations);
}

/** In the order of the tags, so that equal translations are equal texts. */
export function writeTranslations(translations: AllTranslations): string {
  const entries = Object.entries(translations).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return entries.length === 0 ? '' : JSON.stringify(Object.fromEntries(entries));
}

/** Returns null if there are none. Without a subject of its own, a translation gets that of the default content. */
export function toTranslationInputs(text: string, subject: string): object | null {
  if (text === '') return null;
  return Object.fromEntries(
    Object.entries(readTranslations(text)).map(([language, each]) => [
      language,
      {
        subject: each.subject.trim() || subject,
        previewText: each.previewText || null,
        ...(each.content === null ? { html: each.html || ' ' } : { content: each.content }),
      },
    ]),
  );
}

/** Returns the tag in its usual form, or null. */
export function readLanguageTag(written: string): string | null {
  try {
    return Intl.getCanonicalLocales(written.trim())[0] ?? null;
  } catch {
    return null;
  }
}

const names = new Intl.DisplayNames([texts.locale], { type: 'language' });

/** Returns `German (de)`. */
export function nameLanguage(tag: string): string {
  return `${names.of(tag) ?? tag} (${tag})`;
}
