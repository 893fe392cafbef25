/** Commands before login, and those that are always allowed. */
import { isLocalNetwork, isThisMachine } from '../../platform/network/local-address.ts';
import { AppError } from '../../platform/errors.ts';
import { fromBytes, writeNstring } from '../../mail/imap/write-values.ts';
import { BadCommand } from '../../mail/imap/command-cursor.ts';
import {
  Refusal,
  type CommandInput,
  type CommandResult,
  type Enabled,
  type Session,
} from '../session/session.ts';

const BEFORE_LOGIN = ['IMAP4rev1', 'IMAP4rev2', 'LITERAL+', 'SASL-IR', 'ENABLE', 'ID'];
const AFTER_LOGIN = [
  'UNSELECT',
  'IDLE',
  'NAMESPACE',
  'UIDPLUS',
  'MOVE',
  'CHILDREN',
  'SPECIAL-USE',
  'LIST-EXTENDED',
  'LIST-STATUS',
  'STATUS=SIZE',
  'ESEARCH',
  'SEARCHRES',
  'WITHIN',
  'SORT',
  'SORT=DISPLAY',
  'THREAD=ORDEREDSUBJECT',
  'THREAD=REFERENCES',
  'CONDSTORE',
  'QRESYNC',
  'MULTIAPPEND',
  'BINARY',
  'OBJECTID',
  'PREVIEW',
  'SAVEDATE',
  'UTF8=ACCEPT',
  'ACL',
  'RIGHTS=kxte',
  'QUOTA',
  'QUOTA=RES-STORAGE',
];

const MAX_FAILED_LOGINS = 3;
/** User names and passwords are short. Longer ones are rejected without a query. */
const MAX_LENGTH = 1_000;

export function capabilitiesOf({ wire, login, tools }: Session): string {
  if (!login) {
    const tls = wire.isSecure ? [] : ['STARTTLS'];
    const auth = mayLogIn({ wire }) ? ['AUTH=PLAIN'] : ['LOGINDISABLED'];
    return [...BEFORE_LOGIN, ...tls, ...auth].join(' ');
  }
  const limit = `APPENDLIMIT=${tools.facts.mailLimits.inboundMessageBytes}`;
  // Nothing is saved on the way to this machine itself. The command works there too.
  const compress = wire.isCompressed || isThisMachine(wire.ip) ? [] : ['COMPRESS=DEFLATE'];
  return [...BEFORE_LOGIN, ...AFTER_LOGIN, limit, ...compress].join(' ');
}

/** A password must not cross a public network without encryption. */
function mayLogIn({ wire }: Pick<Session, 'wire'>): boolean {
  return wire.isSecure || isLocalNetwork(wire.ip) || isThisMachine(wire.ip);
}

export async function capability(session: Session, { cursor }: CommandInput): CommandResult {
  cursor.end();
  session.out.line(`* CAPABILITY ${capabilitiesOf(session)}`);
}

export async function noop(_session: Session, { cursor }: CommandInput): CommandResult {
  cursor.end();
}

export async function logout(session: Session, { cursor }: CommandInput): CommandResult {
  cursor.end();
  session.out.line('* BYE Goodbye');
}

/** RFC 2971. The client's description of itself is not stored. */
export async function id(session: Session, { cursor }: CommandInput): CommandResult {
  cursor.space();
  if (!cursor.take('NIL')) {
    const fields = cursor.list(() => cursor.nstring());
    if (fields.length % 2 !== 0 || fields.length > 60)
      throw new BadCommand('Expected pairs of names and values');
  }
  cursor.end();
  session.out.line(`* ID ("name" ${writeNstring('Posthorn')})`);
}

const ENABLES: Record<string, Enabled[]> = {
  CONDSTORE: ['CONDSTORE'],
  QRESYNC: ['QRESYNC', 'CONDSTORE'],
  'UTF8=ACCEPT': ['UTF8=ACCEPT'],
  IMAP4REV2: ['IMAP4REV2'],
};

export async function enable(session: Session, { cursor }: CommandInput): CommandResult {
  const enabled: string[] = [];
  do {
    cursor.space();
    const name = cursor.atom().toUpperCase();
    for (const extension of ENABLES[name] ?? []) session.enabled.add(extension);
    // IMAP4rev2 (RFC 9051) has no \Recent.
    if (name === 'IMAP4REV2' && session.selected) session.selected.recent = [];
    if (ENABLES[name]) enabled.push(name === 'IMAP4REV2' ? 'IMAP4rev2' : name);
  } while (!cursor.isAtEnd);
  session.out.line(`* ENABLED ${enabled.join(' ')}`.trimEnd());
}

export async function logIn(session: Session, { cursor }: CommandInput): CommandResult {
  cursor.space();
  const user = cursor.astring();
  cursor.space();
  const password = cursor.astring();
  cursor.end();
  return begin(session, fromBytes(user), fromBytes(password));
}

export async function authenticate(session: Session, { cursor }: CommandInput): CommandResult {
  cursor.space();
  const mechanism = cursor.atom().toUpperCase();
  if (mechanism !== 'PLAIN') throw new Refusal('CANNOT', 'Only PLAIN is supported');
  requireEncryption(session);
  let response = cursor.take(' ') ? cursor.match(/[^\s]+/y) : null;
  cursor.end();
  if (response === null) {
    session.out.line('+ ');
    const line = await session.wire.readCommand();
    if (!line) throw new BadCommand('The connection was closed');
    if (line.text === '*') throw new BadCommand('Authentication was cancelled');
    response = line.text;
  }
  const [authorization, user, password, ...others] = decodeBase64(response === '=' ? '' : response).split(
    '\0',
  );
  if (user === undefined || password === undefined || others.length > 0)
    throw new BadCommand('Invalid response');
  if (authorization !== '' && authorization !== user)
    throw new Refusal('AUTHORIZATIONFAILED', 'You can only log in as yourself');
  return begin(session, user, password);
}

function decodeBase64(text: string): string {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw new BadCommand('Invalid base64');
  return Buffer.from(text, 'base64').toString('utf8');
}

function requireEncryption(session: Session): void {
  if (!mayLogIn(session)) throw new Refusal('PRIVACYREQUIRED', 'STARTTLS is required before you log in');
}

async function begin(session: Session, user: string, password: string): CommandResult {
  requireEncryption(session);
  const { tools, wire } = session;
  const found =
    user.length > MAX_LENGTH || password.length > MAX_LENGTH
      ? null
      : await tools.appPasswords.logIn(user, password, wire.ip).catch(async (error: unknown) => {
          if (!(error instanceof AppError) || error.code !== 'RATE_LIMITED') throw error;
          report(session, user, 'failed');
          session.failedLogins = MAX_FAILED_LOGINS;
          throw new Refusal('LIMIT', error.message);
        });
  if (!found) {
    session.failedLogins += 1;
    report(session, user, 'failed');
    throw new Refusal('AUTHENTICATIONFAILED', 'The address or the app password is wrong');
  }
  const uncount = tools.limits.logIn(found);
  if (!uncount) throw new Refusal('LIMIT', 'Too many connections to this mailbox or to its team');
  session.onEnd.push(
    uncount,
    tools.appPasswords.watch(password, () => void wire.bye('The app password was revoked')),
  );
  session.login = found;
  wire.isAuthenticated = true;
  report(session, user, 'accepted');
  return `[CAPABILITY ${capabilitiesOf(session)}] Logged in`;
}

/** After too many failures the connection is closed. */
export function hasFailedTooOften({ failedLogins }: Session): boolean {
  return failedLogins >= MAX_FAILED_LOGINS;
}

function report({ tools, wire }: Session, user: string, outcome: 'accepted' | 'failed'): void {
  tools.metrics.countLogin(outcome);
  const line = { port: 'imap', ip: wire.ip, user: user.slice(0, 320) };
  if (outcome === 'accepted') tools.mailLog.info(line, 'imap: login');
  else tools.mailLog.warn(line, 'imap: login failed');
}

export async function startTls(session: Session, { cursor }: CommandInput): CommandResult {
  cursor.end();
  if (session.wire.isSecure) throw new BadCommand('TLS is already in use');
  // An attacker could have injected bytes before the handshake (CVE-2011-0411).
  if (session.wire.hasPending) throw new BadCommand('Commands after STARTTLS must wait for TLS');
  return 'Begin TLS now';
}

export async function compress(session: Session, { cursor }: CommandInput): CommandResult {
  cursor.space();
  if (cursor.atom().toUpperCase() !== 'DEFLATE') throw new BadCommand('Only DEFLATE is supported');
  cursor.end();
  if (session.wire.isCompressed) throw new Refusal('COMPRESSIONACTIVE', 'Compression is already in use');
  if (session.wire.hasPending) throw new BadCommand('Commands after COMPRESS must wait for its reply');
  return 'Compression begins';
}
