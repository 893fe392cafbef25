/** The server that mail is imported from: how to connect to it, and the meaning of its errors. */
import { ImapFlow, type ImapFlowError } from 'imapflow';
import { isThisMachine } from '../../../platform/network/local-address.ts';
import { AppError } from '../../../platform/errors.ts';
import { oneLine } from '../../progress.ts';
import { UsageError } from '../../usage.ts';
import { bareHost } from '../../../platform/network/bare-host.ts';

export interface SourceServer {
  host: string;
  port: number;
  isTls: boolean;
  /** False with `?tls=unverified`: any certificate is accepted. */
  isVerified: boolean;
  user: string;
  password: string;
}

const CONNECT_MS = 30_000;
/** How long a server may pause during a response. */
const SILENT_MS = 120_000;
const EXAMPLE = 'imaps://imap.example.com';

export function readSourceUrl(text: string): Omit<SourceServer, 'user' | 'password'> {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !['imap:', 'imaps:'].includes(url.protocol) || !url.hostname)
    throw new UsageError(`--url must look like ${EXAMPLE}.`);
  // A password in an argument can be seen by everyone on the machine.
  if (url.username || url.password)
    throw new UsageError('--url must not have a user or a password. Use --user and --password-file.');
  if (!['', '/'].includes(url.pathname) || url.hash || !['', '?tls=unverified'].includes(url.search))
    throw new UsageError(`--url must have nothing after the port other than ?tls=unverified.`);
  const isTls = url.protocol === 'imaps:';
  return {
    host: bareHost(url.hostname),
    port: Number(url.port) || (isTls ? 993 : 143),
    isTls,
    isVerified: url.search === '',
  };
}

/** Throws an AppError that tells the operator what to do. */
export async function connectToSource(server: SourceServer, maxMessageBytes: number): Promise<ImapFlow> {
  const { host, port, isTls, isVerified, user, password } = server;
  const isLocal = host === 'localhost' || isThisMachine(host);
  const client = new ImapFlow({
    host,
    port,
    secure: isTls,
    // Without TLS, the password is sent only to this machine.
    ...(isTls || isLocal ? {} : { doSTARTTLS: true }),
    tls: { rejectUnauthorized: isVerified },
    auth: { user, pass: password },
    clientInfo: { name: 'Posthorn' },
    logger: false,
    disableAutoIdle: true,
    maxLiteralSize: maxMessageBytes + 1024 * 1024,
    maxLineLength: 64 * 1024 * 1024,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENT_MS,
  });
  // The command that fails throws the error.
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    client.close();
    throw toSourceError(error, server);
  }
}

const LOST = [
  'NoConnection',
  'EConnectionClosed',
  'ClosedAfterConnectText',
  'ClosedAfterConnectTLS',
  'ECONNRESET',
  'EPIPE',
  'StateLogout',
];
const SILENT = ['CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT', 'ETIMEOUT', 'ETIMEDOUT'];
const BAD_CERTIFICATE = /CERT|SIGNATURE|SELF_SIGNED|ISSUER/;

/** Converts an error of the client to one that tells the operator what to do. Our own errors stay as they are. */
export function toSourceError(error: unknown, { host, port, user }: SourceServer): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const { code = '', message, authenticationFailed, responseText } = error as ImapFlowError;
  const at = `${host}:${port}`;
  const said = shorten(responseText ?? message);
  if (authenticationFailed)
    return new AppError(
      'UNAUTHORIZED',
      `${at} refused the login of ${user}: ${said}. Check the user and the password. Some providers need an app password.`,
    );
  if (BAD_CERTIFICATE.test(code))
    return new AppError(
      'UNAVAILABLE',
      `The certificate of ${at} is not valid (${code}). Use the host name that the certificate is for. If you trust the network, add ?tls=unverified to the URL.`,
    );
  if (hasLostConnection(error)) {
    const what = LOST.includes(code) ? 'closed the connection' : 'does not answer';
    return new AppError('UNAVAILABLE', `${at} ${what}. Run the same command again to continue.`);
  }
  // Node.js writes its own error codes in capitals. Other errors are responses that we do not understand.
  return new AppError('UNAVAILABLE', `${at} failed: ${said}${code === '' ? '' : ` (${code})`}.`);
}

/** True if the connection has ended. A new connection may get further. */
export function hasLostConnection(error: unknown): boolean {
  const { code = '' } = error as ImapFlowError;
  return LOST.includes(code) || SILENT.includes(code);
}

function shorten(text: string): string {
  return oneLine(text).trim().replace(/\.$/, '').slice(0, 300);
}
