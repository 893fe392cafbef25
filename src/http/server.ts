/** Opens the HTTP door on a socket, and closes it so that nobody is cut off in the middle of an answer. */
import { once } from 'node:events';
import { createServer, STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Log } from '../platform/log.ts';
import type { UnexpectedErrors } from '../platform/unexpected-errors.ts';
import type { HttpApp } from './app.ts';

export interface HttpServer {
  port: number;
  /**
   * Takes no new connection, lets running requests finish for so long, then cuts what is left. A connection without a
   * request stays open for a moment: a request that is on its way already gets its answer, with `Connection: close`.
   */
  close(graceMs: number): Promise<void>;
}

export interface HttpServerOptions {
  host: string;
  port: number;
  log: Log;
  errors: UnexpectedErrors;
  /** How long connections without a request stay open while the server closes. */
  idleGraceMs?: number;
  headersTimeoutMs?: number;
}

/** A CSV file of 1 GiB over a slow line takes a while; the headers alone must come quickly. */
const REQUEST_TIMEOUT_MS = 30 * 60_000;
const HEADERS_TIMEOUT_MS = 30_000;
/** Node.js looks for requests that are too slow only so often, by default every 30 s. */
const TIMEOUT_CHECKS = 30;
const KEEP_ALIVE_MS = 65_000;
/** Requests of one connection that wait for their answer. Programs that pipeline send a few ahead, not thousands. */
const MOST_PIPELINED = 64;
const IDLE_GRACE_MS = 2_000;
const SWEEP_MS = 50;

export async function openHttpServer(app: HttpApp, options: HttpServerOptions): Promise<HttpServer> {
  const { log, errors, idleGraceMs = IDLE_GRACE_MS, headersTimeoutMs = HEADERS_TIMEOUT_MS } = options;
  let isClosing = false;
  const unanswered = new Set<ServerResponse>();

  /** An error that the app did not turn into an answer ends the connection: how much was answered is not known. */
  function fail(outgoing: ServerResponse, error: unknown): void {
    errors.report('http', error);
    outgoing.destroy();
  }

  const pipelined = new WeakMap<Socket, number>();

  /** False for a client that is gone, or that sends far more requests than it reads answers. */
  function mayBegin(socket: Socket, outgoing: ServerResponse): boolean {
    const waiting = (pipelined.get(socket) ?? 0) + 1;
    if (socket.destroyed || waiting > MOST_PIPELINED) {
      socket.destroy();
      return false;
    }
    pipelined.set(socket, waiting);
    outgoing.once('close', () => pipelined.set(socket, pipelined.get(socket)! - 1));
    return true;
  }

  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: headersTimeoutMs / TIMEOUT_CHECKS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // The app refuses a request without a Host in words; Node.js would refuse it with an empty answer.
      requireHostHeader: false,
    },
    (incoming, outgoing) => {
      if (!mayBegin(incoming.socket, outgoing)) return;
      if (isClosing) outgoing.shouldKeepAlive = false;
      let answering: void | Promise<void> = undefined;
      try {
        answering = app(incoming, outgoing);
      } catch (error) {
        fail(outgoing, error);
      }
      if (!answering) return;
      unanswered.add(outgoing);
      void answering
        .catch((error: unknown) => fail(outgoing, error))
        .finally(() => unanswered.delete(outgoing));
    },
  );
  // Node.js drops every header after the first 2,000, a second Host among them. Their size is limited anyway.
  server.maxHeadersCount = 0;
  // Each answer that is streamed listens for the end of its connection, and Node.js warns of a leak after ten.
  server.on('connection', (socket) => socket.setMaxListeners(0));
  server.on('clientError', refuseNoHttp);
  server.on('checkExpectation', refuseExpectation);
  server.listen(options.port, options.host);
  await once(server, 'listening');
  // After that the listening socket has an error when there are no file descriptors left for a connection.
  server.on('error', (error) => log.warn({ reason: error.message }, 'http: a connection was not accepted'));
  return {
    port: (server.address() as AddressInfo).port,
    async close(graceMs) {
      const closed = once(server, 'close');
      // Who is told so with the answer sends no further request into a connection that is about to close.
      isClosing = true;
      for (const outgoing of unanswered) outgoing.shouldKeepAlive = false;
      // Only the listening socket: close() of an HTTP server would close idle connections at once.
      NetServer.prototype.close.call(server);
      let sweep: NodeJS.Timeout | undefined;
      const idleTimer = setTimeout(() => {
        server.closeIdleConnections();
        // A connection that was busy becomes idle later and would be kept alive.
        sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
      }, idleGraceMs);
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(idleTimer);
      clearInterval(sweep);
      clearTimeout(timer);
      // Ends its look-out for slow requests.
      server.close();
    },
  };
}

/** RFC 9110 section 10.1.1. Only `100-continue` is known, and Node.js answers it. */
function refuseExpectation(_incoming: IncomingMessage, outgoing: ServerResponse): void {
  const body = describeRefusal('BAD_REQUEST', 'The only expectation that is known is 100-continue.');
  outgoing.writeHead(417, { 'content-type': 'application/json', connection: 'close' }).end(body);
}

function describeRefusal(code: string, message: string): string {
  return JSON.stringify({ error: { code, message } });
}

/** What never became a request that a route could answer is told in the same form as everything else. */
function refuseNoHttp(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, code, message]: [number, string, string] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'TOO_LARGE', 'The headers of the request are too large.']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'BAD_REQUEST', 'The request took too long to arrive.']
        : [400, 'BAD_REQUEST', 'This is not a request that an HTTP/1.1 server can read.'];
  const body = describeRefusal(code, message);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json`;
  socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
}
