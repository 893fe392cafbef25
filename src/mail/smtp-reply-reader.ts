/**
 * Replies out of the bytes of a connection (RFC 5321 section 4.2): split over packets, several in one packet, over
 * many lines. What breaks the grammar or the bounds is garbage, and after garbage nobody knows which reply belongs to
 * which command, so the reader never goes on after it.
 */
import { parseReply, type SmtpReply } from './smtp-reply.ts';

export interface Read {
  /** What was complete, in order. */
  replies: SmtpReply[];
  /** What came after them and is no SMTP. */
  garbage: string | null;
}

// RFC 5321 section 4.5.3.1.5 says 512; real servers explain themselves at more length.
const MAX_LINE_BYTES = 4096;
const MAX_LINES = 200;
const MAX_SHOWN = 80;
const MAX_KNOWN = 16;
const LF = 10;
const CR = 13;

export class ReplyReader {
  #rest: Buffer | null = null;
  #begun: string[] = [];
  #latest: string[] = [];
  /** Lines that were parsed before: a server says the same to every MAIL, RCPT and DATA. */
  #known = new Map<string, SmtpReply>();

  /** Nothing of a next reply has come yet. */
  get isAtRest(): boolean {
    return this.#rest === null && this.#begun.length === 0;
  }

  /** The lines of the latest reply as they came, for EHLO, where each line says something of its own. */
  get latest(): readonly string[] {
    return this.#latest;
  }

  read(bytes: Buffer): Read {
    const data = this.#rest ? Buffer.concat([this.#rest, bytes]) : bytes;
    const replies: SmtpReply[] = [];
    let start = 0;
    for (let end = data.indexOf(LF); end !== -1; end = data.indexOf(LF, start)) {
      if (end - start > MAX_LINE_BYTES) return { replies, garbage: 'a line without end' };
      const line = data.toString('utf8', start, end > start && data[end - 1] === CR ? end - 1 : end);
      start = end + 1;
      this.#begun.push(line);
      if (this.#begun.length > MAX_LINES) return { replies, garbage: 'a reply without end' };
      if (line[3] === '-') continue;

      const reply = this.#parse();
      if (!reply) return { replies, garbage: `not SMTP: ${JSON.stringify(line.slice(0, MAX_SHOWN))}` };
      replies.push(reply);
      this.#latest = this.#begun;
      this.#begun = [];
    }
    if (data.length - start > MAX_LINE_BYTES) return { replies, garbage: 'a line without end' };
    this.#rest = start === data.length ? null : data.subarray(start);
    return { replies, garbage: null };
  }

  #parse(): SmtpReply | null {
    const [line] = this.#begun;
    if (this.#begun.length > 1) return parseReply(this.#begun);
    const known = this.#known.get(line!);
    if (known) return known;
    const reply = parseReply(this.#begun);
    if (reply && this.#known.size < MAX_KNOWN) this.#known.set(line!, reply);
    return reply;
  }
}
