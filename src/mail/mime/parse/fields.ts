/** Parses a MIME field and its parameters (RFC 2045 section 5.1, RFC 2231) in one pass. Accepts any input. */
import { decodeCharset } from './decode.ts';

export interface MimeField {
  /** The value in lower case. */
  value: string;
  /** Names are in lower case. The first of duplicate parameters counts. */
  parameters: Map<string, string>;
}

const MAX_LENGTH = 16_000;
const MAX_PARAMETERS = 200;
// `filename*`, `filename*0`, `filename*0*`
const EXTENDED = /^([^*]+)\*(?:(\d{1,3})(\*)?)?$/;

export function readField(text: string): MimeField {
  const { value, parameters } = readRawField(text);
  return { value, parameters: joinExtended(parameters) };
}

/** Leaves the pieces of parameters as they are in the field (RFC 2231), without quotes and comments. */
export function readRawField(text: string): MimeField {
  const [value = '', ...pieces] = splitField(text.slice(0, MAX_LENGTH));
  const parameters = new Map<string, string>();
  for (const piece of pieces.slice(0, MAX_PARAMETERS)) {
    const equals = piece.indexOf('=');
    const name = piece.slice(0, Math.max(equals, 0)).trim().toLowerCase();
    const text = piece.slice(equals + 1);
    // A space at the start of a continuation separates words.
    if (name !== '' && !parameters.has(name))
      parameters.set(name, EXTENDED.test(name) ? text : text.trimStart());
  }
  return { value: value.trim().toLowerCase(), parameters };
}

/** Splits at semicolons outside quotes, and removes quotes and comments. */
function splitField(text: string): string[] {
  const pieces: string[] = [];
  let piece = '';
  // End of the last quoted text. Spaces before it are part of the value.
  let quotedEnd = 0;
  let isQuoted = false;
  let commentDepth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === '\\' && (isQuoted || commentDepth > 0)) {
      at += 1;
      // Some email apps write unescaped Windows paths, so a backslash is kept unless it escapes a quote or a
      // backslash.
      if (isQuoted) piece += /["\\]/.test(text[at] ?? '') ? text[at] : `\\${text[at] ?? ''}`;
    } else if (commentDepth > 0) {
      if (character === '(') commentDepth += 1;
      if (character === ')') commentDepth -= 1;
    } else if (character === '"') {
      isQuoted = !isQuoted;
      quotedEnd = piece.length;
    } else if (isQuoted) piece += character;
    else if (character === '(') commentDepth = 1;
    else if (character === ';') {
      endPiece();
    } else if (!isBeforeValue() || !/\s/.test(character)) piece += character;
  }
  endPiece();
  return pieces;

  function isBeforeValue(): boolean {
    return quotedEnd === 0 && piece.endsWith('=') && piece.indexOf('=') === piece.length - 1;
  }

  function endPiece(): void {
    pieces.push(piece.slice(0, Math.max(quotedEnd, piece.trimEnd().length)));
    piece = '';
    quotedEnd = 0;
  }
}

function joinExtended(parameters: Map<string, string>): Map<string, string> {
  const extended = new Map<string, { order: number; isEncoded: boolean; text: string }[]>();
  for (const [name, text] of parameters) {
    const [, base, order, mark] = EXTENDED.exec(name) ?? [];
    if (base === undefined) continue;
    const piece = { order: Number(order ?? 0), isEncoded: order === undefined || mark !== undefined, text };
    extended.set(base, [...(extended.get(base) ?? []), piece]);
  }
  // RFC 2231 section 3: the extended form takes precedence.
  for (const [base, pieces] of extended) {
    const sorted = pieces.toSorted((one, other) => one.order - other.order);
    const [, charset, rest] = /^([^']*)'[^']*'(.*)$/s.exec(sorted[0]!.text) ?? [];
    const hasCharset = sorted[0]!.isEncoded && charset !== undefined;
    const bytes = sorted.map(({ isEncoded, text }, index) => {
      const value = index === 0 && hasCharset ? rest! : text;
      return isEncoded ? percentDecode(value) : Buffer.from(value, 'utf8');
    });
    parameters.set(base, decodeCharset(Buffer.concat(bytes), hasCharset ? charset : 'utf-8'));
  }
  return parameters;
}

/** Characters that should have been encoded become UTF-8. */
function percentDecode(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8').toString('latin1');
  const decoded = bytes.replaceAll(/%([0-9a-f]{2})/gi, (_whole, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(decoded, 'latin1');
}
