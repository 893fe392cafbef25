/** The direction of texts and languages: left to right, or right to left as in Arabic and Hebrew. */
const LETTER = /\p{L}/u;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** The scripts that are written from right to left today (ISO 15924). */
const SCRIPTS = new Set(['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Syrc', 'Thaa']);

export type TextDirection = 'ltr' | 'rtl';

/** Returns the direction of the first letter, or null if there is none. */
export function directionOfText(text: string): TextDirection | null {
  const [letter] = LETTER.exec(text) ?? [];
  if (letter === undefined) return null;
  return RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr';
}

export function isRightToLeft(text: string): boolean {
  return directionOfText(text) === 'rtl';
}

/** Returns the direction of a language tag: `rtl` for `ar`, `fa-IR`, `he` and `az-Arab`. */
export function directionOfLanguage(tag: string): TextDirection {
  try {
    return SCRIPTS.has(new Intl.Locale(tag).maximize().script ?? '') ? 'rtl' : 'ltr';
  } catch {
    return 'ltr';
  }
}

/**
 * Keeps a name together that is right to left inside a text of the other direction, with the characters FSI and PDI
 * (Unicode Standard Annex 9). Otherwise the punctuation around it would move to its other side.
 */
export function isolate(name: string): string {
  return isRightToLeft(name) ? `\u2068${name}\u2069` : name;
}
