/**
 * Opens an SMTP session with one server (RFC 5321): connect, greeting, EHLO, STARTTLS (RFC 3207) and AUTH (RFC
 * 4954).
 * - Failures are returned as SmtpFailure; network errors never throw.
 * - `starttls-if-offered` without a password and without certificate verification is opportunistic (RFC 7435).
 *   If the handshake fails, a second connection continues in plain text, as it would if the server had not
 *   offered TLS. In all other cases a failed handshake is final.
 * - A password is sent only over TLS with a certificate that is valid for the server's name, to this machine,
 *   or if the caller allows it. An attacker on the network may have a certificate, but not for that name.
 * - Everything received before the handshake is discarded. If the server sends data after its "220 go ahead",
 *   that is an injection (CVE-2011-0411) and the connection is closed.
 */
import { isIP } from 'node:net';
import { authenticate, isThisMachine, type SmtpAuth } from './auth.ts';
import { SmtpConnection } from './connection.ts';
import type { DaneMatch } from './match-tlsa.ts';
import { readExtensions, type Extensions } from './envelope.ts';
import { connectionFailure, NO_STARTTLS, refusedAt, type SmtpFailure } from './failure.ts';
import { SmtpSession, type SmtpTimeouts } from './session.ts';
import { isSocketFailure, openSocket } from './socket.ts';
import { bareHost } from '../../platform/network/bare-host.ts';

export interface SmtpTarget {
  /** An IP address, or a name for the system resolver. */
  host: string;
  port: number;
  tls: 'implicit' | 'starttls-if-offered' | 'starttls-required' | 'none';
  /** The name that the certificate must be valid for. */
  servername: string;
  verifyCertificate: boolean;
  /** The certificate must match one of these records (DANE) instead of being valid. */
  dane?: DaneMatch | undefined;
  auth: SmtpAuth | null;
  /** Our name in EHLO. */
  localName: string;
  localAddress?: string | undefined;
}

export interface SmtpOptions {
  timeouts?: Partial<SmtpTimeouts>;
  /** The certificate authority that is trusted instead of the default ones. */
  ca?: string;
  /** Allows sending the password to a server without a valid certificate. */
  allowUnverifiedAuth?: boolean;
}

export type OpenResult = { session: SmtpSession; failure: null } | { session: null; failure: SmtpFailure };

/**
 * Shorter than RFC 5321 section 4.5.3.2 where giving up only costs a connection. As long as required after the
 * final dot, where giving up means sending the message twice.
 */
const DEFAULT_TIMEOUTS: SmtpTimeouts = {
  connectMs: 30_000,
  greetingMs: 60_000,
  commandMs: 120_000,
  dataMs: 600_000,
};

/** A failure. After a failed handshake, plain text may still work. */
interface OpenFailure {
  failure: SmtpFailure;
  isHandshake: boolean;
}

interface Opening {
  connection: SmtpConnection;
  target: SmtpTarget;
  options: SmtpOptions;
  timeouts: SmtpTimeouts;
}

export async function openSession(target: SmtpTarget, options: SmtpOptions = {}): Promise<OpenResult> {
  const isOpportunistic =
    target.tls === 'starttls-if-offered' && !target.verifyCertificate && target.auth === null;
  let opened = await openOnce(target, options);
  if (!(opened instanceof SmtpSession) && opened.isHandshake && isOpportunistic)
    opened = await openOnce({ ...target, tls: 'none' }, options);
  if (opened instanceof SmtpSession) return { session: opened, failure: null };
  return { session: null, failure: { ...opened.failure, host: hostOf(target) } };
}

function hostOf({ servername, host }: SmtpTarget): string {
  return servername || host;
}

async function openOnce(target: SmtpTarget, options: SmtpOptions): Promise<SmtpSession | OpenFailure> {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const socket = await openSocket(target, timeouts.connectMs);
  if (isSocketFailure(socket)) return openFailure(connectionFailure('connect', socket.lost));
  const connection = new SmtpConnection(socket);
  const opened = await prepare({ connection, target, options, timeouts });
  if (!(opened instanceof SmtpSession)) connection.lose(opened.failure.cause);
  return opened;
}

async function prepare(opening: Opening): Promise<SmtpSession | OpenFailure> {
  const { connection, target, timeouts } = opening;
  let isSecured = target.tls === 'implicit';
  if (isSecured) {
    const problem = await startHandshake(opening);
    if (problem) return problem;
  }
  connection.listen();
  const greeting = await connection.read(timeouts.greetingMs);
  if (isSocketFailure(greeting)) return openFailure(connectionFailure('greeting', greeting.lost));
  if (greeting.code !== 220) return openFailure(refusedAt('greeting', greeting));

  let extensions = await sayEhlo(opening);
  if ('cause' in extensions) return openFailure(extensions);
  const isOffered = extensions.has('STARTTLS');
  if (target.tls === 'starttls-required' && !isOffered)
    return openFailure({
      ...connectionFailure('tls', 'the server does not offer STARTTLS'),
      tlsCode: NO_STARTTLS,
    });
  if (target.tls.startsWith('starttls') && isOffered) {
    const problem = await startTls(opening);
    if (problem) return problem;
    isSecured = true;
    extensions = await sayEhlo(opening);
    if ('cause' in extensions) return openFailure(extensions);
  }

  if (target.auth) {
    if (!isSecured && !isThisMachine(connection.remoteAddress))
      return openFailure(connectionFailure('auth', 'the password is not sent without TLS'));
    const failure = await authenticate(connection, extensions, target.auth, timeouts.commandMs);
    if (failure) return openFailure(failure);
  }
  const isVerified = isSecured && (isCertificateVerified(opening) || target.dane !== undefined);
  return new SmtpSession(connection, extensions, { isSecured, isVerified }, timeouts, hostOf(target));
}

async function startTls(opening: Opening): Promise<OpenFailure | null> {
  const { connection, timeouts } = opening;
  connection.write('STARTTLS\r\n', 1);
  const answer = await connection.read(timeouts.commandMs);
  if (isSocketFailure(answer)) return openFailure(connectionFailure('tls', answer.lost), true);
  if (answer.code !== 220) return openFailure(refusedAt('tls', answer), true);
  if (connection.loss || !connection.isAtRest)
    return openFailure(connectionFailure('tls', 'the server sent data before the TLS handshake'));
  const problem = await startHandshake(opening);
  if (!problem) connection.listen();
  return problem;
}

function isCertificateVerified({ connection, target, options }: Opening): boolean {
  const isPasswordAtRisk =
    target.auth !== null && !options.allowUnverifiedAuth && !isThisMachine(connection.remoteAddress);
  return target.verifyCertificate || isPasswordAtRisk;
}

async function startHandshake(opening: Opening): Promise<OpenFailure | null> {
  const { connection, target, options, timeouts } = opening;
  const { servername, dane } = target;
  const problem = await connection.secure(
    { servername, verifyCertificate: isCertificateVerified(opening), ca: options.ca, dane },
    timeouts.commandMs,
  );
  if (problem === null) return null;
  return openFailure({ ...connectionFailure('tls', problem.lost), tlsCode: problem.code }, true);
}

/** EHLO, or HELO if the server does not support EHLO (RFC 5321 section 3.2). */
async function sayEhlo({ connection, target, timeouts }: Opening): Promise<Extensions | SmtpFailure> {
  const name = toHeloName(target.localName);
  for (const verb of ['EHLO', 'HELO']) {
    connection.write(`${verb} ${name}\r\n`, 1);
    const reply = await connection.read(timeouts.commandMs);
    if (isSocketFailure(reply)) return connectionFailure('ehlo', reply.lost);
    if (reply.code === 250) return verb === 'EHLO' ? readExtensions(connection.latestLines) : new Map();
    if (verb === 'HELO' || reply.code < 500) return refusedAt('ehlo', reply);
  }
  return connectionFailure('ehlo', 'the server accepted neither EHLO nor HELO');
}

/** An IP address is written in brackets (RFC 5321 section 4.1.3). */
function toHeloName(name: string): string {
  const bare = bareHost(name);
  const family = isIP(bare);
  if (family === 0) return name;
  return family === 4 ? `[${bare}]` : `[IPv6:${bare}]`;
}

function openFailure(failure: SmtpFailure, isHandshake = false): OpenFailure {
  return { failure, isHandshake };
}
