/** The keys of the audit log. Both are derived from the instance secret, so that the database alone cannot forge entries. */
import { createHmac, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { deriveKey, sha256 } from '../../platform/crypto.ts';

export interface AuditKeys {
  /** HMAC-SHA256. */
  mac(text: string): Buffer;
  /** Ed25519. */
  sign(hash: Buffer): Buffer;
  isSigned(hash: Buffer, signature: Buffer): boolean;
  /** The start of the SHA-256 of the public key, in hexadecimal digits. */
  signedBy: string;
}

/** The DER encoding of an Ed25519 private key up to the key itself (RFC 8410 section 7). */
const PRIVATE_KEY_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const FINGERPRINT_DIGITS = 16;

const known = new WeakMap<Buffer, AuditKeys>();

export function auditKeysOf(secret: Buffer): AuditKeys {
  const found = known.get(secret);
  if (found) return found;
  const keys = deriveKeys(secret);
  known.set(secret, keys);
  return keys;
}

function deriveKeys(secret: Buffer): AuditKeys {
  const macKey = deriveKey(secret, 'audit entries');
  const privateKey: KeyObject = createPrivateKey({
    key: Buffer.concat([PRIVATE_KEY_HEAD, deriveKey(secret, 'audit seals')]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = createPublicKey(privateKey);
  return {
    mac: (text) => createHmac('sha256', macKey).update(text).digest(),
    sign: (hash) => sign(null, hash, privateKey),
    isSigned: (hash, signature) => verify(null, hash, publicKey, signature),
    signedBy: sha256(publicKey.export({ format: 'der', type: 'spki' }))
      .toString('hex')
      .slice(0, FINGERPRINT_DIGITS),
  };
}
