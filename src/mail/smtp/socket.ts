/** Opens plain and TLS sockets to a mail server. Failures are values. */
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';

export interface SocketAddress {
  host: string;
  port: number;
  /** Connects from this address of the machine. */
  localAddress?: string | undefined;
}

export interface SocketSecurity {
  /** Sent as SNI. A verified certificate must be valid for this name. */
  servername: string;
  verifyCertificate: boolean;
  /** The certificate authority that is trusted instead of the default ones. */
  ca?: string;
}

export interface SocketFailure {
  lost: string;
}

export function isSocketFailure(result: object): result is SocketFailure {
  return 'lost' in result;
}

export function openSocket(address: SocketAddress, timeoutMs: number): Promise<Socket | SocketFailure> {
  const { host, port, localAddress } = address;
  return waitUntilReady(connectPlain({ host, port, localAddress, noDelay: true }), 'connect', timeoutMs);
}

/** Performs the handshake on an open connection: right after connecting for implicit TLS, or after STARTTLS. */
export async function secureSocket(
  socket: Socket,
  security: SocketSecurity,
  timeoutMs: number,
): Promise<TLSSocket | SocketFailure> {
  const { servername, verifyCertificate, ca } = security;
  // SNI allows only names (RFC 6066 section 3). `host` is checked against the certificate.
  const name = isIP(servername) ? { host: servername } : { servername, host: servername };
  const tls = connectTls({ socket, ...name, ca, rejectUnauthorized: verifyCertificate });
  const result = await waitUntilReady(tls, 'secureConnect', timeoutMs);
  if (!isSocketFailure(result) || !tls.authorizationError) return result;
  return { lost: `the certificate is not valid for ${servername}: ${result.lost}` };
}

function waitUntilReady<S extends Socket>(
  socket: S,
  ready: 'connect' | 'secureConnect',
  timeoutMs: number,
): Promise<S | SocketFailure> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => settle({ lost: `no connection within ${timeoutMs} ms` }), timeoutMs);
    const settle = (result: S | SocketFailure): void => {
      clearTimeout(timer);
      if (result !== socket) socket.destroy();
      resolve(result);
    };
    // This listener stays attached, because an unhandled error would end the process.
    socket.on('error', (error) => settle({ lost: describe(error) }));
    socket.once('close', () => settle({ lost: 'connection closed' }));
    socket.once(ready, () => settle(socket));
  });
}

/** When all addresses of a host fail, Node reports an AggregateError without a message. */
function describe(error: Error): string {
  if (error instanceof AggregateError) return error.errors.map((one: Error) => one.message).join('; ');
  return error.message;
}
