/** The packed payload of a link: numbers as 7-bit groups, IDs as 16 bytes, text as the rest. */
import type { Mac } from '../../../platform/crypto.ts';

/** The kind, a few numbers, five IDs and a signature. */
const SIZE_WITHOUT_TEXT = 128;

/** Builds a signed payload in a single buffer, because campaigns create thousands of links. */
export class LinkWriter {
  #bytes = Buffer.allocUnsafe(SIZE_WITHOUT_TEXT);
  /** The position after the kind. */
  #at = 1;

  number(value: number): this {
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) this.#bytes[this.#at++] = (rest % 128) | 0x80;
    this.#bytes[this.#at++] = rest;
    return this;
  }

  uuid(value: string): this {
    this.#at += this.#bytes.write(value.replaceAll('-', ''), this.#at, 'hex');
    return this;
  }

  /** Writes a SHA-256. */
  hash(value: Buffer): this {
    this.#at += value.copy(this.#bytes, this.#at);
    return this;
  }

  /** Writes up to eight IDs, after a byte that marks which of them are present. */
  uuids(values: (string | null)[]): this {
    this.#bytes[this.#at++] = values.reduce((bits, value, at) => bits | (value === null ? 0 : 1 << at), 0);
    for (const value of values) if (value !== null) this.uuid(value);
    return this;
  }

  /** The text must come last. */
  text(value: string): this {
    const text = Buffer.from(value, 'utf8');
    this.#bytes = Buffer.concat([this.#bytes, text]);
    text.copy(this.#bytes, this.#at);
    this.#at += text.length;
    return this;
  }

  sign(kind: number, mac: Mac, macBytes: number): string {
    this.#bytes[0] = kind;
    this.#bytes.write(mac(this.#bytes, this.#at), this.#at, macBytes, 'latin1');
    return this.#bytes.toString('base64url', 0, this.#at + macBytes);
  }
}

/** Reads a payload in the order in which it was written. The caller must have verified the signature. */
export class LinkReader {
  readonly #bytes: Buffer;
  #at: number;
  readonly #end: number;

  constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes[this.#at++]!;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  uuid(): string {
    const hex = this.#bytes.toString('hex', this.#at, (this.#at += 16));
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }

  hash(): Buffer {
    return Buffer.from(this.#bytes.subarray(this.#at, (this.#at += 32)));
  }

  uuids(): (string | null)[] {
    const bits = this.#bytes[this.#at++]!;
    return Array.from({ length: 8 }, (_, index) => (bits & (1 << index) ? this.uuid() : null));
  }

  text(): string {
    return this.#bytes.toString('utf8', this.#at, this.#end);
  }
}
