/**
 * One request and its response, on top of node's objects. Values such as the query are computed on use, because most
 * requests need few of them.
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { badRequest } from '../../platform/errors.ts';
import { WRITE_BYTES } from '../../platform/network/write-size.ts';
import type { LinkHost } from '../../features/deliverability/link-hosts/host-directory.ts';
import type { Caller } from '../../features/api/caller.ts';
import type { ErrorForm } from '../../features/api/route.ts';

type Body = string | Uint8Array | AsyncIterable<string | Uint8Array>;
type Chunks = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

export interface Answer {
  status: number;
  body: Body;
}

export class Exchange {
  readonly incoming: IncomingMessage;
  readonly method: string;
  /** The path as received. `params` holds the decoded parameters. */
  readonly path: string;
  params: Record<string, string> = {};
  requestId = '';
  caller: Caller | undefined;
  hasLargeBody = false;
  /** The host of a customer that the request came for. Only what belongs to its team is served there. */
  linkHost: LinkHost | undefined;
  /** The body of a request with an API key, for the request log, unless it is large. */
  sentBody: Buffer | null = null;
  /** The session token from the cookie, if the caller was authenticated by it. */
  sessionToken: string | undefined;
  /** The pattern of the route, for log and metrics. Never the path itself, which may contain a token. */
  routeName: string | undefined;
  errorForm: ErrorForm | undefined;
  readonly #search: string;
  readonly #headers: OutgoingHttpHeaders = {};

  constructor(incoming: IncomingMessage) {
    this.incoming = incoming;
    this.method = incoming.method!;
    const target = toOriginForm(incoming.url!);
    const mark = target.indexOf('?');
    this.path = mark < 0 ? target : target.slice(0, mark);
    this.#search = mark < 0 ? '' : target.slice(mark + 1);
  }

  /** Whether links of this team work under the host of the request. */
  servesTeam(teamId: number): boolean {
    return this.linkHost === undefined || this.linkHost.teamId === teamId;
  }

  requestHeader(name: string): string | undefined {
    return this.incoming.headers[name] as string | undefined;
  }

  /** Throws once the client has closed the connection, because nobody would read the response. */
  throwIfDisconnected(): void {
    if (this.incoming.socket.destroyed) throw badRequest('The client closed the connection.');
  }

  /** If a name occurs twice, the first value counts. */
  get query(): Record<string, string> {
    return this.#readQuery().values;
  }

  /** The names that occur more than once in the query. */
  get repeatedInQuery(): Set<string> {
    return this.#readQuery().repeated;
  }

  #readQuery(): { values: Record<string, string>; repeated: Set<string> } {
    const values: Record<string, string> = {};
    const repeated = new Set<string>();
    if (this.#search === '') return { values, repeated };
    for (const [name, value] of new URLSearchParams(this.#search)) {
      if (value.includes(REPLACEMENT)) refuseBrokenEncoding(this.#search);
      if (Object.hasOwn(values, name)) repeated.add(name);
      else values[name] = value;
    }
    return { values, repeated };
  }

  /** Sets a header of the response, including an error response. */
  setHeader(name: string, value: string | string[]): void {
    this.#headers[name] = value;
  }

  answer(status: number, contentType: string, body: Body): Answer {
    this.#headers['content-type'] = contentType;
    return { status, body };
  }

  answerEmpty(status: number): Answer {
    return { status, body: '' };
  }

  /** Resolves when the last byte was written, or the client has disconnected. */
  async send(outgoing: ServerResponse, { status, body }: Answer): Promise<void> {
    if (typeof body === 'string' || body instanceof Uint8Array) {
      // A 204 must not have the field, and a 304 only with the length of the 200 (RFC 9110 section 8.6).
      if (status !== 204 && status !== 304) this.#headers['content-length'] = Buffer.byteLength(body);
      outgoing.writeHead(status, this.#headers);
      if (this.method === 'HEAD' || body.length <= WRITE_BYTES)
        outgoing.end(this.method === 'HEAD' ? undefined : body);
      else await this.#stream([body], outgoing);
      return;
    }
    outgoing.writeHead(status, this.#headers);
    if (this.method === 'HEAD') outgoing.end();
    else await this.#stream(body, outgoing);
  }

  /**
   * Ends when the connection ends. A response that waits behind another one on the same connection does not notice
   * that.
   */
  async #stream(body: Chunks, outgoing: ServerResponse): Promise<void> {
    const { socket } = this.incoming;
    const gone = new AbortController();
    const abort = () => gone.abort();
    if (socket.closed) abort();
    socket.once('close', abort);
    try {
      await pipeline(Readable.from(inSlices(body)), outgoing, { signal: gone.signal });
    } finally {
      socket.off('close', abort);
    }
  }
}

async function* inSlices(body: Chunks): AsyncGenerator<string | Uint8Array> {
  for await (const chunk of body) {
    if (chunk.length <= WRITE_BYTES) {
      yield chunk;
      continue;
    }
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (let at = 0; at < bytes.length; at += WRITE_BYTES) yield bytes.subarray(at, at + WRITE_BYTES);
  }
}

/** Bytes that are not UTF-8 are read as this character. A client may also have sent the character itself. */
const REPLACEMENT = '\u{fffd}';

function refuseBrokenEncoding(search: string): void {
  try {
    decodeURIComponent(search);
  } catch {
    throw badRequest('The query must be percent-encoded UTF-8.');
  }
}

/** A proxy may send the absolute form of the target (RFC 9112 section 3.2.2). */
function toOriginForm(target: string): string {
  if (target.startsWith('/') || !URL.canParse(target)) return target;
  const { pathname, search } = new URL(target);
  return pathname + search;
}
