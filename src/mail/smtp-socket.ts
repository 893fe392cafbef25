/** Sockets to a mail server, plain and under TLS; what goes wrong is a value. */
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';

export interface SocketAddress {
  host: string;
  port: number;
}

export interface SocketSecurity {
  /** Sent as SNI, and what a verified certificate must be for. */
  servername: string;
  verifyCertificate: boolean;
  /** Trusted instead of the usual authorities. */
  ca?: string;
}

export interface Loss {
  lost: string;
}

export function isLoss(heard: object): heard is Loss {
  return 'lost' in heard;
}

export function openSocket(address: SocketAddress, timeoutMs: number): Promise<Socket | Loss> {
  const { host, port } = address;
  return settled(connectPlain({ host, port, noDelay: true }), 'connect', timeoutMs);
}

/** The handshake over an open connection: at once for implicit TLS, or after STARTTLS. */
export async function secureSocket(
  socket: Socket,
  security: SocketSecurity,
  timeoutMs: number,
): Promise<TLSSocket | Loss> {
  const { servername, verifyCertificate, ca } = security;
  // SNI is for names alone (RFC 6066 section 3); `host` is what the certificate is held against.
  const name = isIP(servername) ? { host: servername } : { servername, host: servername };
  const tls = connectTls({ socket, ...name, ca, rejectUnauthorized: verifyCertificate });
  const result = await settled(tls, 'secureConnect', timeoutMs);
  if (!isLoss(result) || !tls.authorizationError) return result;
  return { lost: `the certificate is not valid for ${servername}: ${result.lost}` };
}

function settled<S extends Socket>(
  socket: S,
  ready: 'connect' | 'secureConnect',
  timeoutMs: number,
): Promise<S | Loss> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => settle({ lost: `no connection within ${timeoutMs} ms` }), timeoutMs);
    const settle = (result: S | Loss): void => {
      clearTimeout(timer);
      if (result !== socket) socket.destroy();
      resolve(result);
    };
    // Stays: an error between two listeners must not end the process.
    socket.on('error', (error) => settle({ lost: describe(error) }));
    socket.once('close', () => settle({ lost: 'connection closed' }));
    socket.once(ready, () => settle(socket));
  });
}

/** Several addresses that all failed come as one AggregateError without a message of its own. */
function describe(error: Error): string {
  if (error instanceof AggregateError) return error.errors.map((one: Error) => one.message).join('; ');
  return error.message;
}
