/**
 * The signed time in a form page: base64url(seconds since 1970 in 6 bytes, first 16 bytes of HMAC-SHA256 over the
 * form's ID and these bytes). It proves that the page of this form was opened, and when.
 */
import { timingSafeEqual } from 'node:crypto';
import { createMac, deriveKey } from '../../../platform/crypto.ts';
import type { Facts } from '../../instance/facts.ts';

/** A variable of a contact book cannot have this name, because of the hyphen. */
export const STAMP_FIELD = 'opened-at';

const TIME_BYTES = 6;
const MAC_BYTES = 16;
const MIN_AGE_SECONDS = 2;
const MAX_AGE_SECONDS = 24 * 60 * 60;

/**
 * `none`: the submission comes from a form in another site, or within two seconds after the page was opened, as only
 * bots do. `expired`: it is older than a day, or forged.
 */
type StampAge = 'none' | 'valid' | 'expired';

export interface FormStamps {
  make(formId: string, nowMs: number): string;
  read(formId: string, stamp: string | undefined, nowMs: number): StampAge;
}

const cache = new WeakMap<Facts, FormStamps>();

export function formStampsOf(facts: Facts): FormStamps {
  let stamps = cache.get(facts);
  if (!stamps) cache.set(facts, (stamps = createFormStamps(facts.secret)));
  return stamps;
}

export function createFormStamps(secret: Buffer): FormStamps {
  const mac = createMac(deriveKey(secret, 'form time stamps'));

  function sign(formId: string, time: Buffer): Buffer {
    const bytes = Buffer.concat([time, Buffer.from(formId)]);
    return Buffer.from(mac(bytes, bytes.length).slice(0, MAC_BYTES), 'latin1');
  }

  return {
    make(formId, nowMs) {
      const time = Buffer.alloc(TIME_BYTES);
      time.writeUIntBE(Math.floor(nowMs / 1000), 0, TIME_BYTES);
      return Buffer.concat([time, sign(formId, time)]).toString('base64url');
    },
    read(formId, stamp, nowMs) {
      if (!stamp) return 'none';
      const bytes = Buffer.from(stamp.slice(0, 100), 'base64url');
      if (bytes.length !== TIME_BYTES + MAC_BYTES) return 'expired';
      const time = bytes.subarray(0, TIME_BYTES);
      if (!timingSafeEqual(sign(formId, time), bytes.subarray(TIME_BYTES))) return 'expired';
      const age = Math.floor(nowMs / 1000) - time.readUIntBE(0, TIME_BYTES);
      if (age > MAX_AGE_SECONDS) return 'expired';
      return age < MIN_AGE_SECONDS ? 'none' : 'valid';
    },
  };
}
