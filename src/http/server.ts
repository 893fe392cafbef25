/** Opens the HTTP door on a socket, and closes it so that nobody is cut off in the middle of an answer. */
import { once } from 'node:events';
import { createServer, STATUS_CODES, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { HttpApp } from './app.ts';

export interface HttpServer {
  port: number;
  /** Takes no new connection, lets running requests finish for so long, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

/** A CSV file of 1 GiB over a slow line takes a while; the headers alone must come quickly. */
const REQUEST_TIMEOUT_MS = 30 * 60_000;
const HEADERS_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 65_000;

export async function openHttpServer(app: HttpApp, host: string, port: number): Promise<HttpServer> {
  let isClosing = false;
  const unanswered = new Set<ServerResponse>();
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    (incoming, outgoing) => {
      if (isClosing) outgoing.shouldKeepAlive = false;
      const answering = app(incoming, outgoing);
      if (!answering) return;
      unanswered.add(outgoing);
      void answering.then(() => unanswered.delete(outgoing));
    },
  );
  server.on('clientError', refuseNoHttp);
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close(graceMs) {
      const closed = once(server, 'close');
      // Who is told so with the answer sends no further request into a connection that is about to close.
      isClosing = true;
      for (const outgoing of unanswered) outgoing.shouldKeepAlive = false;
      server.close();
      server.closeIdleConnections();
      // A connection that was busy becomes idle later and would be kept alive.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearInterval(sweep);
      clearTimeout(timer);
    },
  };
}

/** What never became a request that a route could answer is told in the same form as everything else. */
function refuseNoHttp(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, code, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'TOO_LARGE', 'The headers of the request are too large.']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'BAD_REQUEST', 'The request took too long to arrive.']
        : [400, 'BAD_REQUEST', 'This is not a request that an HTTP/1.1 server can read.'];
  const body = JSON.stringify({ error: { code, message } });
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json`;
  socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
}
