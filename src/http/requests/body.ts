/**
 * Reads and parses request bodies. It rejects bodies that are too long, have another content type, are not JSON, or
 * contain text that PostgreSQL cannot store.
 */
import type { Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AppError, badRequest } from '../../platform/errors.ts';
import { outOfMemoryBudget } from '../../platform/memory/memory-budget.ts';
import type { MemoryShare, Reservation } from '../../platform/memory/memory-share.ts';
import { isStorable } from '../../platform/schema.ts';
import type { Exchange } from './exchange.ts';

/** How much of an oversized body is read and discarded, so that the client can read the error. */
const DRAIN_BYTES = 64 * 1024 * 1024;
/** The same for a body for which there was no memory. */
const DRAIN_MS = 10_000;

export interface BodyLimits {
  limitBytes: number;
  tooLargeAs?: 'TOO_LARGE' | 'BAD_REQUEST' | undefined;
  /** Updated as the bytes arrive, because hashing a large body in one step would block the event loop. */
  hash?: Hash | null;
}

/** The bytes of a body, and the memory that they have reserved. */
export interface ReceivedBody {
  chunks: Buffer[];
  /** Reserves more memory, for what is made from the body. Returns false if there is none. */
  grow(bytes: number): boolean;
  release(): void;
}

/** Smaller bodies need no reservation, so that they never wait for large ones. */
const FREE_BYTES = 64 * 1024;

/**
 * Reads the body, and reserves memory for all of it as soon as more than FREE_BYTES have arrived. A body without
 * Content-Length reserves memory while it arrives. The caller must release the memory when the bytes and everything
 * made from them are no longer in use. Clients that wait for memory take turns, by `client`.
 */
async function receiveBody(
  incoming: IncomingMessage,
  limits: BodyLimits,
  { share, client }: { share: MemoryShare; client: string },
): Promise<ReceivedBody> {
  const isChunked = incoming.headers['transfer-encoding'] !== undefined;
  const declared = isChunked ? 0 : Number(incoming.headers['content-length'] ?? 0);
  // A small body needs no memory, and an oversized one is not kept.
  if (!isChunked && (declared <= FREE_BYTES || declared > limits.limitBytes))
    return { chunks: await readChunks(incoming, limits), ...keep(share, null) };
  const memory: { reservation: Reservation | null; bytes: number } = { reservation: null, bytes: FREE_BYTES };
  let hasFailed = false;

  async function reserve(bytes: number, onDrop: () => void): Promise<boolean> {
    memory.bytes = bytes;
    memory.reservation = await share.reserve(client, bytes, onDrop);
    // The client may have disconnected while the body waited for memory.
    if (hasFailed) memory.reservation?.release();
    return memory.reservation !== null;
  }

  try {
    const chunks = await readChunks(incoming, limits, (added, length, onDrop) => {
      memory.reservation?.receive(added);
      if (length <= memory.bytes) return true;
      if (!memory.reservation) return reserve(Math.max(declared, length), onDrop);
      const more = Math.max(length - memory.bytes, FREE_BYTES);
      memory.bytes += more;
      return memory.reservation.grow(more);
    });
    memory.reservation?.arrived();
    return { chunks, ...keep(share, memory.reservation) };
  } catch (error) {
    hasFailed = true;
    memory.reservation?.release();
    throw error;
  }
}

function keep(share: MemoryShare, reserved: Reservation | null): Omit<ReceivedBody, 'chunks'> {
  let reservation = reserved;
  return {
    grow(bytes) {
      if (reservation) return reservation.grow(bytes);
      reservation = share.reserveNow(bytes);
      return reservation !== null;
    },
    release: () => reservation?.release(),
  };
}

/** Closes the connection after the response if the body was not read to its end, because nothing reads the rest. */
export async function receiveOrClose(
  exchange: Exchange,
  limits: BodyLimits,
  from: { share: MemoryShare; client: string },
): Promise<ReceivedBody> {
  return receiveBody(exchange.incoming, limits, from).catch((error: unknown) => {
    if (!exchange.incoming.complete) exchange.setHeader('connection', 'close');
    throw error;
  });
}

/**
 * Decides for each chunk whether the body may be kept. The body waits while a promise is pending. `onDrop` rejects the
 * body immediately.
 */
type MayKeep = (added: number, length: number, onDrop: () => void) => boolean | Promise<boolean>;

/**
 * Uses events, because every write request uses this, and an async iterator costs several event loop turns. The rest of
 * a rejected body is read for a while, so that the client can read the error.
 */
export function readChunks(
  incoming: IncomingMessage,
  { limitBytes, tooLargeAs = 'TOO_LARGE', hash }: BodyLimits,
  mayKeep?: MayKeep,
): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let length = 0;
    let isRefused = false;
    let drainTimer: NodeJS.Timeout | undefined;
    const refuse = (): void => {
      isRefused = true;
      chunks = [];
      drainTimer ??= setTimeout(drop, DRAIN_MS);
    };
    const drop = (): void => {
      refuse();
      reject(length > limitBytes ? tooLarge(limitBytes, tooLargeAs) : outOfMemoryBudget());
    };
    const waitFor = async (answer: Promise<boolean>): Promise<void> => {
      incoming.pause();
      if (!(await answer)) refuse();
      incoming.resume();
    };
    incoming.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limitBytes) chunks = [];
      else if (mayKeep && !isRefused) {
        const answer = mayKeep(chunk.length, length, drop);
        if (answer === false) refuse();
        else if (answer !== true) void waitFor(answer);
      }
      if (!isRefused) hash?.update(chunk);
      if (length <= limitBytes && !isRefused) chunks.push(chunk);
      if (length > limitBytes + DRAIN_BYTES) reject(tooLarge(limitBytes, tooLargeAs));
    });
    incoming.on('end', () => {
      if (length > limitBytes) reject(tooLarge(limitBytes, tooLargeAs));
      else if (isRefused) reject(outOfMemoryBudget());
      else resolve(chunks);
    });
    // 'close' also follows 'end', when the promise is already settled.
    incoming.on('close', () => {
      clearTimeout(drainTimer);
      reject(endedEarly());
    });
    if (incoming.closed) reject(endedEarly());
  });
}

/** Applies the same limit to a streamed body. */
export async function* limitStream(incoming: IncomingMessage, limitBytes: number): AsyncGenerator<Buffer> {
  let length = 0;
  // Leaving the loop early must not close the connection, because the client still has to read the response.
  const chunks = incoming.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  for (;;) {
    const { value: chunk, done } = await chunks.next().catch(() => {
      throw endedEarly();
    });
    if (done) break;
    length += chunk.length;
    if (length > limitBytes) throw tooLarge(limitBytes, 'TOO_LARGE');
    yield chunk;
  }
  if (!incoming.complete) throw endedEarly();
}

function endedEarly(): AppError {
  return badRequest('The request body ended too early.');
}

function tooLarge(limitBytes: number, code: 'TOO_LARGE' | 'BAD_REQUEST'): AppError {
  return new AppError(code, `The request body is too large. The limit is ${limitBytes} bytes.`);
}

/** Rejects other content types and charsets other than UTF-8. A missing content type is accepted. */
export function refuseOtherType(
  header: string | undefined,
  types: readonly (string | RegExp)[],
  message: string,
): void {
  if (!header) return;
  const [type = '', ...parameters] = splitType(header);
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const isTaken = types.some((taken) => (typeof taken === 'string' ? taken === type : taken.test(type)));
  if (!isTaken || (charset && !/^"?(utf-?8|us-ascii)"?$/.test(charset))) throw badRequest(message);
}

/** The media type of a Content-Type header, and then its parameters, in lower case. */
function splitType(header: string): string[] {
  return header
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
}

export function isOfType(header: string | undefined, types: readonly string[]): boolean {
  return header !== undefined && types.includes(splitType(header)[0]!);
}

const JSON_TYPES = ['application/json', /^application\/[a-z0-9.-]+\+json$/];

export function refuseOtherThanJson(header: string | undefined): void {
  refuseOtherType(
    header,
    JSON_TYPES,
    'The request body must be JSON in UTF-8. Send it with Content-Type: application/json.',
  );
}

/** For a route that takes forms. Most of them also accept JSON, but no client sends it. */
export function refuseOtherThanForm(header: string | undefined): void {
  refuseOtherType(
    header,
    JSON_TYPES,
    'The request body must be a form in UTF-8. Send it as multipart/form-data or application/x-www-form-urlencoded.',
  );
}

/** `item` is the index if the text is one item of a list. */
export function parseJson(text: string, item?: number): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (error) {
    // The parser's message quotes the body, so only the position is reported.
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    const place = position
      ? ` (at character ${position}${item === undefined ? '' : ` of item ${item}`})`
      : '';
    throw badRequest(`The request body is not valid JSON${place}.`, undefined, 'invalid-json');
  }
  // These characters can only come from escapes, because the bytes are valid UTF-8 and raw NUL is invalid JSON.
  if (/\\u(?:0000|d[89a-f])/i.test(text)) refuseUnstorableText(value, item === undefined ? '' : `/${item}`);
  return value;
}

function refuseUnstorableText(root: unknown, rootPath: string): void {
  const waiting: { value: unknown; path: string }[] = [{ value: root, path: rootPath }];
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    const { value, path } = entry;
    if (typeof value === 'string' && !isStorable(value)) throw unstorable(path);
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (!isStorable(key)) throw unstorable(path);
      waiting.push({ value: inner, path: `${path}/${key}` });
    }
  }
}

function unstorable(path: string): AppError {
  const message = 'must not contain NUL characters or unpaired surrogates';
  const place = path === '' ? 'The request body' : path.slice(1).replaceAll('/', '.');
  return badRequest(`${place} ${message}.`, [{ path, message }]);
}
