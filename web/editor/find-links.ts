/**
 * Finds links in text that is typed or pasted, for the link mark of TipTap. It stands in for linkifyjs (vite.config.ts),
 * which is several times as large, because it knows every top-level domain, and which cuts off the end of a merge tag.
 */
import { DOMAIN_ENDINGS } from './domain-endings.ts';

interface Span {
  start: number;
  end: number;
  value: string;
  /** Begins with `//` if the text has no protocol. */
  href: string;
}

interface FoundLink {
  type: string;
  value: string;
  isLink: true;
  href: string;
  start: number;
  end: number;
}

interface Token {
  isLink: boolean;
  value: string;
  toObject(defaultProtocol?: string): Omit<FoundLink, 'isLink'> & { isLink: boolean };
}

/** No link that people write is longer. */
const MAX_LENGTH = 4_000;
const SEPARATORS = /[\s<>"“”„«»]+/u;
const OPENING = /^[([{'‘‚]$/u;
const CLOSING = /^[)\]}'’.,;:!?]$/u;
const PAIRS: Record<string, string> = { ')': '(', ']': '[', '}': '{' };

/** Finds all links of a text. */
export function find(text: string, options: { defaultProtocol?: string } = {}): FoundLink[] {
  const found: FoundLink[] = [];
  let at = 0;
  for (const word of text.split(SEPARATORS)) {
    at = text.indexOf(word, at);
    const span = linkIn(word);
    if (span) found.push(toLink(span, at, options.defaultProtocol));
    at += word.length;
  }
  return found;
}

/** Splits a word into its link and what is around it. */
export function tokenize(word: string): Token[] {
  const span = SEPARATORS.test(word) ? null : linkIn(word);
  if (!span) return word === '' ? [] : [plainToken(word, 0)];
  const tokens: Token[] = [];
  if (span.start > 0) tokens.push(plainToken(word.slice(0, span.start), 0));
  tokens.push({ isLink: true, value: span.value, toObject: (protocol) => toLink(span, 0, protocol) });
  if (span.end < word.length) tokens.push(plainToken(word.slice(span.end), span.end));
  return tokens;
}

/** All protocols that we use are known. */
export function registerCustomProtocol(): void {}
export function reset(): void {}

function plainToken(value: string, start: number): Token {
  const toObject = () => ({ type: 'text', value, isLink: false, href: '', start, end: start + value.length });
  return { isLink: false, value, toObject };
}

function toLink({ start, end, value, href }: Span, at: number, protocol = 'https'): FoundLink {
  return {
    type: href.startsWith('mailto:') ? 'email' : 'url',
    value,
    isLink: true,
    href: href.startsWith('//') ? `${protocol}:${href}` : href,
    start: at + start,
    end: at + end,
  };
}

function linkIn(word: string): Span | null {
  if (word.length > MAX_LENGTH || word.startsWith('{{')) return null;
  const [start, end] = withoutMarks(word);
  const value = word.slice(start, end);
  const href = addressOf(value);
  return href === null ? null : { start, end, value, href };
}

/** Leaves out the marks around a word. A bracket belongs to the link if its other half does. */
function withoutMarks(word: string): [start: number, end: number] {
  let start = 0;
  let end = word.length;
  while (start < end && OPENING.test(word[start]!)) start += 1;
  const open = new Map(Object.keys(PAIRS).map((closing) => [closing, excessOf(word.slice(start), closing)]));
  for (; end > start && CLOSING.test(word[end - 1]!); end -= 1) {
    const excess = open.get(word[end - 1]!);
    if (excess === undefined) continue;
    if (excess <= 0) break;
    open.set(word[end - 1]!, excess - 1);
  }
  return [start, end];
}

/** How many more closing brackets than opening ones the text has. */
function excessOf(text: string, closing: string): number {
  return text.split(closing).length - text.split(PAIRS[closing]!).length;
}

/** Returns the address that a word leads to; null if it is no address. */
function addressOf(value: string): string | null {
  if (/^(?:https?|ftp):\/\/[\p{L}\d[]/iu.test(value)) return value;
  if (/^mailto:/i.test(value)) return value.includes('@') ? value : null;
  const at = value.lastIndexOf('@');
  if (at > 0)
    return isHost(value.slice(at + 1)) && /^[^@(),:;[\\\]]+$/.test(value.slice(0, at))
      ? `mailto:${value}`
      : null;
  const [host = '', port] = value.split(/[/?#]/, 1)[0]!.split(':');
  const hasPort = port === undefined || /^\d{1,5}$/.test(port);
  return hasPort && isHost(host) && (isKnown(host) || /^www\./i.test(host)) ? `//${value}` : null;
}

function isHost(text: string): boolean {
  const labels = text.split('.');
  return (
    labels.length > 1 &&
    labels.every(
      (label) => /^[\p{L}\d-]{1,63}$/u.test(label) && !label.startsWith('-') && !label.endsWith('-'),
    ) &&
    /^(?:\p{L}{2,}|xn--.+)$/iu.test(labels.at(-1)!)
  );
}

function isKnown(host: string): boolean {
  return DOMAIN_ENDINGS.has(host.slice(host.lastIndexOf('.') + 1).toLowerCase());
}
