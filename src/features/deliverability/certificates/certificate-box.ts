import { createSecretBox, type SecretBox } from '../../../platform/crypto.ts';

/** Encrypts the private keys of certificates of hosts, and those of ACME accounts. */
export function createCertificateBox(secret: Buffer): SecretBox {
  return createSecretBox(secret, 'host certificates');
}
