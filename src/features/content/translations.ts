/** Content in further languages, and which of them someone gets. */

interface Translation {
  subject: string;
  previewText: string | null;
  html: string | null;
  content: string | null;
}

/** By BCP 47 tag in its canonical form. */
export type Translations = Record<string, Translation>;

const MAX_TAG = 35;

/** Returns `de-AT` for `de-at`, and null for text that is not a BCP 47 tag. */
export function canonicalLanguage(tag: string): string | null {
  if (tag.length > MAX_TAG) return null;
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}

/** Returns the language that someone has, which may be written as a locale of another system: `de_AT` is `de-AT`. */
export function localeToTag(language: unknown): string | null {
  return typeof language === 'string' ? canonicalLanguage(language.trim().replaceAll('_', '-')) : null;
}

/**
 * Returns the tag of the translation for a language: the language itself, then without its last parts (`zh-Hant` and then
 * `zh` for `zh-Hant-TW`). Null for the default content.
 */
export function chooseLanguage(languages: ReadonlySet<string>, wanted: unknown): string | null {
  const parts = localeToTag(wanted)?.split('-') ?? [];
  for (let count = parts.length; count > 0; count -= 1) {
    const candidate = parts.slice(0, count).join('-');
    if (languages.has(candidate)) return candidate;
  }
  return null;
}

export function languagesOf(translations: Translations | null): ReadonlySet<string> {
  return new Set(Object.keys(translations ?? {}));
}

export interface Translatable {
  subject: string | null;
  previewText?: string | null;
  html: string | null;
  plain?: string | null;
  content?: string | null;
}

/** The content as someone with this language gets it. The text part is made from the translated HTML. */
export function withTranslation<Content extends Translatable>(
  content: Content,
  translations: Translations | null,
  language: string | null,
): Content {
  const translation = language === null ? undefined : translations?.[language];
  return translation ? { ...content, ...translation, plain: null } : content;
}
