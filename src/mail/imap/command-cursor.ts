/** Reads the arguments of a command from left to right (RFC 9051 section 9). Throws BadCommand for invalid syntax. */
import type { RawCommand } from './command-reader.ts';

/** An error of the client. The server replies with a tagged BAD and this message. */
export class BadCommand extends Error {}

/** How deep parentheses may be nested. */
export const MAX_DEPTH = 50;

// The character classes of RFC 9051 section 9, and bytes above 127, which many email apps send.
const ATOM = /[!#$&'+,./0-9:;<=>?@A-Z[^_`a-z|}~\x80-\xff-]+/y;
const ASTRING = /[!#$&'+,./0-9:;<=>?@A-Z[\]^_`a-z|}~\x80-\xff-]+/y;
const LIST_MAILBOX = /[!#$%&'*+,./0-9:;<=>?@A-Z[\]^_`a-z|}~\x80-\xff-]+/y;
const QUOTED = /"((?:[\t\x20\x21\x23-\x5b\x5d-\xff]|\\["\\])*)"/y;
const NUMBER = /\d{1,19}/y;
const TAG = /[!#$&',./0-9:;<=>?@A-Z[\]^_`a-z|}~-]+/y;
const FLAG = /\\?[!#$&'+,./0-9:;<=>?@A-Z[^_`a-z|}~-]+/y;

export class CommandCursor {
  readonly #text: string;
  readonly #literals: Buffer[];
  #at = 0;
  #literal = 0;

  constructor({ text, literals }: RawCommand) {
    this.#text = text;
    this.#literals = literals;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  tag(): string {
    return this.match(TAG) ?? this.fail('Missing tag');
  }

  /** Matches a sticky pattern and returns its first group, or all of it. */
  match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (!found) return null;
    this.#at = pattern.lastIndex;
    return found[1] ?? found[0];
  }

  /** Consumes the text if it comes next, in any case. */
  take(text: string): boolean {
    if (this.#text.slice(this.#at, this.#at + text.length).toUpperCase() !== text) return false;
    this.#at += text.length;
    return true;
  }

  /** True if the text comes next. */
  sees(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  expect(text: string): void {
    if (!this.take(text)) this.fail(text === ' ' ? 'Missing argument' : `Expected ${text}`);
  }

  space(): void {
    this.expect(' ');
  }

  end(): void {
    if (this.match(/ *$/y) === null) this.fail('Too many arguments');
  }

  atom(): string {
    return this.match(ATOM) ?? this.fail('Expected an atom');
  }

  /** Numbers beyond the safe integers of JavaScript become the largest of them. No valid number is that large. */
  number(): number {
    const digits = this.match(NUMBER) ?? this.fail('Expected a number');
    return Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
  }

  flag(): string {
    return this.match(FLAG) ?? this.fail('Expected a flag');
  }

  /** A quoted string or literal, as Latin-1. */
  string(): string {
    return this.#stringOrNull() ?? this.fail('Expected a string');
  }

  astring(): string {
    return this.#stringOrNull() ?? this.match(ASTRING) ?? this.fail('Expected a string');
  }

  nstring(): string | null {
    if (this.take('NIL')) return null;
    return this.string();
  }

  /** A mailbox name, which may contain wildcards. */
  listMailbox(): string {
    return this.#stringOrNull() ?? this.match(LIST_MAILBOX) ?? this.fail('Expected a mailbox name');
  }

  /** The bytes of a literal. */
  literal(): Buffer | null {
    this.take('~');
    if (!this.take('\0')) return null;
    return this.#literals[this.#literal++]!;
  }

  /** Reads a list in parentheses, which may be empty. */
  list<Item>(read: () => Item): Item[] {
    this.expect('(');
    const items: Item[] = [];
    while (!this.take(')')) {
      if (items.length > 0) this.space();
      items.push(read());
    }
    return items;
  }

  fail(message: string): never {
    throw new BadCommand(message);
  }

  #stringOrNull(): string | null {
    if (this.sees('"')) {
      const quoted = this.match(QUOTED) ?? this.fail('Unfinished quoted string');
      return quoted.replaceAll(/\\(.)/g, '$1');
    }
    const text = this.literal()?.toString('latin1') ?? null;
    // RFC 9051 section 4.3: only a literal8 may contain NUL, and a literal8 is not a string.
    if (text?.includes('\0')) this.fail('NUL is not allowed in a string');
    return text;
  }
}
