/**
 * Removes dot stuffing (RFC 5321 section 4.5.2) in one pass over each chunk. smtp-server uses an event loop turn and a
 * separate chunk for every line that begins with a dot, so a message of only such lines would keep the process busy for
 * half a minute. Here a received chunk stays one chunk.
 */
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import type { PassThrough } from 'node:stream';

/** The members of smtp-server's parser that are used here. */
interface Parser {
  _dataStream: PassThrough;
  /** The last bytes of the previous chunk, which may begin the end marker. */
  _lastBytes: Buffer | false;
  /** True until the first byte of the message is read. */
  _atDataStart: boolean;
  _countDataBytes(bytes: number): void;
  _endDataMode(last: Buffer | false, rest: Buffer, done: () => void): void;
  _feedDataStream(chunk: Buffer, done: () => void): void;
}

const DOT = 0x2e;
const LF = 0x0a;
const END_AT_START = Buffer.from('.\r\n');
const END = Buffer.from('\r\n.\r\n');
/** The bytes of END before and after its dot. */
const BEFORE = 2;
const BEHIND = 2;
const KEPT_BYTES = 4;

function feedDataStream(this: Parser, arrived: Buffer, done: () => void): void {
  let chunk = this._lastBytes ? Buffer.concat([this._lastBytes, arrived]) : arrived;
  this._lastBytes = false;
  if (this._atDataStart && startsWith(chunk, END_AT_START, 0))
    return this._endDataMode(false, chunk.subarray(END_AT_START.length), done);
  if (this._atDataStart && chunk[0] === DOT && chunk[1] === DOT) {
    chunk = chunk.subarray(1);
    this._atDataStart = false;
  }

  const text = Buffer.allocUnsafe(chunk.length);
  let written = 0;
  let copied = 0;
  const copyTo = (end: number): void => {
    written += chunk.copy(text, written, copied, end);
    copied = end;
  };
  for (let at = BEFORE; at < chunk.length - BEHIND; at += 1) {
    if (chunk[at] !== DOT || chunk[at - 1] !== LF) continue;
    if (startsWith(chunk, END, at - BEFORE)) {
      copyTo(at);
      this._countDataBytes(written);
      return this._endDataMode(text.subarray(0, written), chunk.subarray(at + 1 + BEHIND), done);
    }
    if (chunk[at + 1] !== DOT) continue;
    copyTo(at);
    copied += 1;
    // Skip the dot that stays, which is the first byte of its line.
    at += BEFORE;
  }
  copyTo(Math.max(copied, chunk.length - KEPT_BYTES));
  this._lastBytes = Buffer.from(chunk.subarray(copied));
  this._countDataBytes(written);
  writeTo(this._dataStream, text.subarray(0, written), done);
}

/** Waits if the buffer is full. A stream that was closed never drains. */
export function writeTo(stream: PassThrough, text: Buffer, done: () => void): void {
  if (text.length === 0 || !stream.writable || stream.write(text) || stream.destroyed) return done();
  const proceed = (): void => {
    stream.off('drain', proceed).off('close', proceed);
    done();
  };
  stream.on('drain', proceed).on('close', proceed);
}

function startsWith(chunk: Buffer, wanted: Buffer, at: number): boolean {
  return (
    chunk.length >= at + wanted.length &&
    chunk.compare(wanted, 0, wanted.length, at, at + wanted.length) === 0
  );
}

/** Replaces the method of smtp-server's parser for all connections. */
export function replaceDataReader(): void {
  (SMTPStream.prototype as unknown as Parser)._feedDataStream = feedDataStream;
}
