/** The session cookie and the device cookie (RFC 6265bis). */
import type { SessionAnswer } from '../../features/api/route.ts';
import { SESSION_DAYS } from '../../features/identity/people/sessions.ts';

export const SESSION_COOKIE = 'ph_session';
/** Tells a browser from which someone has signed in before. It authenticates nobody. */
const DEVICE_COOKIE = 'ph_device';
const DEVICE_PATH = '/api/v1/auth';
/** Browsers keep no cookie for longer. */
const DEVICE_DAYS = 400;
const MAX_DEVICE_LENGTH = 256;
const DAY_SECONDS = 24 * 60 * 60;

export function readSessionToken(header: string | undefined): string | undefined {
  return readCookie(header, SESSION_COOKIE);
}

export function readDevice(header: string | undefined): string | undefined {
  const value = readCookie(header, DEVICE_COOKIE);
  return value !== undefined && value.length <= MAX_DEVICE_LENGTH ? value : undefined;
}

export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined || !header.includes(name)) return undefined;
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim() || undefined;
  }
  return undefined;
}

export function toSetCookies(
  change: SessionAnswer['change'],
  current: string | undefined,
  baseUrl: string,
): string[] {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  const cookies: string[] = [];
  if (change.kind !== 'remember') {
    const token = change.kind === 'begin' ? change.token : change.kind === 'end' ? undefined : current;
    const maxAge = token === undefined ? 0 : SESSION_DAYS * DAY_SECONDS;
    // Lax instead of Strict, so that people who follow a link in an email to the dashboard are signed in.
    cookies.push(
      `${SESSION_COOKIE}=${token ?? ''}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`,
    );
  }
  if ('device' in change)
    cookies.push(
      `${DEVICE_COOKIE}=${change.device}; Path=${DEVICE_PATH}; Max-Age=${DEVICE_DAYS * DAY_SECONDS}; HttpOnly; SameSite=Strict${secure}`,
    );
  return cookies;
}
