/**
 * A signed return path for each recipient (VERP). A bounce identifies its delivery by the address that it is sent to,
 * and no one can forge a bounce for an email that they did not receive. The 48 base32 characters are case-insensitive,
 * because some servers change the case of addresses:
 *     b-<16 bytes of uuid, 2 of recipient, 12 of HMAC-SHA256>@bounces.example.com
 */
import { timingSafeEqual } from 'node:crypto';
import { toBase32 } from '../../platform/ids.ts';

/** HMAC-SHA256 of the first `length` bytes, as a latin1 string. */
type Mac = (bytes: Buffer, length: number) => string;

export interface ReturnPathIds {
  /** UUID of the email (or of the delivery, then with recipient 0). */
  id: string;
  /** Index among the recipients of the email, from 0. */
  recipient: number;
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** The default prefix, for reports. Other kinds of addresses use another prefix and need another key. */
const REPORT_PREFIX = 'b-';
const ID_BYTES = 18;
const MAC_BYTES = 12;
const SIGNED = /^[0-9a-hjkmnp-tv-z]{48}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

// Separates this signature from others that are made with the same key.
const LABEL = Buffer.from('return-path:');
const SIGNED_BYTES = LABEL.length + ID_BYTES;

export function makeReturnPath(
  path: ReturnPathIds & { bounceHost: string; mac: Mac; prefix?: string },
): string {
  if (!UUID.test(path.id)) throw new TypeError('the id of a return path is a UUID');
  const bytes = Buffer.allocUnsafe(SIGNED_BYTES + MAC_BYTES);
  LABEL.copy(bytes);
  bytes.write(path.id.replaceAll('-', ''), LABEL.length, 'hex');
  bytes.writeUInt16BE(path.recipient, SIGNED_BYTES - 2);
  bytes.write(path.mac(bytes, SIGNED_BYTES), SIGNED_BYTES, MAC_BYTES, 'latin1');
  return `${path.prefix ?? REPORT_PREFIX}${toBase32(bytes, LABEL.length)}@${path.bounceHost}`;
}

/** Returns the signed IDs, or null when the signature is not ours. */
export function readReturnPath(localPart: string, mac: Mac, prefix = REPORT_PREFIX): ReturnPathIds | null {
  const lower = localPart.toLowerCase();
  const text = lower.slice(prefix.length);
  if (!lower.startsWith(prefix) || !SIGNED.test(text)) return null;
  const bytes = fromBase32(text);
  const signature = Buffer.from(
    mac(Buffer.concat([LABEL, bytes]), SIGNED_BYTES).slice(0, MAC_BYTES),
    'latin1',
  );
  if (!timingSafeEqual(bytes.subarray(ID_BYTES), signature)) return null;
  const hex = bytes.toString('hex', 0, 16);
  const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
    '-',
  );
  return { id, recipient: bytes.readUInt16BE(16) };
}

function fromBase32(text: string): Buffer {
  const bytes = Buffer.alloc((text.length * 5) / 8);
  let value = 0;
  let bits = 0;
  let at = 0;
  for (const character of text) {
    value = ((value << 5) | ALPHABET.indexOf(character)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = (value >> bits) & 0xff;
  }
  return bytes;
}
