/** Time-based one-time codes (RFC 6238) with the settings that all authenticators support: SHA-1, 6 digits, 30 s. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const STEP_SECONDS = 30;
/** Accepts a clock that is off by one step (RFC 6238 section 5.2). */
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

/** Returns the latest step whose code is accepted now. */
export function lastStep(nowMs: number): number {
  return stepAt(nowMs) + DRIFT_STEPS;
}

/** Returns the steps around now whose code matches, oldest first. */
export function matchingSteps(secret: Buffer, code: string, nowMs: number): number[] {
  if (!/^\d{6}$/.test(code)) return [];
  const now = stepAt(nowMs);
  const steps = Array.from({ length: 2 * DRIFT_STEPS + 1 }, (_, at) => now - DRIFT_STEPS + at);
  return steps.filter((step) => timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code)));
}

/** The base32 that authenticators read (RFC 4648 section 6). 20 bytes need no padding. */
export function toRfcBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => BASE32[Number.parseInt(five, 2)]!).join('');
}

export function totpUri(secret: Buffer, email: string): string {
  const label = encodeURIComponent(`Posthorn:${email}`);
  return `otpauth://totp/${label}?secret=${toRfcBase32(secret)}&issuer=Posthorn`;
}
