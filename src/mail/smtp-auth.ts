/** AUTH PLAIN (RFC 4616) in one round trip, or AUTH LOGIN for servers that know nothing else. */
import type { SmtpConnection } from './smtp-connection.ts';
import type { Extensions } from './smtp-envelope.ts';
import { brokenAt, refusedAt, type SmtpFailure } from './smtp-failure.ts';
import { isLoss } from './smtp-socket.ts';

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
  if (lines.length === 0) return brokenAt('auth', 'the server offers neither AUTH PLAIN nor AUTH LOGIN');

  for (const [index, line] of lines.entries()) {
    connection.write(`${line}\r\n`, 1);
    const heard = await connection.read(timeoutMs);
    if (isLoss(heard)) return brokenAt('auth', heard.lost);
    const wanted = index === lines.length - 1 ? 235 : 334;
    if (heard.code >= 400) return refusedAt('auth', heard);
    if (heard.code !== wanted)
      return brokenAt('auth', `an answer out of place: ${heard.code} ${heard.text}`, heard);
  }
  return null;
}

/** Where a password in plain text crosses no network. */
export function isThisMachine(address: string | undefined): boolean {
  return address !== undefined && /^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/.test(address);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
