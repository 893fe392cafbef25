/**
 * DKIM keys are RSA-2048 keys of two or three primes, whichever signs faster on this computer (decision 27). The
 * private key is encrypted with the instance secret, and no endpoint returns it.
 */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { createSecretBox, type SecretBox } from '../../../platform/crypto.ts';
import { findFasterPrimes, generateRsaKey } from '../../../platform/certificates/rsa-key.ts';
import type { Facts } from '../../instance/facts.ts';

export interface NewDomainKey {
  /** SubjectPublicKeyInfo in base64, as in the DNS record. */
  publicKey: string;
  encryptedPrivateKey: Buffer;
}

const MODULUS_BITS = 2048;
let fasterPrimes: Promise<2 | 3> | undefined;

export async function makeDomainKey({
  secret,
  dkimPrimes,
}: Pick<Facts, 'secret' | 'dkimPrimes'>): Promise<NewDomainKey> {
  const privateKey = await generateRsaKey(
    MODULUS_BITS,
    dkimPrimes ?? (await (fasterPrimes ??= findFasterPrimes(MODULUS_BITS))),
  );
  return {
    publicKey: createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64'),
    encryptedPrivateKey: createDomainKeyBox(secret).encrypt(
      privateKey.export({ type: 'pkcs8', format: 'der' }),
    ),
  };
}

export function openDomainKey(secret: Buffer, encryptedPrivateKey: Buffer): KeyObject {
  return createPrivateKey({
    key: createDomainKeyBox(secret).decrypt(encryptedPrivateKey),
    type: 'pkcs8',
    format: 'der',
  });
}

export function createDomainKeyBox(secret: Buffer): SecretBox {
  return createSecretBox(secret, 'dkim keys');
}
