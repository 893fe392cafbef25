/** Standard Webhooks: how a call is signed (https://www.standardwebhooks.com). */
import { createHmac, randomBytes } from 'node:crypto';
import { createSeal, type Seal } from '../../platform/crypto.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 24;

export function makeSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** Secrets are kept sealed: unlike a key's, their hash would not do. */
export function createSecretSeal(instanceSecret: Buffer): Seal {
  return createSeal(instanceSecret, 'webhook secrets');
}

export interface SignedHeaders {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/** With several secrets, each signs: whoever knows one of them can verify. */
export function sign(secrets: string[], id: string, at: Date, body: string): SignedHeaders {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
