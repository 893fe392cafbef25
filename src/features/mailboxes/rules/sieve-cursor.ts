import { SieveFault, type SieveToken } from './sieve-tokens.ts';

/** Reads tokens one after the other. */
export class SieveCursor {
  #at = 0;
  readonly #tokens: SieveToken[];
  lastComment: string | null = null;

  constructor(tokens: SieveToken[]) {
    this.#tokens = tokens;
  }

  get line(): number {
    return (this.peek() ?? this.#tokens.at(-1))?.line ?? 1;
  }

  peek(): SieveToken | undefined {
    while (this.#tokens[this.#at]?.kind === 'comment') {
      this.lastComment = String(this.#tokens[this.#at]!.value);
      this.#at += 1;
    }
    return this.#tokens[this.#at];
  }

  next(): SieveToken | undefined {
    const token = this.peek();
    this.#at += 1;
    return token;
  }

  takeIf(kind: SieveToken['kind'], value?: string): SieveToken | null {
    const token = this.peek();
    if (token?.kind !== kind || (value !== undefined && token.value !== value)) return null;
    this.#at += 1;
    return token;
  }

  expect(kind: SieveToken['kind'], value?: string): SieveToken {
    const { line } = this;
    const token = this.takeIf(kind, value);
    if (!token) throw new SieveFault(line, `${value ? JSON.stringify(value) : `a ${kind}`} is missing`);
    return token;
  }

  strings(): string[] {
    if (!this.takeIf('mark', '[')) return [String(this.expect('text').value)];
    const values: string[] = [];
    do values.push(String(this.expect('text').value));
    while (this.takeIf('mark', ','));
    this.expect('mark', ']');
    return values;
  }
}
