/**
 * CHUNKING (RFC 3030): BDAT sends a message in chunks of a declared size, without dot stuffing. smtp-server knows only
 * DATA, so its connection gets the command here. The chunks of a message are one stream for the handler of the port,
 * with the same limits and memory budget as DATA.
 * - The bytes of a chunk are always read, also those of a rejected one. The reply follows the last of them.
 * - The first rejected chunk ends the message. Later BDAT commands get 503 until the next MAIL.
 * - DATA and RCPT after BDAT get 503. RSET, EHLO, STARTTLS and a lost connection abandon the message.
 */
import { PassThrough } from 'node:stream';
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import { reply, type Reply } from './error-reply.ts';
import { writeTo } from './unstuff-data.ts';

/** The members of smtp-server's parser that are used here. */
interface Parser {
  _dataMode: boolean;
  _feedDataStream(bytes: Buffer, done: () => void): void;
  _write(bytes: Buffer, encoding: 'buffer', done: () => void): void;
}

/** The members of smtp-server's connection that are used here. */
interface Connection {
  session: SMTPServerSession;
  _server: {
    options: { size?: number };
    onData(stream: SMTPServerDataStream, session: SMTPServerSession, callback: OnDecided): void;
  };
  _parser: Parser | false;
  /** While it is set outside of data mode, smtp-server does not count the client as idle. */
  _dataStream: PassThrough | false | null;
  _transactionCounter: number;
  _unrecognizedCommands: number;
  send(code: number | string, text: string, context?: string): void;
  close(): void;
  _resetSession(): void;
  _onClose(): void;
  _whenWritable(next: () => void): void;
  handler_BDAT: Handler;
  handler_DATA: Handler;
  handler_RCPT: Handler;
}

type Handler = (this: Connection, command: Buffer, callback: () => void) => void;
type OnDecided = (error: Reply | null, text?: string) => void;

interface Message {
  stream: PassThrough & { byteLength: number; sizeExceeded: boolean };
  decision: { error: Reply | null; text?: string | undefined } | null;
  /** Called with the decision if the client waits for it. */
  onDecided: (() => void) | null;
}

interface Chunk {
  size: number;
  isLast: boolean;
  /** Null if the chunk is read without being used. */
  message: Message | null;
}

const BDAT = /^BDAT +(\d{1,15})(?: +(LAST))? *$/i;
const messages = new WeakMap<Connection, Message>();

function handleBdat(this: Connection, command: Buffer, callback: () => void): void {
  const [, digits, last] = BDAT.exec(command.toString()) ?? [];
  if (digits === undefined || !this._parser) {
    // Nobody knows how many bytes of a message follow, and they must not be read as commands.
    this.send(501, 'Syntax: BDAT size [LAST]');
    this.close();
    return callback();
  }
  const size = Number(digits);
  const isAllowed = this.session.envelope.rcptTo.length > 0;
  const message = isAllowed ? (messages.get(this) ?? beginMessage(this)) : null;
  if (message) limitSize(this, message, size);
  const chunk = { size, isLast: last !== undefined, message };
  if (size === 0) return endChunk(this, chunk, callback);
  readChunk(this, this._parser, chunk);
  callback();
}

function beginMessage(connection: Connection): Message {
  const stream = Object.assign(new PassThrough(), { byteLength: 0, sizeExceeded: false });
  const message: Message = { stream, decision: null, onDecided: null };
  // Without a listener, the error of an abandoned message would end the process.
  stream.on('error', () => {});
  messages.set(connection, message);
  connection._server.onData(stream, connection.session, (error, text) => {
    message.decision = { error, text };
    if (message.onDecided) message.onDecided();
    // The handler closes the connection, and does not wait for the rest of the chunk.
    else if (error?.responseCode === 421 && messages.get(connection) === message)
      endMessage(connection, message);
  });
  return message;
}

function limitSize({ _server: { options } }: Connection, { stream }: Message, size: number): void {
  stream.byteLength += size;
  if (!options.size || stream.byteLength <= options.size) return;
  stream.sizeExceeded = true;
  stream.destroy(reply('552 5.3.4', `The message is too large. The limit is ${options.size} bytes.`));
}

function readChunk(connection: Connection, parser: Parser, chunk: Chunk): void {
  let left = chunk.size;
  parser._dataMode = true;
  parser._feedDataStream = (bytes, done) => {
    const part = bytes.subarray(0, left);
    left -= part.length;
    const written = () => {
      if (left > 0) return done();
      parser._dataMode = false;
      // The method of the prototype reads the data of DATA.
      delete (parser as Partial<Parser>)._feedDataStream;
      const rest = bytes.subarray(part.length);
      // One event loop turn for each chunk, because a client can pipeline thousands of small ones.
      const proceed = () => connection._whenWritable(() => parser._write(rest, 'buffer', done));
      endChunk(connection, chunk, () => setImmediate(proceed));
    };
    if (chunk.message) writeTo(chunk.message.stream, part, written);
    else written();
  };
}

/** Sends the reply to a chunk that was read, then calls `proceed`. */
function endChunk(connection: Connection, { size, isLast, message }: Chunk, proceed: () => void): void {
  if (!message || messages.get(connection) !== message) {
    connection.send(503, 'Send MAIL and RCPT before BDAT');
    return proceed();
  }
  const isOver = isLast || message.stream.destroyed || message.decision !== null;
  if (!isOver) {
    connection.send(250, `${size} bytes received`);
    return proceed();
  }
  const finish = () => {
    endMessage(connection, message);
    proceed();
  };
  connection._dataStream = message.stream;
  message.stream.end();
  if (message.decision) finish();
  else message.onDecided = finish;
}

function endMessage(connection: Connection, { stream, decision }: Message): void {
  const { error, text } = decision!;
  messages.delete(connection);
  connection._dataStream = false;
  if (!stream.readableEnded) stream.destroy();
  if (error) connection.send(error.responseCode || 450, error.message);
  else connection.send(250, text ?? 'OK: message queued', 'DATA_OK');
  connection._transactionCounter += 1;
  connection._unrecognizedCommands = 0;
  connection._resetSession();
}

function abandonMessage(connection: Connection): void {
  const message = messages.get(connection);
  if (!message) return;
  messages.delete(connection);
  if (!message.stream.writableEnded) message.stream.destroy(new Error('The message was abandoned.'));
}

/** Rejects a command that must not follow BDAT. */
function notAfterBdat(handler: Handler): Handler {
  return function handle(command, callback) {
    if (!messages.has(this)) return handler.call(this, command, callback);
    this.send(503, 'The message has begun with BDAT');
    callback();
  };
}

const connectionPrototype = SMTPConnection.prototype as unknown as Connection;
const {
  _resetSession: resetSession,
  _onClose: onClose,
  handler_DATA: handleData,
  handler_RCPT: handleRcpt,
} = connectionPrototype;

function resetWithChunks(this: Connection): void {
  abandonMessage(this);
  resetSession.call(this);
}

function closeWithChunks(this: Connection): void {
  abandonMessage(this);
  onClose.call(this);
}

/** Adds the command to smtp-server's connection, for all connections. */
export function addChunking(): void {
  connectionPrototype.handler_BDAT = handleBdat;
  connectionPrototype.handler_DATA = notAfterBdat(handleData);
  connectionPrototype.handler_RCPT = notAfterBdat(handleRcpt);
  connectionPrototype._resetSession = resetWithChunks;
  connectionPrototype._onClose = closeWithChunks;
}
