/** AUTH PLAIN (RFC 4616) in one round trip, or AUTH LOGIN for servers that support nothing else. */
import type { SmtpConnection } from './connection.ts';
import type { Extensions } from './envelope.ts';
import { connectionFailure, refusedAt, type SmtpFailure } from './failure.ts';
import { isSocketFailure } from './socket.ts';

export interface SmtpAuth {
  user: string;
  pass: string;
}

export async function authenticate(
  connection: SmtpConnection,
  extensions: Extensions,
  auth: SmtpAuth,
  timeoutMs: number,
): Promise<SmtpFailure | null> {
  const mechanisms = (extensions.get('AUTH') ?? '').toUpperCase().split(/\s+/);
  const lines = mechanisms.includes('PLAIN')
    ? [`AUTH PLAIN ${base64(`\0${auth.user}\0${auth.pass}`)}`]
    : mechanisms.includes('LOGIN')
      ? ['AUTH LOGIN', base64(auth.user), base64(auth.pass)]
      : [];
  if (lines.length === 0)
    return connectionFailure('auth', 'the server offers neither AUTH PLAIN nor AUTH LOGIN');

  for (const [index, line] of lines.entries()) {
    connection.write(`${line}\r\n`, 1);
    const reply = await connection.read(timeoutMs);
    if (isSocketFailure(reply)) return connectionFailure('auth', reply.lost);
    const expectedCode = index === lines.length - 1 ? 235 : 334;
    if (reply.code >= 400) return refusedAt('auth', reply);
    if (reply.code !== expectedCode)
      return connectionFailure('auth', `unexpected reply: ${reply.code} ${reply.text}`, reply);
  }
  return null;
}

/** True when a password in plain text would not leave this machine. */
export function isThisMachine(address: string | undefined): boolean {
  return address !== undefined && /^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/.test(address);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
