/**
 * One socket to a mail server: bytes out, replies in, each reply within a time limit.
 *
 * The connection knows how many replies the server owes it. One that nobody asked for (a 421 on an idle connection, a
 * second answer to one command) ends it: otherwise the next message would take that reply for its own.
 * A connection that was lost stays lost and says why.
 */
import type { Socket } from 'node:net';
import type { SmtpReply } from './smtp-reply.ts';
import { ReplyReader } from './smtp-reply-reader.ts';
import { isLoss, secureSocket, type Loss, type SocketSecurity } from './smtp-socket.ts';

export class SmtpConnection {
  #socket: Socket;
  #reader = new ReplyReader();
  #inbox: SmtpReply[] = [];
  /** The greeting comes without a command. */
  #owed = 1;
  #waiter: ((heard: SmtpReply | Loss) => void) | null = null;
  #loss: Loss | null = null;
  #farewell: SmtpReply | null = null;
  #isBodyFlushed = true;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  get loss(): Loss | null {
    return this.#loss;
  }

  /** What the server said unasked, when it ended the connection. */
  get farewell(): SmtpReply | null {
    return this.#farewell;
  }

  /** Every command has had its answer. */
  get isAtRest(): boolean {
    return this.#owed === 0 && this.#inbox.length === 0 && this.#reader.isAtRest;
  }

  /** The lines of the reply that came last. */
  get latestLines(): readonly string[] {
    return this.#reader.latest;
  }

  /** The last byte of the last body, its final dot included, has left this process. */
  get isBodyFlushed(): boolean {
    return this.#isBodyFlushed;
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  /** Begins to listen: for the greeting, and again after TLS has begun. */
  listen(): void {
    this.#socket.on('data', this.#onData);
    this.#socket.on('error', this.#onError);
    this.#socket.on('close', this.#onClose);
    if (this.#socket.destroyed) this.lose('connection closed');
  }

  /** Commands that will get `replies` answers, in one write. */
  write(commands: string, replies: number): void {
    this.#owed += replies;
    this.#socket.write(commands);
  }

  /** A message to its end, and what goes before it, in one write; one reply will follow, or as many as told. */
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

  /** The next reply. The limit is for the whole of it, so that one byte now and then does not stretch it. */
  read(timeoutMs: number): Promise<SmtpReply | Loss> {
    const reply = this.#inbox.shift();
    if (reply) return Promise.resolve(reply);
    if (this.#loss) return Promise.resolve(this.#loss);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.lose(`no answer within ${timeoutMs} ms`), timeoutMs);
      this.#waiter = (heard) => {
        clearTimeout(timer);
        this.#waiter = null;
        resolve(heard);
      };
    });
  }

  /** Goes on under TLS. Null, or why not; then the connection is lost. */
  async secure(security: SocketSecurity, timeoutMs: number): Promise<string | null> {
    const plain = this.#socket;
    plain.off('data', this.#onData);
    plain.off('error', this.#onError);
    plain.off('close', this.#onClose);
    const secured = await secureSocket(plain, security, timeoutMs);
    if (isLoss(secured)) {
      this.lose(secured.lost);
      return secured.lost;
    }
    this.#socket = secured;
    return null;
  }

  /** Cuts the connection; whoever waits for a reply gets the cause instead. */
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
        return this.lose(`an answer that nobody asked for: ${reply.code} ${reply.text}`);
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
