/**
 * Messages to push services: encrypted for one browser (RFC 8291, with the coding aes128gcm of RFC 8188), and signed by
 * this instance (VAPID, RFC 8292).
 */
import {
  createCipheriv,
  createECDH,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';

const CURVE = 'prime256v1';
/** One record holds everything. */
const RECORD_BYTES = 4096;
const LAST_RECORD = Buffer.from([2]);
const SALT_BYTES = 16;
const TAG_BYTES = 16;
const POINT_BYTES = 65;
/** What push services must take (RFC 8291 section 4), without the parts that encryption adds. */
export const MAX_PUSH_BYTES = RECORD_BYTES - SALT_BYTES - 4 - 1 - POINT_BYTES - 1 - TAG_BYTES;
const TOKEN_SECONDS = 12 * 3600;

export interface Browser {
  /** The uncompressed P-256 point. */
  publicKey: Buffer;
  authSecret: Buffer;
}

export interface PushKey {
  /** The uncompressed P-256 point. */
  publicKey: Buffer;
  privateKey: KeyObject;
}

/** True for the uncompressed form of a point of the curve. */
export function isPublicKey(point: Buffer): boolean {
  if (point.length !== POINT_BYTES || point[0] !== 4) return false;
  try {
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
    createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x!, y: y! }, format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}

/** `own` is given by tests alone: each message has a salt and a key of its own. */
export function encryptPush(
  plain: Buffer,
  { publicKey, authSecret }: Browser,
  own: { salt?: Buffer; privateKey?: Buffer } = {},
): Buffer {
  const ecdh = createECDH(CURVE);
  if (own.privateKey) ecdh.setPrivateKey(own.privateKey);
  else ecdh.generateKeys();
  const sender = ecdh.getPublicKey();
  const salt = own.salt ?? randomBytes(SALT_BYTES);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, sender]);
  const secret = Buffer.from(hkdfSync('sha256', ecdh.computeSecret(publicKey), authSecret, info, 32));
  const derive = (name: string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${name}\0`, length));
  const cipher = createCipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
  const body = Buffer.concat([
    cipher.update(plain),
    cipher.update(LAST_RECORD),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  const size = Buffer.alloc(5);
  size.writeUInt32BE(RECORD_BYTES, 0);
  size.writeUInt8(sender.length, 4);
  return Buffer.concat([salt, size, sender, body]);
}

export function generatePushKey(): { publicKey: Buffer; privateKey: Buffer } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: CURVE });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url')]);
  return { publicKey: point, privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }) };
}

export function openPushKey(publicKey: Buffer, privateKey: Buffer): PushKey {
  return { publicKey, privateKey: createPrivateKey({ key: privateKey, type: 'pkcs8', format: 'der' }) };
}

/** The Authorization header. `subject` is how the operators of push services reach us: a URL or mailto:. */
export function authorizePush(key: PushKey, endpoint: string, subject: string, now: Date): string {
  const claims = {
    aud: new URL(endpoint).origin,
    exp: Math.floor(now.getTime() / 1000) + TOKEN_SECONDS,
    sub: subject,
  };
  const signed = `${toPart({ typ: 'JWT', alg: 'ES256' })}.${toPart(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${key.publicKey.toString('base64url')}`;
}

function toPart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
