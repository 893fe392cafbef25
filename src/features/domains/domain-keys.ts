/**
 * DKIM keys: RSA-2048, made by the thread pool, so that no request waits in line behind one; the private half is
 * sealed under the instance secret and leaves by no endpoint.
 */
import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { createSeal, type Seal } from '../../platform/crypto.ts';

export interface NewDomainKey {
  /** Base64 of the SubjectPublicKeyInfo, as it stands in the DNS record. */
  publicKey: string;
  sealedPrivateKey: Buffer;
}

const MODULUS_BITS = 2048;
const generate = promisify(generateKeyPair);

export async function makeDomainKey(secret: Buffer): Promise<NewDomainKey> {
  const { publicKey, privateKey } = await generate('rsa', { modulusLength: MODULUS_BITS });
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    sealedPrivateKey: sealOf(secret).seal(privateKey.export({ type: 'pkcs8', format: 'der' })),
  };
}

export function openDomainKey(secret: Buffer, sealedPrivateKey: Buffer): KeyObject {
  return createPrivateKey({ key: sealOf(secret).open(sealedPrivateKey), type: 'pkcs8', format: 'der' });
}

function sealOf(secret: Buffer): Seal {
  return createSeal(secret, 'dkim keys');
}
