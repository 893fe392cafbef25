/** Compares the texts of a language with the English ones. */

type Texts = Record<string, unknown>;

/** Names the texts that are missing, not in English or of another kind, as `mail.actions.archive`. */
export function findMissing(english: Texts, own: Texts, place = ''): string[] {
  const names = new Set([...Object.keys(english), ...Object.keys(own)]);
  return [...names].flatMap((name) => {
    const here = place === '' ? name : `${place}.${name}`;
    const [text, translated] = [english[name], own[name]];
    if (typeof text !== typeof translated) return [here];
    return isTexts(text) && isTexts(translated) ? findMissing(text, translated, here) : [];
  });
}

/** Returns the sentences that are the same in both languages. One word may well be, such as “Status”. */
export function findCopied(english: Texts, own: Texts): string[] {
  return Object.entries(english).flatMap(([name, text]) => {
    const translated = own[name];
    if (isTexts(text) && isTexts(translated)) return findCopied(text, translated);
    return typeof text === 'string' && text === translated && /\p{L}{2,} \p{L}{2,}/u.test(text) ? [text] : [];
  });
}

function isTexts(value: unknown): value is Texts {
  return typeof value === 'object' && value !== null;
}
