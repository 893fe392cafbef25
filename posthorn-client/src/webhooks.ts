/** Verifies webhooks according to Standard Webhooks: HMAC-SHA-256 over the ID, the time and the body. */
import { getCrypto } from './crypto.ts';

const TOLERANCE_SECONDS = 5 * 60;
const PREFIX = 'whsec_';

export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

export interface WebhookEvent<Data = Record<string, unknown>> {
  /** `email.delivered`, `contact.created`, … */
  type: string;
  timestamp: string;
  data: Data;
}

export type WebhookHeaders =
  { get(name: string): string | null } | Record<string, string | string[] | undefined>;

/**
 * Returns the event, or throws a WebhookError if the signature is not valid or the time is more than five minutes off.
 * `payload` is the received body before it is parsed.
 */
export async function verifyWebhook(
  payload: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | undefined,
): Promise<WebhookEvent> {
  if (!secret) throw new WebhookError('The secret is missing');
  const id = readHeader(headers, 'webhook-id');
  const time = readHeader(headers, 'webhook-timestamp');
  const signatures = readHeader(headers, 'webhook-signature');
  const seconds = /^\d{1,12}$/.test(time) ? Number(time) : Number.NaN;
  if (!(Math.abs(Date.now() / 1_000 - seconds) <= TOLERANCE_SECONDS))
    throw new WebhookError('The time of the webhook is missing or more than five minutes off');
  const body = typeof payload === 'string' ? payload : new TextDecoder().decode(payload);
  const { subtle } = await getCrypto();
  const bytes = decodeBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (!bytes) throw new WebhookError('The secret is not valid');
  const key = await subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const signed = new TextEncoder().encode(`${id}.${time}.${body}`);
  // While a secret is rotated, there is a signature for each of the two.
  for (const each of signatures.split(' ')) {
    const [version, text = ''] = each.split(',');
    const signature = version === 'v1' ? decodeBase64(text) : null;
    // WebCrypto compares in constant time.
    if (signature && (await subtle.verify('HMAC', key, signature, signed)))
      return JSON.parse(body) as WebhookEvent;
  }
  throw new WebhookError('The signature of the webhook is not valid');
}

function readHeader(headers: WebhookHeaders, name: string): string {
  const value =
    typeof headers.get === 'function'
      ? (headers as { get(name: string): string | null }).get(name)
      : (headers as Record<string, string | string[] | undefined>)[name];
  const text = Array.isArray(value) ? value[0] : value;
  if (!text) throw new WebhookError(`The header ${name} is missing`);
  return text;
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
