/**
 * Reads a selector of a message's style sheet and writes it again for the frame. `html` and `body` become the elements
 * that stand for them, and nothing outside these is matched. A selector with anything unknown is dropped:
 * - `:visited` would tell which pages someone has seen, and `:has()` is slow.
 * - Attributes other than class and ID could be read letter by letter with images as signals.
 */

/** The elements that stand for `<html>` and `<body>`. Their attributes do not count for the specificity. */
export const ROOT = { tag: 'section', mark: 'data-mail' };
export const BODY = { tag: 'article', mark: 'data-mail-body' };

const MAX_LENGTH = 400;
const MAX_STEPS = 10;
/** Escaped punctuation, as in `.sm\:w-full`. Letters and digits after a backslash would be character codes. */
const NAME = String.raw`-?(?:[_a-z\u00a0-\uffff]|\\[!#$%&()*+,./:=?@[\]^|~])(?:[\w\u00a0-\uffff-]|\\[!#$%&()*+,./:=?@[\]^|~])*`;
const TYPE = /\*|[a-z][a-z0-9-]*/iy;
const CLASS_OR_ID = new RegExp(`[.#]${NAME}`, 'iy');
const ATTRIBUTE = /\[\s*(class|id)\s*(?:([~^$*]?=)\s*(?:"([\w\s-]*)"|'([\w\s-]*)'|([\w-]+))\s*)?\]/iy;
const PSEUDO = /::?([a-z-]+)(?:\(([^()]*)\))?/iy;
const COMBINATOR = /\s*[>+~]\s*|\s+/y;

const STATES = new Set(['hover', 'active', 'focus']);
const PSEUDO_CLASSES = new Set(
  'first-child last-child only-child first-of-type last-of-type only-of-type empty link any-link'.split(' '),
);
const COUNTING = new Set(['nth-child', 'nth-last-child', 'nth-of-type', 'nth-last-of-type']);
const COUNT = /^(?:odd|even|[+-]?\d{0,4}n?(?: ?[+-] ?\d{1,4})?)$/i;
const PSEUDO_ELEMENTS = new Set(['before', 'after', 'first-letter', 'first-line']);

interface DisplaySelector {
  text: string;
  /** True if it depends on what the reader does, so that it must not load anything. */
  isState: boolean;
}

interface Reading {
  source: string;
  at: number;
  isState: boolean;
}

export function cleanSelector(selector: string): DisplaySelector | null {
  const source = selector.trim();
  if (source === '' || source.length > MAX_LENGTH) return null;
  const reading: Reading = { source, at: 0, isState: false };
  const parts: string[] = [];
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const compound = readCompound(reading);
    if (compound === null) return null;
    parts.push(compound);
    if (reading.at === source.length) {
      const text = parts.join('');
      const isRooted = text.startsWith(`${ROOT.tag}:where([${ROOT.mark}])`);
      return { text: isRooted ? text : `:where([${ROOT.mark}]) ${text}`, isState: reading.isState };
    }
    const combinator = match(reading, COMBINATOR)?.[0];
    if (combinator === undefined) return null;
    parts.push(combinator.trim() || ' ');
  }
  return null;
}

/** Returns null for an empty compound or one with something unknown. */
function readCompound(reading: Reading): string | null {
  const type = match(reading, TYPE)?.[0].toLowerCase();
  const parts = type === undefined ? [] : [standIn(type)];
  for (;;) {
    const part = readSimple(reading);
    if (part === null) return null;
    if (part === '') break;
    parts.push(part);
  }
  return parts.length === 0 ? null : parts.join('');
}

function standIn(type: string): string {
  if (type === 'html') return `${ROOT.tag}:where([${ROOT.mark}])`;
  return type === 'body' ? `${BODY.tag}:where([${BODY.mark}])` : type;
}

/** Returns an empty text at the end of the compound. */
function readSimple(reading: Reading): string | null {
  switch (reading.source[reading.at]) {
    case '.':
    case '#':
      return match(reading, CLASS_OR_ID)?.[0] ?? null;
    case '[': {
      const [, name, operator, ...values] = match(reading, ATTRIBUTE) ?? [];
      if (name === undefined) return null;
      const value = values.find((each) => each !== undefined);
      return operator === undefined ? `[${name}]` : `[${name}${operator}"${value!}"]`;
    }
    case ':':
      return readPseudo(reading);
    default:
      return '';
  }
}

function readPseudo(reading: Reading): string | null {
  const [whole, name = '', argument] = match(reading, PSEUDO) ?? [];
  if (whole === undefined) return null;
  const pseudo = name.toLowerCase();
  if (COUNTING.has(pseudo)) {
    const count = argument?.trim().replaceAll(/\s+/g, ' ') ?? '';
    return COUNT.test(count) ? `:${pseudo}(${count})` : null;
  }
  if (pseudo === 'not') return readNegation(argument ?? '');
  if (argument !== undefined) return null;
  if (pseudo === 'root') return `:where([${ROOT.mark}])`;
  if (PSEUDO_ELEMENTS.has(pseudo)) return `::${pseudo}`;
  if (STATES.has(pseudo)) {
    reading.isState = true;
    return `:${pseudo}`;
  }
  // `:visited` is dropped, so `:link` stands for both.
  return PSEUDO_CLASSES.has(pseudo) ? `:${pseudo === 'link' ? 'any-link' : pseudo}` : null;
}

/** Only one class, ID or type. */
function readNegation(argument: string): string | null {
  const inner: Reading = { source: argument.trim(), at: 0, isState: false };
  const found = match(inner, CLASS_OR_ID) ?? match(inner, TYPE);
  return found && inner.at === inner.source.length ? `:not(${found[0]})` : null;
}

function match(reading: Reading, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = reading.at;
  const found = pattern.exec(reading.source);
  if (found) reading.at = pattern.lastIndex;
  return found;
}
