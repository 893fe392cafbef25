/**
 * One socket to a mail server: sends bytes and returns replies, each within a time limit. The connection counts the
 * outstanding replies. An unexpected reply (a 421 on an idle connection, a second reply to a command) closes it,
 * because otherwise the next message would take that reply as its own. A lost connection stays lost and keeps the
 * reason.
 */
import type { Socket } from 'node:net';
import type { SmtpReply } from './reply.ts';
import { ReplyReader } from './reply-reader.ts';
import { isSocketFailure, secureSocket, type SocketFailure, type SocketSecurity } from './socket.ts';

export class SmtpConnection {
  #socket: Socket;
  #reader = new ReplyReader();
  #inbox: SmtpReply[] = [];
  /** The server sends the greeting without a command. */
  #owed = 1;
  #waiter: ((reply: SmtpReply | SocketFailure) => void) | null = null;
  #loss: SocketFailure | null = null;
  #farewell: SmtpReply | null = null;
  #isBodyFlushed = true;
  #certificateProblem: string | null = null;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  get loss(): SocketFailure | null {
    return this.#loss;
  }

  /** The unexpected reply with which the server ended the connection. */
  get farewell(): SmtpReply | null {
    return this.#farewell;
  }

  /** True when every command has got its reply. */
  get isAtRest(): boolean {
    return this.#owed === 0 && this.#inbox.length === 0 && this.#reader.isAtRest;
  }

  /** The lines of the latest reply. */
  get latestLines(): readonly string[] {
    return this.#reader.latest;
  }

  /** True when the last byte of the last body, including the final dot, has left this process. */
  get isBodyFlushed(): boolean {
    return this.#isBodyFlushed;
  }

  /** Why the certificate of the server is not valid, as a code, even if nobody asked for a valid one. */
  get certificateProblem(): string | null {
    return this.#certificateProblem;
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.#socket.remotePort;
  }

  /** Starts receiving: before the greeting, and again after the TLS handshake. */
  listen(): void {
    this.#socket.on('data', this.#onData);
    this.#socket.on('error', this.#onError);
    this.#socket.on('close', this.#onClose);
    if (this.#socket.destroyed) this.lose('connection closed');
  }

  /** Writes commands that will get `replies` replies in total. */
  write(commands: string, replies: number): void {
    this.#owed += replies;
    this.#socket.write(commands);
  }

  /**
   * Writes a whole message at once, after the commands before it, if any. `replies` is the number of replies that
   * follow.
   */
  writeBody(chunks: readonly Buffer[], replies = 1): void {
    this.#owed += replies;
    this.#isBodyFlushed = false;
    this.#socket.cork();
    for (let index = 0; index < chunks.length - 1; index++) this.#socket.write(chunks[index]!);
    this.#socket.write(chunks.at(-1)!, (error) => {
      if (!error) this.#isBodyFlushed = true;
    });
    this.#socket.uncork();
  }

  /**
   * Returns the next reply. The limit is for the whole reply, so that a slow server cannot extend it byte by
   * byte.
   */
  read(timeoutMs: number): Promise<SmtpReply | SocketFailure> {
    const reply = this.#inbox.shift();
    if (reply) return Promise.resolve(reply);
    if (this.#loss) return Promise.resolve(this.#loss);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.lose(`no reply within ${timeoutMs} ms`), timeoutMs);
      this.#waiter = (reply) => {
        clearTimeout(timer);
        this.#waiter = null;
        resolve(reply);
      };
    });
  }

  /** Starts TLS. Returns null, or the reason for the failure; the connection is lost then. */
  async secure(security: SocketSecurity, timeoutMs: number): Promise<SocketFailure | null> {
    const plain = this.#socket;
    plain.off('data', this.#onData);
    plain.off('error', this.#onError);
    plain.off('close', this.#onClose);
    const secured = await secureSocket(plain, security, timeoutMs);
    if (isSocketFailure(secured)) {
      this.lose(secured.lost);
      return secured;
    }
    this.#socket = secured;
    // A code, although its type is an error.
    this.#certificateProblem = secured.authorized ? null : String(secured.authorizationError);
    return null;
  }

  /** Closes the connection. A pending read returns the cause. */
  lose(cause: string): void {
    if (this.#loss) return;
    this.#loss = { lost: cause };
    this.#socket.destroy();
    this.#waiter?.(this.#loss);
  }

  #onData = (bytes: Buffer): void => {
    if (this.#loss) return;
    const { replies, garbage } = this.#reader.read(bytes);
    for (const reply of replies) {
      if (this.#owed === 0) {
        this.#farewell = reply;
        return this.lose(`unexpected reply: ${reply.code} ${reply.text}`);
      }
      this.#owed -= 1;
      if (this.#waiter) this.#waiter(reply);
      else this.#inbox.push(reply);
    }
    if (garbage !== null) this.lose(garbage);
  };

  #onError = (error: Error): void => this.lose(error.message);

  #onClose = (): void => this.lose('connection closed');
}
