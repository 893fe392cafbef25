/** Signs calls according to Standard Webhooks (https://www.standardwebhooks.com). */
import { createHmac, randomBytes } from 'node:crypto';
import { createSecretBox, type SecretBox } from '../../platform/crypto.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 24;

export function makeSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** Secrets are encrypted rather than hashed, because signing needs the plain secret. */
export function createWebhookSecretBox(instanceSecret: Buffer): SecretBox {
  return createSecretBox(instanceSecret, 'webhook secrets');
}

export interface SignedHeaders {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/** Adds one signature per secret, so that a receiver can verify with any of them. */
export function sign(secrets: string[], id: string, at: Date, body: string | Buffer): SignedHeaders {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
