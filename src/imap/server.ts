/** Opens an IMAP port, with STARTTLS or with TLS from the first byte. Closing it lets running commands finish. */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Certificate } from '../platform/certificates/certificate.ts';
import { listenOn, type ListenAddress } from '../platform/network/listen.ts';
import type { Reservation } from '../platform/memory/memory-share.ts';
import { Connection } from './connection.ts';
import { serveClient } from './serve-client.ts';
import type { ImapTools } from './session/session.ts';

export interface ImapServer {
  port: number;
  close(graceMs: number): Promise<void>;
}

export interface ImapEndpoint extends ListenAddress {
  isTls: boolean;
  /** Returns the current certificate: the same object until it is renewed. */
  certificate(): Certificate;
}

/** The limit for all literals of a command together, except for APPEND. */
const LITERAL_BYTES = 16 * 1024;
/** Literals of a command that are smaller in total need no reservation of memory. */
const FREE_BYTES = 64 * 1024;
const SWEEP_MS = 50;
const APPEND = /^[^\s]+ append /i;

export async function openImapServer(endpoint: ImapEndpoint, tools: ImapTools): Promise<ImapServer> {
  const connections = new Set<Connection>();
  const secureContext = contextOf(endpoint.certificate);
  let isClosing = false;

  async function accept(socket: Socket): Promise<void> {
    const ip = socket.remoteAddress ?? '';
    const uncount = isClosing ? null : tools.limits.connect(ip);
    if (!uncount) {
      socket.on('error', () => {});
      socket.end('* BYE Too many connections\r\n');
      return;
    }
    const connection = createConnection(socket, tools, secureContext);
    connections.add(connection);
    tools.metrics.connected(1);
    try {
      if (endpoint.isTls && !(await connection.startTls())) return;
      await serveClient(connection, tools);
    } catch (error) {
      tools.errors.report('imap', error);
    } finally {
      uncount();
      connections.delete(connection);
      tools.metrics.connected(-1);
      if (!connection.isClosing) connection.destroy();
    }
  }

  const server = createServer((socket) => void accept(socket));
  await listenOn('imap', server, endpoint);
  // From here on, an error means that there was no file descriptor for a connection.
  server.on('error', (error) =>
    tools.log.warn({ reason: error.message }, 'imap: a connection was not accepted'),
  );

  /** Disconnects idle clients. The others finish their command first. */
  function disconnectIdle(): void {
    for (const connection of connections)
      if (connection.isWaiting) void connection.bye('The server is shutting down');
  }

  return {
    port: (server.address() as AddressInfo).port,
    async close(graceMs) {
      isClosing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const endsAt = performance.now() + graceMs;
      disconnectIdle();
      const sweep = setInterval(() => {
        disconnectIdle();
        if (performance.now() > endsAt) for (const connection of connections) connection.destroy();
      }, SWEEP_MS);
      await closed;
      clearInterval(sweep);
    },
  };
}

function createConnection(socket: Socket, tools: ImapTools, secureContext: () => SecureContext): Connection {
  /** The reservations for the literals of the command, in the order in which they arrive. */
  const reservations: Reservation[] = [];
  const release = () => {
    for (const reserved of reservations.splice(0)) reserved.release();
  };
  let freeBytes = FREE_BYTES;
  const connection: Connection = new Connection(socket, {
    secureContext,
    literalBytes: (text, earlierBytes) =>
      connection.isAuthenticated && APPEND.test(text)
        ? tools.facts.mailLimits.inboundMessageBytes
        : LITERAL_BYTES - earlierBytes,
    async reserve(bytes) {
      // The reservations of the last command are released when the next one begins.
      if (bytes <= freeBytes) {
        freeBytes -= bytes;
        return true;
      }
      const reserved = await tools.memory.authenticated.reserve(connection.ip, bytes, () =>
        connection.destroy(),
      );
      reservations.at(-1)?.arrived();
      if (reserved) reservations.push(reserved);
      return reserved !== null;
    },
    onBytes: (bytes) => reservations.at(-1)?.receive(bytes),
    onCommand() {
      for (const reserved of reservations) reserved.arrived();
    },
    onCommandEnd() {
      freeBytes = FREE_BYTES;
      release();
    },
  });
  connection.onClose(release);
  return connection;
}

function contextOf(certificate: () => Certificate): () => SecureContext {
  let current = certificate();
  let context = createSecureContext({ ...current, minVersion: 'TLSv1.2' });
  return () => {
    const latest = certificate();
    if (latest !== current) {
      context = createSecureContext({ ...latest, minVersion: 'TLSv1.2' });
      current = latest;
    }
    return context;
  };
}
