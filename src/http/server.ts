/** The HTTP server. Closing it lets running requests finish. */
import { once } from 'node:events';
import {
  createServer,
  type Server,
  STATUS_CODES,
  type RequestListener,
  type ServerOptions,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContext } from 'node:tls';
import { callbackify } from 'node:util';
import type { Certificate } from '../platform/certificates/certificate.ts';
import type { Log } from '../platform/log.ts';
import { listenOn, type ListenAddress } from '../platform/network/listen.ts';
import type { UnexpectedErrors } from '../platform/telemetry/unexpected-errors.ts';
import type { HttpApp } from './app.ts';

export interface HttpServer {
  port: number;
  /**
   * Accepts no new connections and lets running requests finish for `graceMs`, then closes the rest. Idle connections
   * stay open for a moment, so that a request that is already in transit gets a response, with `Connection: close`.
   */
  close(graceMs: number): Promise<void>;
}

/** Returns null for a host without a certificate of its own. */
interface HostCertificates {
  find(host: string): Promise<SecureContext | null>;
}

export interface HttpServerOptions extends ListenAddress {
  log: Log;
  errors: UnexpectedErrors;
  /** How long idle connections stay open while the server closes. */
  idleGraceMs?: number;
  /** Set for HTTPS. Returns the current certificate: the same object until it is renewed. */
  certificate?: () => Certificate;
  /** The certificates of further hosts, which clients choose by SNI. */
  hostCertificates?: HostCertificates;
  headersTimeoutMs?: number;
  stalledMs?: number;
}

/** Allows a CSV file of 1 GiB over a slow connection. The headers alone must arrive much sooner. */
const REQUEST_TIMEOUT_MS = 30 * 60_000;
const HEADERS_TIMEOUT_MS = 30_000;
/** How often within its timeout a request is checked. Node.js checks only every 30 seconds by default. */
const TIMEOUT_CHECKS = 30;
const KEEP_ALIVE_MS = 65_000;
/**
 * A client that reads nothing of a response, or sends nothing of its request, for this long, or at most for twice as long,
 * is disconnected.
 */
const STALLED_MS = 120_000;
/** The most unanswered requests of one connection. Clients that pipeline send a few ahead, not thousands. */
const MOST_PIPELINED = 64;
const IDLE_GRACE_MS = 2_000;
const SWEEP_MS = 50;

export async function openHttpServer(app: HttpApp, options: HttpServerOptions): Promise<HttpServer> {
  const { log, errors, idleGraceMs = IDLE_GRACE_MS, headersTimeoutMs = HEADERS_TIMEOUT_MS } = options;
  let isClosing = false;
  const unanswered = new Set<ServerResponse>();
  const pipelines = createPipelines();

  /** Closes the connection after an error that the app did not handle, because part of the response may be sent. */
  function fail(outgoing: ServerResponse, error: unknown): void {
    errors.report('http', error);
    outgoing.destroy();
  }

  const server = createServerWith(
    options,
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: headersTimeoutMs / TIMEOUT_CHECKS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // The app rejects a request without Host with an error body; Node.js would send an empty response.
      requireHostHeader: false,
    },
    (incoming, outgoing) => {
      if (!pipelines.mayBegin(incoming, outgoing)) return;
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
  // Node.js restarts the timer when bytes arrive, and while the client reads.
  server.timeout = options.stalledMs ?? STALLED_MS;
  server.on('timeout', (socket: Socket) => {
    if (!pipelines.isWorking(socket)) socket.destroy();
  });
  // By default Node.js drops headers after the first 2,000, and could hide a second Host. Their size is limited anyway.
  server.maxHeadersCount = 0;
  // Each streamed response adds a listener to its socket, and Node.js warns of a leak after ten.
  server.on(options.certificate ? 'secureConnection' : 'connection', (socket: Socket) =>
    socket.setMaxListeners(0),
  );
  server.on('clientError', refuseInvalidHttp);
  server.on('checkExpectation', refuseExpectation);
  await listenOn('http', server, options);
  // From here on, an error means that there was no file descriptor for a connection.
  server.on('error', (error) => log.warn({ reason: error.message }, 'http: a connection was not accepted'));
  return {
    port: (server.address() as AddressInfo).port,
    async close(graceMs) {
      // `Connection: close` tells clients to send no further requests on this connection.
      isClosing = true;
      for (const outgoing of unanswered) outgoing.shouldKeepAlive = false;
      await closeWithin(server, { idleGraceMs, graceMs });
    },
  };
}

async function closeWithin(
  server: Server,
  { idleGraceMs, graceMs }: { idleGraceMs: number; graceMs: number },
): Promise<void> {
  const closed = once(server, 'close');
  // Close only the listening socket, because close() of an HTTP server would also close idle connections immediately.
  NetServer.prototype.close.call(server);
  let sweep: NodeJS.Timeout | undefined;
  const idleTimer = setTimeout(() => {
    server.closeIdleConnections();
    // A busy connection becomes idle later and would otherwise be kept alive.
    sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  }, idleGraceMs);
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(idleTimer);
  clearInterval(sweep);
  clearTimeout(timer);
  // This also stops the timer that checks for slow requests.
  server.close();
}

/** The requests of each connection that are not answered yet. */
function createPipelines() {
  const pipelines = new WeakMap<Socket, Set<IncomingMessage>>();
  return {
    /** False for a client that has disconnected, or that sends many more requests than it reads responses. */
    mayBegin(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
      const { socket } = incoming;
      const waiting = pipelines.get(socket) ?? new Set();
      if (socket.destroyed || waiting.size >= MOST_PIPELINED) {
        socket.destroy();
        return false;
      }
      pipelines.set(socket, waiting.add(incoming));
      outgoing.once('close', () => waiting.delete(incoming));
      return true;
    },
    /** Whether a silent connection waits for us. Otherwise it is idle, or we wait for the client. */
    isWorking(socket: Socket): boolean {
      const waiting = [...(pipelines.get(socket) ?? [])];
      const hasSentAll = waiting.every((incoming) => incoming.complete || incoming.readableLength > 0);
      return waiting.length > 0 && hasSentAll && socket.writableLength === 0;
    },
  };
}

/** Creates a server for HTTP, or for HTTPS with a certificate that may be renewed while it runs. */
function createServerWith(
  { certificate, hostCertificates }: Pick<HttpServerOptions, 'certificate' | 'hostCertificates'>,
  options: ServerOptions,
  listener: RequestListener,
) {
  if (!certificate) return createServer(options, listener);
  let current = certificate();
  const server = createTlsServer(
    {
      ...options,
      ...current,
      minVersion: 'TLSv1.2',
      // Without a context of its own, a name gets the certificate of the server.
      SNICallback: hostCertificates && chooseBy(hostCertificates),
    },
    listener,
  );
  server.on('connection', () => {
    const latest = certificate();
    if (latest === current) return;
    server.setSecureContext({ ...latest, minVersion: 'TLSv1.2' });
    current = latest;
  });
  return server;
}

function chooseBy(hostCertificates: HostCertificates) {
  return callbackify(async (name: string) => (await hostCertificates.find(name.toLowerCase())) ?? undefined);
}

/** RFC 9110 section 10.1.1. The only supported expectation is `100-continue`, which Node.js handles. */
function refuseExpectation(_incoming: IncomingMessage, outgoing: ServerResponse): void {
  const body = describeRefusal('BAD_REQUEST', 'The only supported Expect value is 100-continue.');
  outgoing.writeHead(417, { 'content-type': 'application/json', connection: 'close' }).end(body);
}

function describeRefusal(code: string, message: string): string {
  return JSON.stringify({ error: { code, message } });
}

/** Responds to bytes that are not a valid HTTP request with an error in the format of the API. */
function refuseInvalidHttp(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, code, message]: [number, string, string] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'TOO_LARGE', 'The request headers are too large.']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'BAD_REQUEST', 'The request took too long to arrive.']
        : [400, 'BAD_REQUEST', 'This is not a valid HTTP/1.1 request.'];
  const body = describeRefusal(code, message);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json`;
  socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
}
