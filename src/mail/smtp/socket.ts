/** Opens plain and TLS sockets to a mail server. Failures are values. */
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { matchesTlsa, type DaneMatch } from './match-tlsa.ts';

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
  /** The certificate must match one of these records (DANE), and nothing else is checked. */
  dane?: DaneMatch | undefined;
}

export interface SocketFailure {
  lost: string;
  /** The code of the error, such as CERT_HAS_EXPIRED. */
  code?: string | undefined;
}

/** The code of a certificate that does not match its TLSA records. */
const DANE_MISMATCH = 'DANE_MISMATCH';

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
  const { servername, verifyCertificate, ca, dane } = security;
  // SNI allows only names (RFC 6066 section 3). `host` is checked against the certificate.
  const name = isIP(servername) ? { host: servername } : { servername, host: servername };
  const tls = connectTls({ socket, ...name, ca, rejectUnauthorized: verifyCertificate && !dane });
  const result = await waitUntilReady(tls, 'secureConnect', timeoutMs);
  if (dane && !isSocketFailure(result) && !matchesTlsa(tls, dane)) {
    tls.destroy();
    return {
      lost: `the certificate of ${servername} does not match its TLSA records (DANE)`,
      code: DANE_MISMATCH,
    };
  }
  if (!isSocketFailure(result) || !tls.authorizationError) return result;
  return { ...result, lost: `the certificate is not valid for ${servername}: ${result.lost}` };
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
    socket.on('error', (error: NodeJS.ErrnoException) => settle({ lost: describe(error), code: error.code }));
    socket.once('close', () => settle({ lost: 'connection closed' }));
    socket.once(ready, () => settle(socket));
  });
}

/** When all addresses of a host fail, Node reports an AggregateError without a message. */
function describe(error: Error): string {
  if (error instanceof AggregateError) return error.errors.map((one: Error) => one.message).join('; ');
  return error.message;
}
