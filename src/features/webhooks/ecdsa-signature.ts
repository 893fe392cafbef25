/**
 * SendGrid signs its webhooks with ECDSA (P-256 and SHA-256), and receivers have the public key. The private key is
 * derived from the secret of the webhook, so that it needs no place of its own and is rotated with the secret.
 */
import { createECDH, createPrivateKey, createPublicKey, hkdfSync, sign, type KeyObject } from 'node:crypto';

const CURVE = 'prime256v1';
/** The order of P-256 (FIPS 186-5). A private key is between 1 and this number, without both. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
/** 16 bytes more than the order has, so that the remainder is evenly distributed (FIPS 186-5, appendix A.2.1). */
const DERIVED_BYTES = 48;

function privateKeyOf(secret: string): KeyObject {
  const derived = Buffer.from(hkdfSync('sha256', secret, '', 'webhook ecdsa p-256', DERIVED_BYTES));
  const number = (BigInt(`0x${derived.toString('hex')}`) % (ORDER - 1n)) + 1n;
  const scalar = Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
  const curve = createECDH(CURVE);
  curve.setPrivateKey(scalar);
  // An uncompressed point: a byte, then both coordinates (SEC 1, section 2.3.3).
  const point = curve.getPublicKey();
  const key = {
    kty: 'EC',
    crv: 'P-256',
    d: scalar.toString('base64url'),
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  return createPrivateKey({ key, format: 'jwk' });
}

/** As SendGrid shows it: SubjectPublicKeyInfo in base64. */
export function publicKeyOf(secret: string): string {
  const key = createPublicKey(privateKeyOf(secret));
  return key.export({ type: 'spki', format: 'der' }).toString('base64');
}

/** Signs the timestamp and the body. Returns base64. */
export function signEcdsa(secret: string, timestamp: string, body: string | Buffer): string {
  const signed = Buffer.concat([Buffer.from(timestamp), Buffer.from(body as string)]);
  return sign('sha256', signed, privateKeyOf(secret)).toString('base64');
}
