/**
 * When a certificate is renewed: at a random time in the window that the ACME server names (RFC 9773), else after two
 * thirds of its lifetime.
 */
import { X509Certificate } from 'node:crypto';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.ts';
import { derInteger } from './der.ts';

export interface RenewalWindow {
  start: Date;
  end: Date;
  /** When the server wants to be asked again. */
  askAgainAt: Date;
}

const TIMEOUT_MS = 10_000;
const ASK_EVERY_MS = 6 * HOUR_MS;
const LEAST_GAP_MS = 5 * MINUTE_MS;
const MAX_ANSWER = 100_000;

export function twoThirds({ validFrom, validTo }: Pick<X509Certificate, 'validFrom' | 'validTo'>): Date {
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  return new Date(from + (to - from) * (2 / 3));
}

/** The URL under which the server names windows. Null if it names none, or cannot be asked now. */
export async function findRenewalInfo(directoryUrl: string): Promise<string | null> {
  try {
    const { renewalInfo } = (await readJson(directoryUrl)).body as { renewalInfo?: unknown };
    return typeof renewalInfo === 'string' ? renewalInfo.replace(/\/$/, '') : null;
  } catch {
    return null;
  }
}

/** Returns null if the server names no window, or cannot be asked now. */
export async function fetchRenewalWindow(
  renewalInfo: string | null,
  chain: string,
  now = Date.now(),
): Promise<RenewalWindow | null> {
  const id = certificateIdOf(new X509Certificate(chain));
  if (id === null || renewalInfo === null) return null;
  try {
    const { body, retryAfter } = await readJson(`${renewalInfo}/${id}`);
    const { suggestedWindow } = body as { suggestedWindow?: { start?: unknown; end?: unknown } };
    const [start, end] = [new Date(String(suggestedWindow?.start)), new Date(String(suggestedWindow?.end))];
    // An end before the start is invalid (RFC 9773 section 4.2), and so is a time that is none.
    if (!(end.getTime() > start.getTime())) return null;
    const gapMs = Math.min(Math.max((Number(retryAfter) || 0) * 1000, LEAST_GAP_MS), DAY_MS);
    return { start, end, askAgainAt: new Date(now + (retryAfter === null ? ASK_EVERY_MS : gapMs)) };
  } catch {
    return null;
  }
}

async function readJson(url: string): Promise<{ body: object; retryAfter: string | null }> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const text = await response.text();
  if (!response.ok || text.length > MAX_ANSWER) throw new Error(`status ${response.status}`);
  const body: unknown = JSON.parse(text);
  if (typeof body !== 'object' || body === null) throw new Error('not an object');
  return { body, retryAfter: response.headers.get('retry-after') };
}

/** The extension authorityKeyIdentifier (RFC 5280 section 4.2.1.1). */
const AUTHORITY_KEY = Buffer.from('0603551d23', 'hex');

/** The ID of RFC 9773 section 4.1. Null for a certificate that does not name the key of its authority. */
export function certificateIdOf(certificate: X509Certificate): string | null {
  const { raw, serialNumber } = certificate;
  const at = raw.indexOf(AUTHORITY_KEY);
  if (at < 0) return null;
  // An octet string with a sequence whose first member, with the tag [0], is the key. All three are short.
  const value = raw.subarray(at + AUTHORITY_KEY.length);
  if (value[0] !== 0x04 || value[2] !== 0x30 || value[4] !== 0x80) return null;
  const key = value.subarray(6, 6 + value[5]!);
  // Without the tag and the length, which is short (RFC 5280 section 4.1.2.2).
  const serial = derInteger(BigInt(`0x${serialNumber}`)).subarray(2);
  return `${key.toString('base64url')}.${serial.toString('base64url')}`;
}
