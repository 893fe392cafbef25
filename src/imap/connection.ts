/**
 * The connection of an email app: reads commands and writes responses, over TCP, TLS and compression. It does not know
 * the commands. Limits: 60 seconds until login, 35 minutes without a command after it (RFC 9051 section 5.4 requires
 * at least 30).
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { TLSSocket, type SecureContext } from 'node:tls';
import { constants, createDeflateRaw, createInflateRaw } from 'node:zlib';
import { CommandReader, type RawCommand, type ReaderEvent } from '../mail/imap/command-reader.ts';
import { ByteSource, ReadTimeout } from './byte-source.ts';
import { ResponseWriter } from './session/response-writer.ts';

export interface ConnectionOptions {
  secureContext(): SecureContext;
  /** Returns the maximum size of a literal, given the text of the command so far and the bytes of earlier literals. */
  literalBytes(text: string, earlierBytes: number): number;
  /** Reserves memory for a literal. Resolves to false if there is none. */
  reserve(bytes: number): Promise<boolean>;
  /** Called with the length of each piece that arrives. */
  onBytes(bytes: number): void;
  /** Called when a whole command has arrived. */
  onCommand(): void;
  /** Called when the client may send its next command. */
  onCommandEnd(): void;
  stalledMs?: number;
}

const LINE_BYTES = 64 * 1024;
const LOGIN_MS = 60_000;
const IDLE_MS = 35 * 60_000;
const HANDSHAKE_MS = 30_000;

export class Connection {
  readonly ip: string;
  readonly out: ResponseWriter;
  isSecure = false;
  isCompressed = false;
  /** True once the client has logged in. */
  isAuthenticated = false;
  /** True while the connection waits for a command. */
  isWaiting = false;
  /** How many chunks have been read from the client. */
  chunks = 0;
  readonly #options: ConnectionOptions;
  readonly #openedMs = performance.now();
  #socket: Socket;
  #source: ByteSource;
  #reader: CommandReader;
  #isClosing = false;

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.ip = socket.remoteAddress ?? '';
    socket.setNoDelay(true);
    socket.on('error', () => {});
    this.out = new ResponseWriter(socket, () => this.destroy(), options.stalledMs);
    this.#source = new ByteSource(socket);
    this.#reader = this.#newReader();
  }

  /** Returns null when the client has disconnected or the connection must end. */
  async readCommand(): Promise<RawCommand | null> {
    this.isWaiting = true;
    this.#options.onCommandEnd();
    try {
      for (;;) {
        const event = this.#reader.next();
        if (event?.kind === 'command') {
          this.#options.onCommand();
          return event.command;
        }
        const mayContinue = event ? await this.#answerEvent(event) : await this.#readMore();
        if (!mayContinue) return null;
      }
    } catch (error) {
      if (!(error instanceof ReadTimeout)) throw error;
      await this.bye(this.isAuthenticated ? 'Idle for too long' : 'Login takes too long');
      return null;
    } finally {
      this.isWaiting = false;
    }
  }

  /** False when the client has gone or the connection must end. */
  async #readMore(): Promise<boolean> {
    await this.out.flush();
    const chunk = await this.#source.read(this.#timeLeft());
    if (!chunk || this.#isClosing) return false;
    this.chunks += 1;
    this.#options.onBytes(chunk.length);
    this.#reader.feed(chunk);
    return true;
  }

  /** Answers what a command needs before it is complete. False when the connection must end. */
  async #answerEvent(event: Exclude<ReaderEvent, { kind: 'command' }>): Promise<boolean> {
    if (event.kind === 'fatal') {
      await this.bye(event.message);
      return false;
    }
    if (event.kind === 'too-large') {
      this.out.line(`${event.tag} NO [TOOBIG] The literal is too large`);
      return true;
    }
    if (!(await this.#options.reserve(event.bytes))) {
      await this.bye('The server is busy. Try again in a moment');
      return false;
    }
    if (event.waits) this.out.line('+ OK');
    return true;
  }

  #timeLeft(): number {
    return this.isAuthenticated ? IDLE_MS : LOGIN_MS - (performance.now() - this.#openedMs);
  }

  /** True if the client has sent more than the last command. */
  get hasPending(): boolean {
    return this.#reader.hasPending || this.#source.hasPending;
  }

  /** The number of bytes of further commands that have been read from the client. */
  get waitingBytes(): number {
    return this.#reader.waitingBytes;
  }

  /** Returns false if the handshake fails. Bytes that were sent before it are discarded (RFC 9051 section 6.2.1). */
  async startTls(): Promise<boolean> {
    await this.out.flush();
    this.#source.detach();
    const socket = new TLSSocket(this.#socket, {
      isServer: true,
      secureContext: this.#options.secureContext(),
    });
    socket.on('error', () => {});
    const timer = setTimeout(() => socket.destroy(), HANDSHAKE_MS);
    const isReady = await Promise.race([
      once(socket, 'secure').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false);
    clearTimeout(timer);
    if (!isReady) {
      socket.destroy();
      return false;
    }
    this.#socket = socket;
    this.isSecure = true;
    this.out.setStream(socket);
    this.#source = new ByteSource(socket);
    this.#reader = this.#newReader();
    return true;
  }

  /** RFC 4978. */
  async startCompression(): Promise<void> {
    await this.out.flush();
    this.#source.detach();
    const inflate = createInflateRaw();
    // Higher levels take three times as long and save little more.
    const deflate = createDeflateRaw({ level: 1 });
    for (const stream of [inflate, deflate]) stream.on('error', () => this.destroy());
    const socket = this.#socket;
    socket.once('close', () => {
      inflate.destroy();
      deflate.destroy();
    });
    socket.pipe(inflate);
    deflate.pipe(socket);
    this.out.setStream(deflate, () => deflate.flush(constants.Z_SYNC_FLUSH));
    this.#source = new ByteSource(inflate);
    this.isCompressed = true;
  }

  /** Sends BYE and closes the connection. */
  async bye(message: string): Promise<void> {
    if (this.#isClosing) return;
    this.out.line(`* BYE ${message}`);
    await this.close();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.out.flush();
    // With compression, the last bytes have not reached the socket yet.
    if (this.isCompressed) setTimeout(() => this.#socket.end(), 20);
    else this.#socket.end();
    setTimeout(() => this.destroy(), 2_000).unref();
  }

  destroy(): void {
    this.#isClosing = true;
    this.#socket.destroy();
  }

  get isClosing(): boolean {
    return this.#isClosing || this.#socket.destroyed;
  }

  onClose(listener: () => void): void {
    this.#socket.once('close', listener);
  }

  #newReader(): CommandReader {
    return new CommandReader({ lineBytes: LINE_BYTES, literalBytes: this.#options.literalBytes });
  }
}
