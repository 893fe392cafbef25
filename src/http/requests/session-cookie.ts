/** The session cookie (RFC 6265bis). */
import type { SessionAnswer } from '../../features/api/route.ts';
import { SESSION_DAYS } from '../../features/account/people/sessions.ts';

export const SESSION_COOKIE = 'ph_session';

export function readSessionToken(header: string | undefined): string | undefined {
  if (header === undefined || !header.includes(SESSION_COOKIE)) return undefined;
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (pair.slice(0, at).trim() === SESSION_COOKIE) return pair.slice(at + 1).trim() || undefined;
  }
  return undefined;
}

/** Lax instead of Strict, so that people who follow a link in an email to the dashboard are signed in. */
export function toSetCookie(
  change: SessionAnswer['change'],
  current: string | undefined,
  baseUrl: string,
): string {
  const token = change.kind === 'begin' ? change.token : change.kind === 'end' ? undefined : current;
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  const maxAge = token === undefined ? 0 : SESSION_DAYS * 24 * 60 * 60;
  return `${SESSION_COOKIE}=${token ?? ''}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}
