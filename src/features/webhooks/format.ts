/**
 * The request that reports an event to a webhook, in the webhook's format. Our own format is here. The formats of other
 * vendors are in the folders of these vendors, and the worker gets them when it starts.
 */
import type { Db } from '../../platform/database/database.ts';
import type { ToldEvent } from './event-facts.ts';
import type { Webhook } from './webhooks.schema.ts';

export interface WebhookRequest {
  contentType: string;
  body: string | Buffer;
  /** Headers beside those of Standard Webhooks, which every request has. */
  headers: Record<string, string>;
}

export interface SigningContext {
  /** The secrets of the webhook with their prefixes: the current one, and the one before it while that is valid. */
  secrets: [string, ...string[]];
  /** The time of the attempt. */
  now: Date;
}

/** Every attempt gets the same body, except for a signature inside of it. Types that a vendor lacks keep their name. */
export type WriteRequest = (db: Db, event: ToldEvent, context: SigningContext) => Promise<WebhookRequest>;

export type VendorFormats = Record<Exclude<Webhook['format'], 'posthorn'>, WriteRequest>;

export function jsonRequest(payload: object, headers: Record<string, string> = {}): WebhookRequest {
  return { contentType: 'application/json', body: JSON.stringify(payload), headers };
}

export function writeOwnRequest({ payload }: ToldEvent): WebhookRequest {
  return jsonRequest(payload);
}
