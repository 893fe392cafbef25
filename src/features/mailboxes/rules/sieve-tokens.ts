/** Splits a Sieve script into tokens (RFC 5228 section 8.1). */

export type SieveToken = { line: number } & (
  | { kind: 'name' | 'tag' | 'text'; value: string }
  | { kind: 'number'; value: number }
  | { kind: 'mark'; value: string }
  | { kind: 'comment'; value: string }
);

export class SieveFault extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

const MOST_TOKENS = 50_000;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /(\d{1,12})([KMG]?)/iy;
const UNITS: Record<string, number> = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };

export function readTokens(script: string): SieveToken[] {
  const tokens: SieveToken[] = [];
  let at = 0;
  let line = 1;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(script);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const add = (token: SieveToken) => {
    if (tokens.push(token) > MOST_TOKENS) throw new SieveFault(token.line, 'the script is too long');
  };
  while (at < script.length) {
    const character = script[at]!;
    const start = line;
    if (character === '\n') line += 1;
    if (/\s/.test(character)) at += 1;
    else if (character === '#') {
      const end = endOf(script, '\n', at);
      add({ kind: 'comment', line, value: script.slice(at + 1, end).trim() });
      at = end;
    } else if (script.startsWith('/*', at)) {
      const end = script.indexOf('*/', at);
      if (end < 0) throw new SieveFault(start, 'the comment does not end');
      line += countLines(script.slice(at, end));
      at = end + 2;
    } else if (character === '"') {
      const { value, end } = readQuoted(script, at, start);
      line += countLines(script.slice(at, end));
      add({ kind: 'text', line: start, value });
      at = end;
    } else if (/^text:[ \t]*(?:#[^\n]*)?\r?$/i.test(script.slice(at, endOf(script, '\n', at)))) {
      const { value, end } = readMultiline(script, endOf(script, '\n', at) + 1, start);
      line += countLines(script.slice(at, end));
      add({ kind: 'text', line: start, value });
      at = end;
    } else if ('[]{}(),;'.includes(character)) {
      add({ kind: 'mark', line, value: character });
      at += 1;
    } else if (character === ':') {
      at += 1;
      const found = take(NAME);
      if (!found) throw new SieveFault(line, 'a name must follow the colon');
      add({ kind: 'tag', line, value: found[0].toLowerCase() });
    } else {
      const number = take(NUMBER);
      const name = number ? null : take(NAME);
      if (number) add({ kind: 'number', line, value: Number(number[1]) * UNITS[number[2]!.toUpperCase()]! });
      else if (name) add({ kind: 'name', line, value: name[0].toLowerCase() });
      else throw new SieveFault(line, `unexpected ${JSON.stringify(character)}`);
    }
  }
  return tokens;
}

function readQuoted(script: string, from: number, line: number): { value: string; end: number } {
  let value = '';
  for (let at = from + 1; at < script.length; at += 1) {
    if (script[at] === '"') return { value, end: at + 1 };
    if (script[at] === '\\') at += 1;
    value += script[at] ?? '';
  }
  throw new SieveFault(line, 'the string does not end');
}

function readMultiline(script: string, from: number, line: number): { value: string; end: number } {
  const lines: string[] = [];
  for (let at = from; at < script.length;) {
    const end = endOf(script, '\n', at);
    const text = script.slice(at, end).replace(/\r$/, '');
    if (text === '.') return { value: lines.join('\n'), end };
    lines.push(text.startsWith('..') ? text.slice(1) : text);
    at = end + 1;
  }
  throw new SieveFault(line, 'the text does not end with a dot');
}

function endOf(script: string, what: string, from: number): number {
  const end = script.indexOf(what, from);
  return end < 0 ? script.length : end;
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}
