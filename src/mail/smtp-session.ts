/**
 * A connection that is ready for messages, one after the other.
 *
 * Where the server offers PIPELINING (RFC 2920) everything up to DATA goes out in one write, else step by step. A
 * message is never put at risk by that: its body is only sent once somebody will get it, and where the server waits
 * for a body that nobody is to get, the connection is cut (a lone dot could be delivered as an empty message).
 *
 * Where it offers CHUNKING (RFC 3030) as well, a message of usual size goes along in the same write, behind BDAT: one
 * way there and back instead of two. The server is told how many bytes to read, also when it wants none of them.
 */
import { dotStuff } from './dot-stuffing.ts';
import type { SmtpConnection } from './smtp-connection.ts';
import { prepareEnvelope, type Envelope, type Extensions, type OutgoingMessage } from './smtp-envelope.ts';
import { brokenAt, describeReply, refusedAt, type SmtpFailure } from './smtp-failure.ts';
import type { SmtpReply, SmtpStage } from './smtp-reply.ts';
import { isLoss, type Loss } from './smtp-socket.ts';

export interface SmtpTimeouts {
  connectMs: number;
  greetingMs: number;
  /** For the answer to each command, and the TLS handshake. */
  commandMs: number;
  /** For the answer after the dot; a large message gets its time on the wire on top. */
  dataMs: number;
}

/**
 * A recipient has got the message when its own reply and `data` are both 2xx. One whose own reply is a refusal is
 * decided by that; for the others `failure` tells why not.
 */
export interface SendResult {
  /** In the order given. Null: the server never came to this one. */
  recipients: { address: string; reply: SmtpReply | null }[];
  /** The answer after the dot, or the refusal of DATA itself. Null where it did not come to that. */
  data: SmtpReply | null;
  /** Why those that were not refused by their own reply did not get it; null when they did, or when there are none. */
  failure: SmtpFailure | null;
  /** The whole message was on its way when the connection broke: the server may have taken it, or not. */
  unknown: boolean;
  /** What was said, line by line: `> ` by us, `< ` by the server; the message itself is only named. */
  transcript: string[];
}

interface Step {
  stage: SmtpStage;
  command: string;
}

/** More than this is not sent before it is known that somebody will get it. */
const MOST_ALONG_BYTES = 64 * 1024;
/** Slower than this is no transfer, it is a trap. */
const SLOWEST_BYTES_PER_MS = 32;
const LONGEST_GOODBYE_MS = 1000;
const CRLF = Buffer.from('\r\n');

export class SmtpSession {
  readonly extensions: Extensions;
  readonly isSecured: boolean;
  #connection: SmtpConnection;
  #timeouts: SmtpTimeouts;
  #isSending = false;
  #needsReset = false;

  constructor(
    connection: SmtpConnection,
    extensions: Extensions,
    isSecured: boolean,
    timeouts: SmtpTimeouts,
  ) {
    this.#connection = connection;
    this.#timeouts = timeouts;
    this.extensions = extensions;
    this.isSecured = isSecured;
  }

  /** Another message can be sent now. */
  get isUsable(): boolean {
    return !this.#isSending && this.#connection.loss === null && this.#connection.isAtRest;
  }

  async send(message: OutgoingMessage): Promise<SendResult> {
    if (this.#isSending) throw new Error('An SMTP session sends one message at a time.');
    const result: SendResult = {
      recipients: message.recipients.map((address) => ({ address, reply: null })),
      data: null,
      failure: null,
      unknown: false,
      transcript: [`(connected to ${this.#connection.remoteAddress}${this.isSecured ? ' under TLS' : ''})`],
    };
    const { envelope, failure } = prepareEnvelope(message, this.extensions);
    this.#isSending = true;
    const isAlong = this.#takesAlong(message);
    result.failure = failure ?? (await this.#sendEnvelope(envelope, result, isAlong ? message : null));
    if (!isAlong && result.failure === null && result.recipients.some(({ reply }) => isYes(reply)))
      await this.#sendBody(message, result);
    this.#isSending = false;
    return result;
  }

  /** Says goodbye, or cuts the connection in the middle of a message. */
  async close(): Promise<void> {
    if (this.isUsable) {
      this.#connection.write('QUIT\r\n', 1);
      await this.#connection.read(Math.min(LONGEST_GOODBYE_MS, this.#timeouts.commandMs));
    }
    this.#connection.lose('closed by us');
  }

  #takesAlong({ size }: OutgoingMessage): boolean {
    return this.extensions.has('PIPELINING') && this.extensions.has('CHUNKING') && size <= MOST_ALONG_BYTES;
  }

  /** `along`: the message that goes in the same write. */
  async #sendEnvelope(
    envelope: Envelope,
    result: SendResult,
    along: OutgoingMessage | null,
  ): Promise<SmtpFailure | null> {
    const steps: Step[] = envelope.rcpts.map((command) => ({ stage: 'rcpt', command }));
    steps.unshift({ stage: 'mail', command: envelope.mail });
    // RFC 5321 section 4.1.1.5: what a refused message left behind must not mix with the next one.
    if (this.#needsReset) steps.unshift({ stage: 'reset', command: 'RSET\r\n' });
    const chunk = along && toChunk(along);
    steps.push(
      chunk
        ? { stage: 'body', command: `BDAT ${chunk.size} LAST\r\n` }
        : { stage: 'data', command: 'DATA\r\n' },
    );
    this.#needsReset = true;

    const isPipelined = this.extensions.has('PIPELINING');
    const commands = steps.map(({ command }) => command).join('');
    if (chunk) this.#connection.writeBody([Buffer.from(commands), ...chunk.pieces], steps.length);
    else if (isPipelined) this.#connection.write(commands, steps.length);

    let refusal: SmtpFailure | null = null;
    let accepted = 0;
    let answered = 0;
    for (const { stage, command } of steps) {
      if (!isPipelined) {
        if (refusal || (stage === 'data' && accepted === 0)) break;
        this.#connection.write(command, 1);
      }
      const heard = await this.#connection.read(
        stage === 'body' ? this.#bodyMs(along!) : this.#timeouts.commandMs,
      );
      result.transcript.push(`> ${command.trimEnd()}`, describeHeard(heard));
      const isLast = stage === 'data' || stage === 'body';
      if (isLoss(heard)) {
        if (refusal !== null || (isLast && accepted === 0)) return refusal;
        result.unknown = along !== null && this.#connection.isBodyFlushed;
        return brokenAt(stage, heard.lost, this.#connection.farewell);
      }
      const problem = this.#weigh(stage, heard);
      // Nothing good comes after 421 (RFC 5321 section 3.8) or after an answer that fits no question.
      if (problem && this.#connection.loss) return refusal ?? problem;

      if (stage === 'rcpt') {
        if (!refusal) result.recipients[answered]!.reply = heard;
        answered += 1;
        accepted += problem ? 0 : 1;
      } else if (isLast) {
        if (!problem && (refusal || accepted === 0))
          this.#connection.lose(along ? 'a message taken for nobody' : 'a body asked for that nobody gets');
        // Without recipients the refusal of DATA only follows from theirs.
        if (!refusal && accepted > 0 && (problem || along)) {
          result.data = heard;
          refusal = problem;
        }
      } else refusal ??= problem;
    }
    if (along) refusal = this.#closeBody(result, refusal);
    return refusal;
  }

  async #sendBody(message: OutgoingMessage, result: SendResult): Promise<void> {
    const connection = this.#connection;
    connection.writeBody(dotStuff(message.chunks));
    const heard = await connection.read(this.#bodyMs(message));
    result.transcript.push(`> (${message.size} bytes of message)`, describeHeard(heard));
    if (isLoss(heard)) {
      result.failure = brokenAt('body', heard.lost);
      result.unknown = connection.isBodyFlushed;
      return;
    }
    result.data = heard;
    result.failure = this.#closeBody(result, this.#weigh('body', heard));
  }

  /** After the answer to a message. */
  #closeBody({ data }: SendResult, failure: SmtpFailure | null): SmtpFailure | null {
    this.#needsReset = failure !== null || !isYes(data);
    if (this.#connection.isBodyFlushed) return failure;
    // It takes what is still to come for commands; and it cannot have accepted what it has not seen.
    this.#connection.lose('an answer in the middle of the message');
    return failure ?? (isYes(data) ? brokenAt('body', 'accepted before its end', data) : null);
  }

  #bodyMs({ size }: OutgoingMessage): number {
    return this.#timeouts.dataMs + size / SLOWEST_BYTES_PER_MS;
  }

  /** Null for the yes that this stage waits for. */
  #weigh(stage: SmtpStage, reply: SmtpReply): SmtpFailure | null {
    if (stage === 'data' ? reply.code === 354 : isYes(reply)) return null;
    if (reply.code < 400 || stage === 'reset') {
      const cause = `an answer out of place to ${stage}: ${reply.code} ${reply.text}`;
      this.#connection.lose(cause);
      return brokenAt(stage, cause, reply);
    }
    if (reply.code === 421) this.#connection.lose(reply.text);
    return refusedAt(stage, reply);
  }
}

/** A message for BDAT, its last line ended as the dot would have ended it. */
function toChunk({ chunks }: OutgoingMessage): { pieces: Buffer[]; size: number } {
  const end = Buffer.concat(chunks.slice(-2).map((piece) => piece.subarray(-2)));
  const pieces = end.subarray(-2).equals(CRLF) ? [...chunks] : [...chunks, CRLF];
  return { pieces, size: pieces.reduce((sum, piece) => sum + piece.length, 0) };
}

function isYes(reply: SmtpReply | null): boolean {
  return reply !== null && reply.code >= 200 && reply.code < 300;
}

function describeHeard(heard: SmtpReply | Loss): string {
  return isLoss(heard) ? `(${heard.lost})` : `< ${describeReply(heard).replaceAll('\n', ' ')}`;
}
