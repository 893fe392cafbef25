/** One-time codes by time (RFC 6238): HMAC-SHA-1, six digits, steps of 30 seconds, as every authenticator knows them. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const STEP_SECONDS = 30;
/** A clock that is one step off is fine (RFC 6238 section 5.2). */
const DRIFT_STEPS = 1;
const SECRET_BYTES = 20;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function newTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

export function stepAt(ms: number): number {
  return Math.floor(ms / 1000 / STEP_SECONDS);
}

/** RFC 4226 section 5.3. */
export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = mac.at(-1)! & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** The steps whose code this is, of those around now. */
export function matchingSteps(secret: Buffer, code: string, nowMs: number): number[] {
  if (!/^\d{6}$/.test(code)) return [];
  const now = stepAt(nowMs);
  const steps = Array.from({ length: 2 * DRIFT_STEPS + 1 }, (_, at) => now - DRIFT_STEPS + at);
  return steps.filter((step) => timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code)));
}

/** RFC 4648 section 6, which authenticators read; 20 bytes need no padding. */
export function toRfcBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => BASE32[Number.parseInt(five, 2)]!).join('');
}

export function totpUri(secret: Buffer, email: string): string {
  const label = encodeURIComponent(`Posthorn:${email}`);
  return `otpauth://totp/${label}?secret=${toRfcBase32(secret)}&issuer=Posthorn`;
}
