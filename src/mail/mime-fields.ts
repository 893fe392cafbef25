/** A MIME field and its parameters (RFC 2045 section 5.1, RFC 2231), read in one pass and never refused. */
import { decodeCharset } from './mime-decode.ts';

export interface MimeField {
  /** In lower case. */
  value: string;
  /** By name in lower case; of a name that is there twice the first counts. */
  parameters: Map<string, string>;
}

const MAX_LENGTH = 16_000;
const MAX_PARAMETERS = 200;
// `filename*`, `filename*0`, `filename*0*`
const EXTENDED = /^([^*]+)\*(?:(\d{1,3})(\*)?)?$/;

export function readField(text: string): MimeField {
  const [value = '', ...pieces] = splitField(text.slice(0, MAX_LENGTH));
  const parameters = new Map<string, string>();
  for (const piece of pieces.slice(0, MAX_PARAMETERS)) {
    const equals = piece.indexOf('=');
    const name = piece.slice(0, Math.max(equals, 0)).trim().toLowerCase();
    if (name !== '' && !parameters.has(name)) parameters.set(name, piece.slice(equals + 1).trimStart());
  }
  return { value: value.trim().toLowerCase(), parameters: joinExtended(parameters) };
}

/** At the semicolons that are in no quotes; quotes and comments are taken off on the way. */
function splitField(text: string): string[] {
  const pieces: string[] = [];
  let piece = '';
  // Behind the last character that was in quotes: blanks up to there are meant.
  let meantEnd = 0;
  let isQuoted = false;
  let commentDepth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === '\\' && (isQuoted || commentDepth > 0)) {
      at += 1;
      // Also how some write a path of Windows: a backslash is kept before anything that needs none.
      if (isQuoted) piece += /["\\]/.test(text[at] ?? '') ? text[at] : `\\${text[at] ?? ''}`;
    } else if (commentDepth > 0) {
      if (character === '(') commentDepth += 1;
      if (character === ')') commentDepth -= 1;
    } else if (character === '"') {
      isQuoted = !isQuoted;
      meantEnd = piece.length;
    } else if (isQuoted) piece += character;
    else if (character === '(') commentDepth = 1;
    else if (character === ';') {
      endPiece();
    } else piece += character;
  }
  endPiece();
  return pieces;

  function endPiece(): void {
    pieces.push(piece.slice(0, Math.max(meantEnd, piece.trimEnd().length)));
    piece = '';
    meantEnd = 0;
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
  // RFC 2231 section 3: those who can read the extended form prefer it.
  for (const [base, pieces] of extended) {
    const sorted = pieces.toSorted((one, other) => one.order - other.order);
    const [, charset, rest] = /^([^']*)'[^']*'(.*)$/s.exec(sorted[0]!.text) ?? [];
    const hasCharset = sorted[0]!.isEncoded && charset !== undefined;
    const bytes = sorted.map(({ isEncoded, text }, index) => {
      const written = index === 0 && hasCharset ? rest! : text;
      return isEncoded ? percentDecode(written) : Buffer.from(written, 'utf8');
    });
    parameters.set(base, decodeCharset(Buffer.concat(bytes), hasCharset ? charset : 'utf-8'));
  }
  return parameters;
}

function percentDecode(text: string): Buffer {
  const latin1 = text.replaceAll(/%([0-9a-f]{2})/gi, (_whole, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  // Anything that stood there unencoded against the rules is kept as UTF-8.
  return /[^\0-\xff]/.test(latin1) ? Buffer.from(text, 'utf8') : Buffer.from(latin1, 'latin1');
}
