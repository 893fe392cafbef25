/**
 * Collects the bytes between 354 and the final dot. They are joined once, because a large body has hundreds of chunks.
 */
const END = '\r\n.\r\n';

export class SinkBody {
  #parts: Buffer[] = [];
  #length = 0;
  /** The last bytes, which may begin the end marker. It starts as if a line ended before the first byte. */
  #tail: Buffer = Buffer.from('\r\n');

  get length(): number {
    return this.#length;
  }

  /** Returns null until the final dot; then the message without dot stuffing, and the bytes after it. */
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
