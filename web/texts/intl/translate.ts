/**
 * Translates what the server writes in English. The keys of a catalogue are English sentences with {} where values stand;
 * the translations have {1}, {2} and so on in their places. Values that are in the catalogue themselves are translated too.
 * A sentence that is not in it stays English: the tests find keys that the server no longer writes.
 */
export type Catalogue = Record<string, string>;

interface Entry {
  /** The fixed parts of the key, between the values. */
  parts: string[];
  translation: string;
}

/** A count as the server writes it. */
const COUNT = /^\d{1,3}(?:,\d{3})+$/;

export function translatorOf(
  catalogue: Catalogue,
  formatNumber: (value: number) => string,
): (sentence: string) => string {
  const whole = new Map(Object.entries(catalogue));
  const entries: Entry[] = Object.entries(catalogue)
    .filter(([key]) => key.includes('{}'))
    .map(([key, translation]) => ({ parts: key.split('{}'), translation }));
  return function translate(sentence: string): string {
    const known = whole.get(sentence);
    if (known !== undefined) return known;
    if (COUNT.test(sentence)) return formatNumber(Number(sentence.replaceAll(',', '')));
    for (const { parts, translation } of entries) {
      const values = readValues(sentence, parts);
      if (values)
        return translation.replaceAll(/\{(\d)\}/g, (_, no: string) => translate(values[Number(no) - 1]!));
    }
    return sentence;
  };
}

/** Returns the texts between the parts, or null if the sentence does not have the parts in this order. */
function readValues(sentence: string, parts: string[]): string[] | null {
  const last = parts.at(-1)!;
  if (!sentence.startsWith(parts[0]!) || !sentence.endsWith(last)) return null;
  const values: string[] = [];
  let at = parts[0]!.length;
  for (const part of parts.slice(1, -1)) {
    const end = sentence.indexOf(part, at);
    if (end === -1) return null;
    values.push(sentence.slice(at, end));
    at = end + part.length;
  }
  const end = sentence.length - last.length;
  if (end < at) return null;
  return [...values, sentence.slice(at, end)];
}
