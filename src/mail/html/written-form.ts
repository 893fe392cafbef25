/**
 * Keeps the way in which text is written while HTML is cleaned. The parser decodes all character references, and would
 * write `>`, `&gt;` and `&#62;` alike. Here a common reference stays one and a bare character stays bare, so that
 * cleaning makes no text longer and does not change the output of an editor. In attribute values, `&`, `<`, `>` and `"`
 * are always escaped.
 */

/** Private-use characters that stand for a reference while the HTML is cleaned. */
const MARKS: readonly { reference: string; mark: string; character: string }[] = [
  { reference: '&quot;', mark: '\uf8fc', character: '"' },
  { reference: '&amp;', mark: '\uf8fd', character: '&' },
  { reference: '&gt;', mark: '\uf8fe', character: '>' },
  { reference: '&nbsp;', mark: '\uf8ff', character: '\u00a0' },
];
const MARK = /[\uf8fc-\uf8ff]/g;
const CHARACTERS = new Map(MARKS.map(({ mark, character }) => [mark, character]));
/** HTML that contains such a character itself, also as a numeric reference, is written with bare characters. */
const OWN_MARK = /[\uf8fc-\uf8ff]|&#(?:x0{0,20}f8f[c-f]|0{0,20}6374[0-3])/i;

const TEXT_OR_TAG = /<[^<>]*>|[^<>]+/g;
/** An ampersand begins a reference only before a letter, a digit or `#`. */
const NEEDLESS_REFERENCE = /&gt;|&amp;(?![A-Za-z0-9#])/g;

export interface WrittenForm {
  /** The HTML to clean. */
  marked: string;
  readAttributes(attributes: Record<string, string>): Record<string, string>;
  /** Expects cleaned HTML with every `>` in text escaped. */
  restore(cleaned: string): string;
}

export function keepWrittenForm(html: string): WrittenForm {
  const isMarked = html.includes('&') && !OWN_MARK.test(html);
  return {
    marked: isMarked
      ? MARKS.reduce((text, { reference, mark }) => text.replaceAll(reference, mark), html)
      : html,
    readAttributes: (attributes) =>
      Object.fromEntries(
        Object.entries(attributes).map(([name, value]) => {
          const written = name === 'style' ? preferSingleQuotes(value) : value;
          return [name, isMarked ? decodeMarks(written) : written];
        }),
      ),
    restore: (cleaned) =>
      cleaned.replaceAll(TEXT_OR_TAG, (part) => (part.startsWith('<') ? part : restoreText(part, isMarked))),
  };
}

/** In an attribute value, single quotes need no reference. */
function preferSingleQuotes(style: string): string {
  return style.includes("'") ? style : style.replaceAll('"', "'");
}

function decodeMarks(value: string): string {
  return value.replaceAll(MARK, (mark) => CHARACTERS.get(mark)!);
}

function restoreText(text: string, isMarked: boolean): string {
  const bare = text.replaceAll(NEEDLESS_REFERENCE, (found) => (found === '&gt;' ? '>' : '&'));
  return isMarked
    ? MARKS.reduce((whole, { reference, mark }) => whole.replaceAll(mark, reference), bare)
    : bare;
}
