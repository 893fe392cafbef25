/** The sink's AUTH. The lines are those received so far, the first one without the verb. */
import type { SinkBehaviour } from './smtp-sink-behaviour.ts';

const ASK_USER = '334 VXNlcm5hbWU6';
const ASK_PASSWORD = '334 UGFzc3dvcmQ6';

/** Returns the next challenge, or the user; null if the credentials are wrong. */
export function handleAuth(
  lines: string[],
  auth: SinkBehaviour['auth'],
): { ask: string } | { user: string | null } {
  const [mechanism = '', response] = lines[0]!.split(' ');
  if (mechanism.toUpperCase() === 'PLAIN' && response) {
    const [, user, pass] = decode(response).split('\0');
    return check(user, pass, auth);
  }
  if (mechanism.toUpperCase() !== 'LOGIN') return { user: null };
  if (lines.length === 1) return { ask: ASK_USER };
  if (lines.length === 2) return { ask: ASK_PASSWORD };
  return check(decode(lines[1]!), decode(lines[2]!), auth);
}

function check(
  user: string | undefined,
  pass: string | undefined,
  auth: SinkBehaviour['auth'],
): { user: string | null } {
  return { user: user && auth?.user === user && auth.pass === pass ? user : null };
}

function decode(text: string): string {
  return Buffer.from(text, 'base64').toString();
}
