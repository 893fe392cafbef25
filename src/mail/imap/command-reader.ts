/**
 * Splits the bytes of an IMAP client into commands (RFC 9051 section 2.2.1, RFC 7888). A command is one line, plus a
 * literal and a further line for each `{n}` at the end of a line. Nothing is kept beyond the limits: a line that is
 * too long ends the connection. A literal that is too large is rejected before the client sends it, or ends the
 * connection if the client does not wait.
 */

/** In `text`, each literal is replaced by a NUL character, which cannot occur in a line otherwise. */
export interface RawCommand {
  /** Latin-1: one character for each byte. */
  text: string;
  literals: Buffer[];
}

export type ReaderEvent =
  | { kind: 'command'; command: RawCommand }
  /**
   * A literal follows. If the client waits, send `+`. Memory for the literal is allocated at the next call of `next`.
   */
  | { kind: 'literal'; bytes: number; waits: boolean }
  /** The literal is too large. The client waits for a tagged NO. */
  | { kind: 'too-large'; tag: string }
  /** The connection must be closed. */
  | { kind: 'fatal'; message: string };

export interface ReaderLimits {
  /** The bytes of all lines of one command. */
  lineBytes: number;
  /** Returns the maximum size of a literal, given the text of the command so far and the bytes of earlier literals. */
  literalBytes(text: string, earlierBytes: number): number;
}

const LF = 0x0a;
const LITERAL = /(~?)\{(\d{1,20})(\+?)\}$/;
const MAX_LITERALS = 1_000;

export class CommandReader {
  readonly #limits: ReaderLimits;
  #buffer: Buffer = Buffer.alloc(0);
  #text = '';
  #literals: Buffer[] = [];
  #literalBytes = 0;
  #literal: { length: number; bytes: Buffer | null; filled: number } | null = null;
  /** The offset up to which the buffer was searched for a line end. */
  #searched = 0;

  constructor(limits: ReaderLimits) {
    this.#limits = limits;
  }

  /** True if bytes have arrived that are not part of a finished command. */
  get hasPending(): boolean {
    return this.#buffer.length > 0 || this.#text !== '' || this.#literal !== null;
  }

  /** The number of bytes that have arrived and have not been parsed. */
  get waitingBytes(): number {
    return this.#buffer.length;
  }

  feed(chunk: Buffer): void {
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
  }

  /** Returns null when more bytes are needed. */
  next(): ReaderEvent | null {
    for (;;) {
      if (this.#literal && !this.#fillLiteral(this.#literal)) return null;
      const end = this.#buffer.indexOf(LF, this.#searched);
      const lineBytes = end === -1 ? this.#buffer.length : end;
      if (this.#text.length + lineBytes > this.#limits.lineBytes)
        return { kind: 'fatal', message: 'The command is too long' };
      if (end === -1) {
        this.#searched = this.#buffer.length;
        return null;
      }
      const event = this.#endLine(end);
      if (event) return event;
    }
  }

  #endLine(end: number): ReaderEvent | null {
    const hasCr = end > 0 && this.#buffer[end - 1] === 0x0d;
    const line = this.#buffer.toString('latin1', 0, hasCr ? end - 1 : end);
    this.#buffer = this.#buffer.subarray(end + 1);
    this.#searched = 0;
    if (line.includes('\0')) return { kind: 'fatal', message: 'NUL is not allowed' };
    const found = LITERAL.exec(line);
    if (!found) {
      const command = { text: this.#text + line, literals: this.#literals };
      this.#reset();
      return { kind: 'command', command };
    }
    const [marker, binary, size, plus] = found;
    this.#text += line.slice(0, -marker.length);
    const length = Number(size);
    const allowed =
      this.#literals.length < MAX_LITERALS ? this.#limits.literalBytes(this.#text, this.#literalBytes) : 0;
    if (length > allowed) {
      if (plus === '+') return { kind: 'fatal', message: 'The literal is too large' };
      const tag = /^[^ ]*/.exec(this.#text)![0];
      this.#reset();
      return { kind: 'too-large', tag };
    }
    this.#text += `${binary}\0`;
    this.#literal = { length, bytes: null, filled: 0 };
    return { kind: 'literal', bytes: length, waits: plus !== '+' };
  }

  /** Returns whether the literal is complete. */
  #fillLiteral(literal: { length: number; bytes: Buffer | null; filled: number }): boolean {
    literal.bytes ??= Buffer.allocUnsafe(literal.length);
    const copied = this.#buffer.copy(literal.bytes, literal.filled);
    literal.filled += copied;
    this.#buffer = this.#buffer.subarray(copied);
    if (literal.filled < literal.length) return false;
    this.#literals.push(literal.bytes);
    this.#literalBytes += literal.length;
    this.#literal = null;
    return true;
  }

  #reset(): void {
    this.#text = '';
    this.#literals = [];
    this.#literalBytes = 0;
  }
}
