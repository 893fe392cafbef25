/**
 * SMTP to one server (RFC 5321): connect, greeting, EHLO, STARTTLS (RFC 3207), AUTH (RFC 4954), and a session that
 * sends messages.
 *
 * - What goes wrong comes back as an SmtpFailure; nothing throws for the network.
 * - `starttls-if-offered` without a password and without a certificate to verify is opportunistic (RFC 7435): where
 *   the handshake fails, a second connection goes on in plain text, since the first one might as well not have
 *   offered TLS. In every other case a failed handshake ends it.
 * - A password goes out under TLS with a certificate that is valid for the server's name, or to this machine, or where
 *   the caller allows it; nowhere else: whoever sits on the way has a certificate too, but none for that name.
 * - What came before the handshake is forgotten, and anything that the server sent behind its "220 go ahead" is an
 *   injection (CVE-2011-0411): the connection is cut.
 */
import { isIP } from 'node:net';
import { authenticate, isThisMachine, type SmtpAuth } from './smtp-auth.ts';
import { SmtpConnection } from './smtp-connection.ts';
import { readExtensions, type Extensions } from './smtp-envelope.ts';
import { brokenAt, refusedAt, type SmtpFailure } from './smtp-failure.ts';
import { SmtpSession, type SmtpTimeouts } from './smtp-session.ts';
import { isLoss, openSocket } from './smtp-socket.ts';

export interface SmtpTarget {
  /** An address, or a name for the system's resolver. */
  host: string;
  port: number;
  tls: 'implicit' | 'starttls-if-offered' | 'starttls-required' | 'none';
  /** Whose certificate it should be. */
  servername: string;
  verifyCertificate: boolean;
  auth: SmtpAuth | null;
  /** Our name in EHLO. */
  localName: string;
}

export interface SmtpOptions {
  timeouts?: Partial<SmtpTimeouts>;
  /** Trusted instead of the usual authorities. */
  ca?: string;
  /** The password may go to a server whose certificate is not valid. */
  allowUnverifiedAuth?: boolean;
}

export type OpenResult = { session: SmtpSession; failure: null } | { session: null; failure: SmtpFailure };

/**
 * Shorter than RFC 5321 section 4.5.3.2 where waiting only costs a connection, and as long as it says after the dot:
 * to give up there means to send the message twice.
 */
const DEFAULT_TIMEOUTS: SmtpTimeouts = {
  connectMs: 30_000,
  greetingMs: 60_000,
  commandMs: 120_000,
  dataMs: 600_000,
};

/** A failure, and whether it was the handshake's: then plain text may still do. */
interface Obstacle {
  failure: SmtpFailure;
  isHandshake: boolean;
}

interface Line {
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
  return { session: null, failure: opened.failure };
}

async function openOnce(target: SmtpTarget, options: SmtpOptions): Promise<SmtpSession | Obstacle> {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const socket = await openSocket(target, timeouts.connectMs);
  if (isLoss(socket)) return obstacle(brokenAt('connect', socket.lost));
  const connection = new SmtpConnection(socket);
  const opened = await prepare({ connection, target, options, timeouts });
  if (!(opened instanceof SmtpSession)) connection.lose(opened.failure.cause);
  return opened;
}

async function prepare(line: Line): Promise<SmtpSession | Obstacle> {
  const { connection, target, timeouts } = line;
  let isSecured = target.tls === 'implicit';
  if (isSecured) {
    const problem = await shakeHands(line);
    if (problem) return problem;
  }
  connection.listen();
  const greeting = await connection.read(timeouts.greetingMs);
  if (isLoss(greeting)) return obstacle(brokenAt('greeting', greeting.lost));
  if (greeting.code !== 220) return obstacle(refusedAt('greeting', greeting));

  let extensions = await introduce(line);
  if ('cause' in extensions) return obstacle(extensions);
  const isOffered = extensions.has('STARTTLS');
  if (target.tls === 'starttls-required' && !isOffered)
    return obstacle(brokenAt('tls', 'the server offers no STARTTLS'));
  if (target.tls.startsWith('starttls') && isOffered) {
    const problem = await startTls(line);
    if (problem) return problem;
    isSecured = true;
    extensions = await introduce(line);
    if ('cause' in extensions) return obstacle(extensions);
  }

  if (target.auth) {
    if (!isSecured && !isThisMachine(connection.remoteAddress))
      return obstacle(brokenAt('auth', 'no password without TLS'));
    const failure = await authenticate(connection, extensions, target.auth, timeouts.commandMs);
    if (failure) return obstacle(failure);
  }
  return new SmtpSession(connection, extensions, isSecured, timeouts);
}

async function startTls(line: Line): Promise<Obstacle | null> {
  const { connection, timeouts } = line;
  connection.write('STARTTLS\r\n', 1);
  const answer = await connection.read(timeouts.commandMs);
  if (isLoss(answer)) return obstacle(brokenAt('tls', answer.lost), true);
  if (answer.code !== 220) return obstacle(refusedAt('tls', answer), true);
  if (connection.loss || !connection.isAtRest)
    return obstacle(brokenAt('tls', 'the server sent more before the handshake'));
  const problem = await shakeHands(line);
  if (!problem) connection.listen();
  return problem;
}

async function shakeHands({ connection, target, options, timeouts }: Line): Promise<Obstacle | null> {
  const { servername } = target;
  const isPasswordAtRisk =
    target.auth !== null && !options.allowUnverifiedAuth && !isThisMachine(connection.remoteAddress);
  const verifyCertificate = target.verifyCertificate || isPasswordAtRisk;
  const problem = await connection.secure(
    { servername, verifyCertificate, ca: options.ca },
    timeouts.commandMs,
  );
  return problem === null ? null : obstacle(brokenAt('tls', problem), true);
}

/** EHLO, or HELO where the server does not know it (RFC 5321 section 3.2). */
async function introduce({ connection, target, timeouts }: Line): Promise<Extensions | SmtpFailure> {
  const name = toHeloName(target.localName);
  for (const verb of ['EHLO', 'HELO']) {
    connection.write(`${verb} ${name}\r\n`, 1);
    const heard = await connection.read(timeouts.commandMs);
    if (isLoss(heard)) return brokenAt('ehlo', heard.lost);
    if (heard.code === 250) return verb === 'EHLO' ? readExtensions(connection.latestLines) : new Map();
    if (verb === 'HELO' || heard.code < 500) return refusedAt('ehlo', heard);
  }
  return brokenAt('ehlo', 'no greeting was taken');
}

/** An address stands in brackets (RFC 5321 section 4.1.3). */
function toHeloName(name: string): string {
  const bare = name.replaceAll(/^\[|\]$/g, '');
  const family = isIP(bare);
  if (family === 0) return name;
  return family === 4 ? `[${bare}]` : `[IPv6:${bare}]`;
}

function obstacle(failure: SmtpFailure, isHandshake = false): Obstacle {
  return { failure, isHandshake };
}
