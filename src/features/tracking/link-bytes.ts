/** The payload of a link, packed: numbers in groups of seven bits, ids in 16 bytes, a text as the rest. */

export function writeBytes() {
  const parts: Buffer[] = [];
  const writer = {
    number(value: number) {
      const bytes: number[] = [];
      let rest = value;
      for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
      parts.push(Buffer.from([...bytes, rest]));
      return writer;
    },
    uuid(value: string) {
      parts.push(Buffer.from(value.replaceAll('-', ''), 'hex'));
      return writer;
    },
    /** Up to eight; which of them are there stands in one byte before them. */
    uuids(values: (string | null)[]) {
      parts.push(Buffer.of(values.reduce((bits, value, at) => bits | (value === null ? 0 : 1 << at), 0)));
      for (const value of values) if (value !== null) writer.uuid(value);
      return writer;
    },
    text(value: string) {
      parts.push(Buffer.from(value, 'utf8'));
      return writer;
    },
    done: () => Buffer.concat(parts),
  };
  return writer;
}

/** Reads what was written, in the same order, between two places; it is ours, or it would not have been signed. */
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

  uuids(): (string | null)[] {
    const bits = this.#bytes[this.#at++]!;
    return Array.from({ length: 8 }, (_, place) => (bits & (1 << place) ? this.uuid() : null));
  }

  text(): string {
    return this.#bytes.toString('utf8', this.#at, this.#end);
  }
}
