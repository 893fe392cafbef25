/**
 * IDs are UUID v7 in the database (16 bytes, ordered by creation time). Outside the database they are a short type
 * prefix and 26 characters of Crockford's base32: `con_06f3k2…`. An ID of another type, or text that is not a valid
 * ID, decodes to null, and callers treat it as not found.
 */
import { hash, randomFillSync } from 'node:crypto';

export type IdPrefix =
  | 'key'
  | 'apw'
  | 'cbk'
  | 'con'
  | 'imp'
  | 'eml'
  | 'sup'
  | 'sbx'
  | 'tpl'
  | 'seg'
  | 'top'
  | 'frm'
  | 'usr'
  | 'pky'
  | 'ses'
  | 'inv'
  | 'whk'
  | 'whc'
  | 'evt'
  | 'not'
  | 'lab'
  | 'act'
  | 'cmp'
  | 'mbx'
  | 'adr'
  | 'sig'
  | 'blk'
  | 'rul'
  | 'thr'
  | 'msg'
  | 'fld'
  | 'srp'
  | 'upl'
  | 'sub'
  | 'idn'
  | 'med'
  | 'ver'
  | 'aut'
  | 'run'
  | 'fed'
  | 'aud'
  | 'log'
  | 'pol'
  | 'apr'
  | 'psh';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const VALUE_OF = new Map([...ALPHABET].map((character, value) => [character, value]));
/** Two characters for each value of ten bits. */
const PAIRS = Array.from({ length: 1 << 10 }, (_, value) => ALPHABET[value >> 5]! + ALPHABET[value & 31]!);
const DASH = '-'.charCodeAt(0);
const HEX_VALUES = new Uint8Array(128);
for (let value = 0; value < 16; value++) HEX_VALUES[value.toString(16).charCodeAt(0)] = value;
const UUID_BYTES = 16;
const ENCODED_LENGTH = 26;
const MAX_SEQUENCE = 0xfff;

const pool = Buffer.allocUnsafe(256 * UUID_BYTES);
let poolOffset = pool.length;
let lastMs = 0;
let sequence = 0;
/** If the clock is set back by more than this, it was wrong before. */
const FOLLOWED_MS = 60_000;

/**
 * Returns a new UUID v7. The IDs of one process strictly increase, even within a millisecond. The exception is a
 * clock that was ahead and is set back by more than a minute: then the IDs follow it, because IDs made by the
 * database have the right time too.
 */
export function newUuid(): string {
  const now = Date.now();
  if (now > lastMs || now < lastMs - FOLLOWED_MS) {
    lastMs = now;
    sequence = 0;
  } else if (++sequence > MAX_SEQUENCE) {
    lastMs += 1;
    sequence = 0;
  }
  const bytes = randomUuidBytes();
  bytes.writeUIntBE(lastMs, 0, 6);
  bytes[6] = 0x70 | (sequence >> 8);
  bytes[7] = sequence & 0xff;
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return toUuidText(bytes);
}

/** The largest time that a UUID holds. */
const LAST_TIME_MS = 2 ** 48 - 1;

/** The lowest ID of a time. IDs are in the order of time, so a range of times is a range of an index. */
export function uuidAt(timeMs: number): string {
  const time = Math.min(Math.max(timeMs, 0), LAST_TIME_MS).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/** Reads the text digit by digit, because lists encode thousands of ids per second and a Buffer takes four times as long. */
export function encodeId(prefix: IdPrefix, uuid: string): string {
  let text = `${prefix}_`;
  let value = 0;
  // 26 characters carry 130 bits; the first two are always zero.
  let bits = 2;
  for (let at = 0; at < uuid.length; at++) {
    const code = uuid.charCodeAt(at);
    if (code === DASH) continue;
    value = (value << 4) | HEX_VALUES[code]!;
    bits += 4;
    if (bits >= 10) {
      bits -= 10;
      text += PAIRS[value >> bits]!;
      value &= (1 << bits) - 1;
    }
  }
  return text;
}

export function decodeId(prefix: IdPrefix, id: string): string | null {
  if (id.length !== prefix.length + 1 + ENCODED_LENGTH || !id.startsWith(`${prefix}_`)) return null;
  const bytes = fromBase32(id.slice(prefix.length + 1));
  return bytes && toUuidText(bytes);
}

/** Encodes bytes in base32, padded with zero bits at the front so that the text sorts as the bytes do. */
export function toBase32(bytes: Buffer, start = 0): string {
  let text = '';
  let value = 0;
  let bits = (5 - (((bytes.length - start) * 8) % 5)) % 5;
  for (let at = start; at < bytes.length; at++) {
    value = (value << 8) | bytes[at]!;
    bits += 8;
    if (bits >= 10) {
      bits -= 10;
      text += PAIRS[value >> bits]!;
      value &= (1 << bits) - 1;
    }
  }
  return bits === 0 ? text : text + ALPHABET[value]!;
}

function fromBase32(text: string): Buffer | null {
  const bytes = Buffer.alloc(UUID_BYTES);
  let value = 0;
  // 26 characters carry 130 bits; the first two are always zero.
  let bits = -2;
  let at = 0;
  for (const character of text) {
    const digit = VALUE_OF.get(character);
    if (digit === undefined) return null;
    value = (value << 5) | digit;
    bits += 5;
    if (at === 0 && bits === 3 && digit > 7) return null;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (value >> bits) & 0xff;
      value &= (1 << bits) - 1;
    }
  }
  return bytes;
}

function randomUuidBytes(): Buffer {
  if (poolOffset === pool.length) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  poolOffset += UUID_BYTES;
  return pool.subarray(poolOffset - UUID_BYTES, poolOffset);
}

function toUuidText(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Returns a UUID that follows from the time and the seed, in the form of newUuid. */
export function uuidFrom(time: Date, seed: string): string {
  const digest = hash('sha256', seed, 'hex');
  const at = time.getTime().toString(16).padStart(12, '0');
  const variant = '89ab'[parseInt(digest[3]!, 16) & 3]!;
  return `${at.slice(0, 8)}-${at.slice(8)}-7${digest.slice(0, 3)}-${variant}${digest.slice(4, 7)}-${digest.slice(7, 19)}`;
}
