/**
 * One request and the answer to it, on node's own objects. Nothing is made before it is asked for: most requests
 * never look at most of what a request has.
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { badRequest } from '../platform/errors.ts';
import type { Caller } from '../platform/route.ts';

type Body = string | Uint8Array | AsyncIterable<string | Uint8Array>;

export interface Answer {
  status: number;
  body: Body;
}

export class Exchange {
  readonly incoming: IncomingMessage;
  readonly method: string;
  /** As it came: parts that name something are decoded one by one, in `params`. */
  readonly path: string;
  params: Record<string, string> = {};
  requestId = '';
  caller: Caller | undefined;
  hasLargeBody = false;
  /** The session that the caller came by, as the browser keeps it. */
  sessionToken: string | undefined;
  /** The pattern of the route that answers, for log and metrics: never the path itself, which may hold a token. */
  routeName: string | undefined;
  errorForm: 'object' | 'string' | undefined;
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

  requestHeader(name: string): string | undefined {
    return this.incoming.headers[name] as string | undefined;
  }

  /** Throws once the client has closed the connection; nobody reads the answer then. */
  refuseGone(): void {
    if (this.incoming.socket.destroyed) throw badRequest('The client closed the connection.');
  }

  /** Of a name that is there twice, the first. */
  get query(): Record<string, string> {
    const query: Record<string, string> = {};
    if (this.#search === '') return query;
    for (const [name, value] of new URLSearchParams(this.#search)) {
      if (!Object.hasOwn(query, name)) query[name] = value;
    }
    return query;
  }

  /** Goes out with whatever is answered, also with an error. */
  setHeader(name: string, value: string): void {
    this.#headers[name] = value;
  }

  answer(status: number, contentType: string, body: Body): Answer {
    this.#headers['content-type'] = contentType;
    return { status, body };
  }

  /** Resolves when the last byte was handed over, or the other side has gone. */
  async send(outgoing: ServerResponse, { status, body }: Answer): Promise<void> {
    if (typeof body === 'string' || body instanceof Uint8Array) {
      this.#headers['content-length'] = Buffer.byteLength(body);
      outgoing.writeHead(status, this.#headers);
      outgoing.end(this.method === 'HEAD' ? undefined : body);
      return;
    }
    outgoing.writeHead(status, this.#headers);
    if (this.method === 'HEAD') outgoing.end();
    else await this.#stream(body, outgoing);
  }

  /** Ends with the connection. The answer itself does not see that while it waits for the one before it. */
  async #stream(body: AsyncIterable<string | Uint8Array>, outgoing: ServerResponse): Promise<void> {
    const { socket } = this.incoming;
    const gone = new AbortController();
    const abort = () => gone.abort();
    if (socket.closed) abort();
    socket.once('close', abort);
    try {
      await pipeline(Readable.from(body), outgoing, { signal: gone.signal });
    } finally {
      socket.off('close', abort);
    }
  }
}

/** A proxy may ask with the whole address (RFC 9112 section 3.2.2). */
function toOriginForm(target: string): string {
  if (target.startsWith('/') || !URL.canParse(target)) return target;
  const { pathname, search } = new URL(target);
  return pathname + search;
}
