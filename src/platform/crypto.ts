/**
 * What is kept secret at rest. The instance secret is the root of it; each use derives a key of its own by
 * name, so that bytes sealed for one purpose open for no other.
 */
import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SECRET_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Through a text of bytes: a buffer of OpenSSL's own making costs the garbage collector more than the hash costs us. */
export function sha256(data: string | Buffer): Buffer {
  return Buffer.from(hash('sha256', data, 'binary'), 'latin1');
}

const BLOCK_BYTES = 64;

/** Of the first bytes of a buffer, as a text of bytes. */
export type Mac = (bytes: Buffer, length: number) => string;

/**
 * HMAC-SHA256 (RFC 2104) for what is signed and checked by the thousand: two hashes of node's, without the objects that
 * `createHmac` makes for each call (decision 20). Tests compare it with `createHmac`.
 */
export function createMac(key: Buffer): Mac {
  if (key.length > BLOCK_BYTES) throw new Error('The key of a MAC has at most 64 bytes.');
  const pad = (filler: number) =>
    Buffer.from(Array.from({ length: BLOCK_BYTES }, (_, at) => filler ^ (key[at] ?? 0)));
  let inner = pad(0x36);
  const outer = Buffer.concat([pad(0x5c), sha256('')]);
  return (bytes, length) => {
    const end = BLOCK_BYTES + length;
    if (inner.length < end) inner = Buffer.concat([inner, Buffer.alloc(length)]);
    bytes.copy(inner, BLOCK_BYTES, 0, length);
    outer.write(hash('sha256', inner.subarray(0, end), 'binary'), BLOCK_BYTES, 'latin1');
    return hash('sha256', outer, 'binary');
  };
}

/** A key for one purpose alone. */
export function deriveKey(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `posthorn ${purpose}`, 32));
}

export interface Seal {
  seal(plain: Buffer): Buffer;
  /** Throws when the bytes were changed or sealed under another secret or purpose. */
  open(sealed: Buffer): Buffer;
}

/** AES-256-GCM under a key derived from the instance secret for this purpose. */
export function createSeal(secret: Buffer, purpose: string): Seal {
  const key = deriveKey(secret, purpose);
  return {
    seal(plain) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]);
    },
    open(sealed) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES));
      decipher.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    },
  };
}

export function instanceSecretFile(dataDir: string): string {
  return join(dataDir, 'secret');
}

/** The secret of this instance, made at the first start. Two processes starting together agree on one. */
export function loadInstanceSecret(dataDir: string): Buffer {
  const file = instanceSecretFile(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, `${randomBytes(SECRET_BYTES).toString('hex')}\n`, { mode: 0o600 });
  try {
    // A link is made whole or not at all, and never over a file that is there.
    linkSync(fresh, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(fresh);
  }
  chmodSync(file, 0o600);
  return parseInstanceSecret(readFileSync(file, 'utf8'));
}

export function parseInstanceSecret(text: string): Buffer {
  const secret = Buffer.from(text.trim(), 'hex');
  if (secret.length !== SECRET_BYTES) throw new Error('The instance secret is not 64 hexadecimal digits.');
  return secret;
}
