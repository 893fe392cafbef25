/** The secret by which the calls of an automation's webhook steps are signed. It stays the same. */
import { deriveKey } from '../../platform/crypto.ts';

/** `automationKey` is the UUID of the automation. */
export function automationSecret(instanceSecret: Buffer, automationKey: string): string {
  return `whsec_${deriveKey(instanceSecret, `automation webhook ${automationKey}`).subarray(0, 24).toString('base64')}`;
}
