/**
 * Writes a field with a grammar, such as a list of mailboxes or List-Id, in ASCII. Words and quoted text that are not
 * ASCII become encoded words (RFC 2047).
 */
import { encodeWords, foldHeader } from '../header-encoding.ts';

interface Token {
  kind: 'space' | 'quoted' | 'angle' | 'word' | 'mark';
  text: string;
}

const WIDE = /[^ -~]/;

/** Returns null when an address is not ASCII, because it cannot be encoded. `value` must be a single line. */
export function foldStructured(name: string, value: string): string | null {
  const tokens = readTokens(value);
  if (tokens.some(isWideAddress)) return null;
  let encoded = '';
  for (let at = 0; at < tokens.length; at += 1) {
    const { kind, text } = tokens[at]!;
    if (!isWideText(tokens[at])) {
      encoded += text;
      continue;
    }
    let phrase = textOf(kind, text);
    // Adjacent words are encoded together, because email apps drop the spaces between encoded words.
    while (tokens[at + 1]?.kind === 'space' && isWideText(tokens[at + 2])) {
      phrase += ` ${textOf(tokens[at + 2]!.kind, tokens[at + 2]!.text)}`;
      at += 2;
    }
    encoded += encodeWords(phrase);
  }
  return foldHeader(name, encoded);
}

function isWideAddress({ kind, text }: Token): boolean {
  return (kind === 'angle' || (kind === 'word' && text.includes('@'))) && WIDE.test(text);
}

function isWideText(token: Token | undefined): boolean {
  return token !== undefined && (token.kind === 'word' || token.kind === 'quoted') && WIDE.test(token.text);
}

function textOf(kind: Token['kind'], text: string): string {
  return kind === 'quoted' ? text.slice(1, -1).replaceAll(/\\(.)/g, '$1') : text;
}

function readTokens(value: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < value.length;) {
    const kind = kindAt(value[at]!);
    const end = endOf(kind, value, at);
    tokens.push({ kind, text: value.slice(at, end) });
    at = end;
  }
  return tokens;
}

function kindAt(character: string): Token['kind'] {
  if (character === ' ' || character === '\t') return 'space';
  if (character === '"') return 'quoted';
  if (character === '<') return 'angle';
  return '>,;:()'.includes(character) ? 'mark' : 'word';
}

function endOf(kind: Token['kind'], value: string, start: number): number {
  let end = start + 1;
  if (kind === 'mark') return end;
  if (kind === 'angle') return value.indexOf('>', end) + 1 || value.length;
  if (kind === 'quoted') {
    while (end < value.length && value[end] !== '"') end += value[end] === '\\' ? 2 : 1;
    return Math.min(end + 1, value.length);
  }
  while (end < value.length && kindAt(value[end]!) === kind) end += 1;
  return end;
}
