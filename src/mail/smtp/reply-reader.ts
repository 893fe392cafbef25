/**
 * Reads replies from the bytes of a connection (RFC 5321 section 4.2), which may split or combine them. Data
 * that breaks the grammar or the limits is garbage. After garbage it is unknown which reply belongs to which
 * command, so the reader must not be used again.
 */
import { parseReply, type SmtpReply } from './reply.ts';

export interface ReadResult {
  /** The complete replies, in order. */
  replies: SmtpReply[];
  /** A description of invalid data after the replies. */
  garbage: string | null;
}

// RFC 5321 section 4.5.3.1.5 says 512, but real servers send longer lines.
const MAX_LINE_BYTES = 4096;
const MAX_LINES = 200;
const MAX_SHOWN = 80;
const MAX_CACHED = 16;
const LF = 10;
const CR = 13;

export class ReplyReader {
  #rest: Buffer | null = null;
  #lines: string[] = [];
  #latest: string[] = [];
  /** Caches parsed single-line replies, because servers repeat the same replies. */
  #cache = new Map<string, SmtpReply>();

  /** True when no part of another reply was received. */
  get isAtRest(): boolean {
    return this.#rest === null && this.#lines.length === 0;
  }

  /** The lines of the latest reply, as needed for EHLO. */
  get latest(): readonly string[] {
    return this.#latest;
  }

  read(bytes: Buffer): ReadResult {
    const data = this.#rest ? Buffer.concat([this.#rest, bytes]) : bytes;
    const replies: SmtpReply[] = [];
    let start = 0;
    for (let end = data.indexOf(LF); end !== -1; end = data.indexOf(LF, start)) {
      if (end - start > MAX_LINE_BYTES) return { replies, garbage: 'the reply line is too long' };
      const line = data.toString('utf8', start, end > start && data[end - 1] === CR ? end - 1 : end);
      start = end + 1;
      this.#lines.push(line);
      if (this.#lines.length > MAX_LINES) return { replies, garbage: 'the reply is too long' };
      if (line[3] === '-') continue;

      const reply = this.#parse();
      if (!reply)
        return { replies, garbage: `not an SMTP reply: ${JSON.stringify(line.slice(0, MAX_SHOWN))}` };
      replies.push(reply);
      this.#latest = this.#lines;
      this.#lines = [];
    }
    if (data.length - start > MAX_LINE_BYTES) return { replies, garbage: 'the reply line is too long' };
    this.#rest = start === data.length ? null : data.subarray(start);
    return { replies, garbage: null };
  }

  #parse(): SmtpReply | null {
    const [line] = this.#lines;
    if (this.#lines.length > 1) return parseReply(this.#lines);
    const cached = this.#cache.get(line!);
    if (cached) return cached;
    const reply = parseReply(this.#lines);
    if (reply && this.#cache.size < MAX_CACHED) this.#cache.set(line!, reply);
    return reply;
  }
}
