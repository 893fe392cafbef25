/**
 * Encryption of data at rest. All keys are derived from the instance secret, one key per purpose, so that bytes
 * encrypted for one purpose cannot be decrypted for another.
 */
import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SECRET_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Goes through a binary string: buffers that OpenSSL allocates cost the garbage collector more than the hash itself.
 */
export function sha256(data: string | Buffer): Buffer {
  return Buffer.from(hash('sha256', data, 'binary'), 'latin1');
}

const BLOCK_BYTES = 64;

/** Returns the MAC of the first `length` bytes as a binary string. */
export type Mac = (bytes: Buffer, length: number) => string;

/**
 * HMAC-SHA256 (RFC 2104) for values that are signed and verified thousands of times a second. It calls node's hash
 * twice and avoids the objects that `createHmac` allocates (decision 20). Tests compare it with `createHmac`.
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

/** Derives a key that is used for one purpose only. */
export function deriveKey(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `posthorn ${purpose}`, 32));
}

export interface SecretBox {
  encrypt(plain: Buffer): Buffer;
  /** Throws when the bytes were changed or encrypted with another secret or purpose. */
  decrypt(encrypted: Buffer): Buffer;
}

/** AES-256-GCM with a key derived from the instance secret for this purpose. */
export function createSecretBox(secret: Buffer, purpose: string): SecretBox {
  const key = deriveKey(secret, purpose);
  return {
    encrypt(plain) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]);
    },
    decrypt(encrypted) {
      const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, IV_BYTES));
      decipher.setAuthTag(encrypted.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      return Buffer.concat([decipher.update(encrypted.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    },
  };
}

export function instanceSecretFile(dataDir: string): string {
  return join(dataDir, 'secret');
}

/** Returns null if there is none yet. */
export function readInstanceSecret(dataDir: string): Buffer | null {
  const file = instanceSecretFile(dataDir);
  return existsSync(file) ? parseInstanceSecret(readFileSync(file, 'utf8')) : null;
}

/**
 * Returns the instance secret and creates it if there is none, which only a new instance may do. Processes that start
 * together agree on one.
 */
export function loadInstanceSecret(dataDir: string): Buffer {
  const file = instanceSecretFile(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, `${randomBytes(SECRET_BYTES).toString('hex')}\n`, { mode: 0o600 });
  try {
    // link() is atomic and never replaces an existing file.
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
