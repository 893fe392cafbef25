/**
 * An open connection that sends one message after the other. With PIPELINING (RFC 2920) everything up to DATA goes out
 * in one write. The body is sent only after a recipient was accepted. If the server asks for a body that no recipient
 * will get, the connection is closed, because a lone dot could be delivered as an empty message. If the server also
 * supports CHUNKING (RFC 3030), a message of normal size follows in the same write with BDAT, which saves a round
 * trip. The server knows how many bytes to read even if it rejects them. A server that announces CHUNKING but does not
 * know BDAT gets its messages with DATA from the next connection on.
 */
import { chunkingFaults } from './chunking-faults.ts';
import { dotStuff } from './dot-stuffing.ts';
import type { SmtpConnection } from './connection.ts';
import { prepareEnvelope, type Envelope, type Extensions, type OutgoingMessage } from './envelope.ts';
import { connectionFailure, describeReply, refusedAt, type SmtpFailure } from './failure.ts';
import type { SmtpReply, SmtpStage } from './reply.ts';
import { isSocketFailure, type SocketFailure } from './socket.ts';

export interface SmtpTimeouts {
  connectMs: number;
  greetingMs: number;
  /** The limit for the reply to each command, and for the TLS handshake. */
  commandMs: number;
  /** The limit for the reply after the final dot. Large messages get additional time for the transfer. */
  dataMs: number;
}

/**
 * A recipient got the message when its own reply and `data` are both 2xx. If its own reply is a rejection, that reply
 * is the reason. Otherwise `failure` is the reason.
 */
export interface SendResult {
  /** The recipients in the given order. A null reply means that the session ended before this recipient. */
  recipients: { address: string; reply: SmtpReply | null }[];
  /** The reply after the final dot, or the rejection of DATA. Null if the session ended earlier. */
  data: SmtpReply | null;
  /**
   * The reason why the recipients that were not rejected did not get the message. Null when they did, or when there
   * are none.
   */
  failure: SmtpFailure | null;
  /** True if the server was asked to report about the delivery itself (RFC 3461 section 5.2.1). */
  isDsnPassedOn: boolean;
  /** True if the connection broke after the whole message was sent, so that the server may have accepted it. */
  unknown: boolean;
  /** The dialogue: `> ` for our lines, `< ` for those of the server. The message itself is only mentioned. */
  transcript: string[];
}

interface Step {
  stage: SmtpStage;
  command: string;
}

/** What the server has replied to the commands of an envelope so far. */
interface EnvelopeReplies {
  /** Why it refused the message, apart from single recipients. */
  refusal: SmtpFailure | null;
  /** The number of recipients that it has answered, and of those that it has accepted. */
  answered: number;
  accepted: number;
}

interface CheckedReply {
  reply: SmtpReply;
  /** Null for a positive reply. */
  problem: SmtpFailure | null;
}

/** A larger message is sent only after a recipient was accepted. */
const MAX_INLINE_BYTES = 64 * 1024;
/** A slower transfer counts as an attack. */
const MIN_BYTES_PER_MS = 32;
const MAX_QUIT_MS = 1000;
const CRLF = Buffer.from('\r\n');

export class SmtpSession {
  readonly extensions: Extensions;
  readonly isSecured: boolean;
  /** True if the certificate of the server was verified. */
  readonly isVerified: boolean;
  /** The name of the server, or its address if only that is known. */
  readonly host: string;
  #connection: SmtpConnection;
  #timeouts: SmtpTimeouts;
  /** The name and port of the server. */
  #server: string;
  #isSending = false;
  #needsReset = false;
  /** Called once, when the connection is closed. */
  onClosed: (() => void) | null = null;

  constructor(
    connection: SmtpConnection,
    extensions: Extensions,
    { isSecured, isVerified }: { isSecured: boolean; isVerified: boolean },
    timeouts: SmtpTimeouts,
    host: string,
  ) {
    this.#connection = connection;
    this.#timeouts = timeouts;
    this.extensions = extensions;
    this.isSecured = isSecured;
    this.isVerified = isVerified;
    this.host = host;
    this.#server = `${host}:${connection.remotePort}`;
  }

  /** Why the certificate of the server is not valid, as a code, even if nobody asked for a valid one. */
  get certificateProblem(): string | null {
    return this.#connection.certificateProblem;
  }

  /** True when another message can be sent now. */
  get isUsable(): boolean {
    return !this.#isSending && this.#connection.loss === null && this.#connection.isAtRest;
  }

  async send(message: OutgoingMessage): Promise<SendResult> {
    if (this.#isSending) throw new Error('An SMTP session sends one message at a time.');
    const result: SendResult = {
      recipients: message.recipients.map((address) => ({ address, reply: null })),
      data: null,
      failure: null,
      isDsnPassedOn: !!message.dsn && this.extensions.has('DSN'),
      unknown: false,
      transcript: [`(connected to ${this.#connection.remoteAddress}${this.isSecured ? ' under TLS' : ''})`],
    };
    const { envelope, failure } = prepareEnvelope(message, this.extensions, this.isVerified);
    this.#isSending = true;
    const isInline = this.#fitsInline(message);
    result.failure = failure ?? (await this.#sendEnvelope(envelope, result, isInline ? message : null));
    if (!isInline && result.failure === null && result.recipients.some(({ reply }) => isPositive(reply)))
      await this.#sendBody(message, result);
    this.#isSending = false;
    return result;
  }

  /** Checks whether the server accepts mail from this sender to this recipient, without sending any. */
  async tryEnvelope(sender: string, recipient: string): Promise<SmtpFailure | null> {
    const steps: Step[] = [
      { stage: 'mail', command: `MAIL FROM:<${sender}>\r\n` },
      { stage: 'rcpt', command: `RCPT TO:<${recipient}>\r\n` },
    ];
    if (this.#needsReset) steps.unshift({ stage: 'reset', command: 'RSET\r\n' });
    this.#needsReset = true;
    for (const { stage, command } of steps) {
      this.#connection.write(command, 1);
      const reply = await this.#connection.read(this.#timeouts.commandMs);
      if (isSocketFailure(reply)) return connectionFailure(stage, reply.lost, this.#connection.farewell);
      const problem = this.#checkReply(stage, reply);
      if (problem) return problem;
    }
    return null;
  }

  /** Sends QUIT when idle. In the middle of a message, closes the connection immediately. */
  async close(): Promise<void> {
    if (this.isUsable) {
      this.#connection.write('QUIT\r\n', 1);
      await this.#connection.read(Math.min(MAX_QUIT_MS, this.#timeouts.commandMs));
    }
    this.#connection.lose('closed by us');
    this.onClosed?.();
    this.onClosed = null;
  }

  #fitsInline({ size }: OutgoingMessage): boolean {
    return (
      this.extensions.has('PIPELINING') &&
      this.extensions.has('CHUNKING') &&
      size <= MAX_INLINE_BYTES &&
      !chunkingFaults.has(this.#server)
    );
  }

  /** `inline` is the message that is sent in the same write. Returns why the message was not accepted so far. */
  async #sendEnvelope(
    envelope: Envelope,
    result: SendResult,
    inline: OutgoingMessage | null,
  ): Promise<SmtpFailure | null> {
    const chunk = inline && toChunk(inline);
    const steps = this.#listSteps(envelope, chunk);
    const isPipelined = this.extensions.has('PIPELINING');
    const commands = steps.map(({ command }) => command).join('');
    this.#needsReset = true;
    if (chunk) this.#connection.writeBody([Buffer.from(commands), ...chunk.pieces], steps.length);
    else if (isPipelined) this.#connection.write(commands, steps.length);

    const replies: EnvelopeReplies = { refusal: null, answered: 0, accepted: 0 };
    for (const { stage, command } of steps) {
      if (!isPipelined) {
        if (replies.refusal || (stage === 'data' && replies.accepted === 0)) break;
        this.#connection.write(command, 1);
      }
      const timeoutMs = stage === 'body' ? this.#bodyMs(inline!) : this.#timeouts.commandMs;
      const reply = await this.#connection.read(timeoutMs);
      result.transcript.push(`> ${command.trimEnd()}`, describeAnswer(reply));
      if (isSocketFailure(reply)) {
        const isDecided = replies.refusal !== null || (isLast(stage) && replies.accepted === 0);
        if (isDecided) return replies.refusal;
        result.unknown = inline !== null && this.#connection.isBodyFlushed;
        return connectionFailure(stage, reply.lost, this.#connection.farewell);
      }
      const problem = this.#checkReply(stage, reply);
      // No useful reply follows a 421 (RFC 5321 section 3.8) or a reply out of order.
      if (problem && this.#connection.loss) return replies.refusal ?? problem;
      if (stage === 'rcpt') noteRecipient(replies, result, { reply, problem });
      else if (isLast(stage)) this.#noteLast(replies, result, { reply, problem, hasBody: inline !== null });
      else replies.refusal ??= problem;
    }
    return inline ? this.#closeBody(result, replies.refusal) : replies.refusal;
  }

  #listSteps({ mail, rcpts }: Envelope, chunk: { size: number } | null): Step[] {
    return [
      // RFC 5321 section 4.1.1.5: resets the state that a refused message left behind.
      ...(this.#needsReset ? [{ stage: 'reset' as const, command: 'RSET\r\n' }] : []),
      { stage: 'mail', command: mail },
      ...rcpts.map((command) => ({ stage: 'rcpt' as const, command })),
      chunk
        ? { stage: 'body', command: `BDAT ${chunk.size} LAST\r\n` }
        : { stage: 'data', command: 'DATA\r\n' },
    ];
  }

  /** The reply to DATA, or to BDAT with the message. */
  #noteLast(
    replies: EnvelopeReplies,
    result: SendResult,
    { reply, problem, hasBody }: CheckedReply & { hasBody: boolean },
  ): void {
    const hasRecipients = replies.refusal === null && replies.accepted > 0;
    if (!hasRecipients && !problem) {
      const act = hasBody ? 'accepted' : 'asked for';
      this.#connection.lose(`the server ${act} a message without recipients`);
    }
    // Without accepted recipients, the refusal of DATA only follows from theirs.
    if (hasRecipients && (problem || hasBody)) {
      result.data = reply;
      replies.refusal = hasBody && isCommandError(reply) ? this.#giveUpChunking(reply) : problem;
    }
  }

  /** The server may read the message as commands, and has not judged it, so the message is not rejected. */
  #giveUpChunking(reply: SmtpReply): SmtpFailure {
    const cause = `the server announces CHUNKING but rejects BDAT: ${describeReply(reply)}`;
    chunkingFaults.add(this.#server);
    this.#connection.lose(cause);
    return connectionFailure('body', cause, reply);
  }

  async #sendBody(message: OutgoingMessage, result: SendResult): Promise<void> {
    const connection = this.#connection;
    connection.writeBody(dotStuff(message.chunks));
    const reply = await connection.read(this.#bodyMs(message));
    result.transcript.push(`> (${message.size} bytes of message)`, describeAnswer(reply));
    if (isSocketFailure(reply)) {
      result.failure = connectionFailure('body', reply.lost);
      result.unknown = connection.isBodyFlushed;
      return;
    }
    result.data = reply;
    result.failure = this.#closeBody(result, this.#checkReply('body', reply));
  }

  /** Called after the reply to a message. */
  #closeBody({ data }: SendResult, failure: SmtpFailure | null): SmtpFailure | null {
    this.#needsReset = failure !== null || !isPositive(data);
    if (this.#connection.isBodyFlushed) return failure;
    // The server would read the remaining bytes as commands, and it cannot have accepted bytes that it has not read.
    this.#connection.lose('the server replied in the middle of the message');
    return (
      failure ??
      (isPositive(data) ? connectionFailure('body', 'accepted before the end of the message', data) : null)
    );
  }

  #bodyMs({ size }: OutgoingMessage): number {
    return this.#timeouts.dataMs + size / MIN_BYTES_PER_MS;
  }

  /** Returns null for the positive reply that this stage expects. */
  #checkReply(stage: SmtpStage, reply: SmtpReply): SmtpFailure | null {
    if (stage === 'data' ? reply.code === 354 : isPositive(reply)) return null;
    if (reply.code < 400 || stage === 'reset') {
      const cause = `unexpected reply to ${stage}: ${reply.code} ${reply.text}`;
      this.#connection.lose(cause);
      return connectionFailure(stage, cause, reply);
    }
    if (reply.code === 421) this.#connection.lose(reply.text);
    return refusedAt(stage, reply);
  }
}

function isLast(stage: SmtpStage): boolean {
  return stage === 'data' || stage === 'body';
}

function noteRecipient(replies: EnvelopeReplies, result: SendResult, { reply, problem }: CheckedReply): void {
  if (!replies.refusal) result.recipients[replies.answered]!.reply = reply;
  replies.answered += 1;
  if (!problem) replies.accepted += 1;
}

/** Prepares a message for BDAT, with a line end after the last line, as before the final dot. */
function toChunk({ chunks }: OutgoingMessage): { pieces: Buffer[]; size: number } {
  const end = Buffer.concat(chunks.slice(-2).map((piece) => piece.subarray(-2)));
  const pieces = end.subarray(-2).equals(CRLF) ? [...chunks] : [...chunks, CRLF];
  return { pieces, size: pieces.reduce((sum, piece) => sum + piece.length, 0) };
}

/** RFC 5321 section 4.2.2: the replies to a command that is unknown, not implemented or out of order. */
function isCommandError({ code }: SmtpReply): boolean {
  return code >= 500 && code <= 504;
}

function isPositive(reply: SmtpReply | null): boolean {
  return reply !== null && reply.code >= 200 && reply.code < 300;
}

function describeAnswer(reply: SmtpReply | SocketFailure): string {
  return isSocketFailure(reply) ? `(${reply.lost})` : `< ${describeReply(reply).replaceAll('\n', ' ')}`;
}
