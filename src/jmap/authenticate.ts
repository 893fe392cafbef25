/** Opens a mailbox with its address and an app password, by Basic authentication (RFC 7617). */
import type { MailLogin } from '../features/identity/app-passwords/app-password-cache.ts';
import { AppError } from '../platform/errors.ts';
import type { MountedRequest } from '../platform/mounted-door.ts';
import { RequestProblem } from './answers.ts';
import type { JmapTools } from './calls/tools.ts';

/** User names and passwords are short. Longer ones are rejected without a query. */
const MAX_LENGTH = 3_000;
const CHALLENGE = { 'www-authenticate': 'Basic realm="Posthorn", charset="UTF-8"' };

export interface Authenticated {
  login: MailLogin;
  password: string;
}

export async function authenticate(
  { appPasswords, mailLog }: JmapTools,
  request: MountedRequest,
): Promise<Authenticated> {
  const credentials = readBasic(request.header('authorization'));
  if (!credentials)
    throw unauthorized('Send the address of the mailbox and an app password with Basic authentication.');
  const { user, password } = credentials;
  const line = { port: 'jmap', ip: request.ip, user: user.slice(0, 320) };
  const login = await appPasswords.logIn(user, password, request.ip).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'RATE_LIMITED') throw error;
    mailLog.warn(line, 'jmap: login failed');
    const seconds = error.retryAfterSeconds;
    const headers: Record<string, string> = seconds === undefined ? {} : { 'retry-after': String(seconds) };
    throw new RequestProblem(429, 'about:blank', error.message, { headers });
  });
  if (!login) {
    mailLog.warn(line, 'jmap: login failed');
    throw unauthorized('The address or the app password is wrong.');
  }
  return { login, password };
}

function unauthorized(detail: string): RequestProblem {
  return new RequestProblem(401, 'about:blank', detail, { headers: CHALLENGE });
}

function readBasic(header: string | undefined): { user: string; password: string } | null {
  const [, encoded] = /^basic +([A-Za-z0-9+/=]+) *$/i.exec((header ?? '').slice(0, MAX_LENGTH)) ?? [];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon === -1 || text.includes('\0')) return null;
  return { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
