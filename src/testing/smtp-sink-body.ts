/** The bytes between 354 and the dot, joined only once the dot is there: a large body comes in hundreds of pieces. */
const END = '\r\n.\r\n';

export class SinkBody {
  #parts: Buffer[] = [];
  #length = 0;
  /** What the end may have begun in: as if a line had ended before the first byte. */
  #tail: Buffer = Buffer.from('\r\n');

  get length(): number {
    return this.#length;
  }

  /** Null until the dot; then the message as it was before dot-stuffing, and what came behind it. */
  add(bytes: Buffer): { data: Buffer; rest: Buffer } | null {
    const seen = Buffer.concat([this.#tail, bytes]);
    const end = this.#length - this.#tail.length + seen.indexOf(END) + 2;
    this.#parts.push(bytes);
    this.#length += bytes.length;
    if (!seen.includes(END)) {
      this.#tail = seen.subarray(1 - END.length);
      return null;
    }
    const whole = Buffer.concat(this.#parts);
    return { data: unstuff(whole.subarray(0, end)), rest: whole.subarray(end + '.\r\n'.length) };
  }
}

function unstuff(body: Buffer): Buffer {
  return Buffer.from(body.toString('latin1').replaceAll(/(^|\r\n)\./g, '$1'), 'latin1');
}
