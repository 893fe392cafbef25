/**
 * Reading a request's body. Everything that makes a body unusable, whatever the route, is told here in words:
 * too long, not UTF-8, not JSON, or JSON that holds text which no database can keep.
 */
import type { Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AppError, badRequest } from '../platform/errors.ts';
import { isStorable } from '../platform/schema.ts';

/** How much of an over-long body is read and dropped, so that the sender gets to read the answer. */
const DRAIN_BYTES = 64 * 1024 * 1024;

export interface BodyLimits {
  limitBytes: number;
  tooLargeAs?: 'TOO_LARGE' | 'BAD_REQUEST' | undefined;
  /** Gets the bytes as they arrive: those of a large body at once would hold up everybody else. */
  hash?: Hash | null;
}

/** Reads by events: this is on every write's way, and an async iterator costs several turns of the loop. */
export function readChunks(
  incoming: IncomingMessage,
  { limitBytes, tooLargeAs = 'TOO_LARGE', hash }: BodyLimits,
): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let length = 0;
    incoming.on('data', (chunk: Buffer) => {
      length += chunk.length;
      hash?.update(chunk);
      if (length <= limitBytes) chunks.push(chunk);
      else chunks = [];
      if (length > limitBytes + DRAIN_BYTES) reject(tooLarge(limitBytes, tooLargeAs));
    });
    incoming.on('end', () => {
      if (length > limitBytes) reject(tooLarge(limitBytes, tooLargeAs));
      else resolve(chunks);
    });
    // Also after 'end', where it changes nothing: the promise is settled by then.
    incoming.on('close', () => reject(endedEarly()));
  });
}

/** The same limit on a body that is never held in memory as a whole. */
export async function* limitStream(incoming: IncomingMessage, limitBytes: number): AsyncGenerator<Buffer> {
  let length = 0;
  // Leaving the loop early must not end the connection: the sender is still to read the answer.
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
  return new AppError(code, `The request body is too large; at most ${limitBytes} bytes are taken here.`);
}

/** Refuses a body of another type than these, or in another charset than UTF-8. No type at all is taken. */
export function refuseOtherType(
  header: string | undefined,
  types: (string | RegExp)[],
  message: string,
): void {
  if (!header) return;
  const [type = '', ...parameters] = header
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const isTaken = types.some((taken) => (typeof taken === 'string' ? taken === type : taken.test(type)));
  if (!isTaken || (charset && !/^"?(utf-?8|us-ascii)"?$/.test(charset))) throw badRequest(message);
}

export function refuseOtherThanJson(header: string | undefined): void {
  refuseOtherType(
    header,
    ['application/json', /^application\/[a-z0-9.-]+\+json$/],
    'The request body must be JSON in UTF-8: send it with Content-Type: application/json.',
  );
}

/** `item` is its number where it is one of a list. */
export function parseJson(text: string, item?: number): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (error) {
    // The parser's own words quote the body; only the place is told.
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    const place = position
      ? ` (at character ${position}${item === undefined ? '' : ` of item ${item}`})`
      : '';
    throw badRequest(`The request body is not valid JSON${place}.`);
  }
  // Raw bytes cannot hold these, so only a body that writes them as escapes needs the walk.
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
  const message = 'must not hold NUL characters or half surrogate pairs';
  const place = path === '' ? 'The request body' : path.slice(1).replaceAll('/', '.');
  return badRequest(`${place} ${message}.`, [{ path, message }]);
}
