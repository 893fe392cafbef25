/** The Posthorn client. It has no dependencies and runs wherever `fetch` exists: Node.js 18, browsers, Deno. */
import { createClient, type ClientOptions } from './client.ts';
import { createGroups } from './groups.ts';

export type Posthorn = ReturnType<typeof createPosthorn>;

export function createPosthorn(options: ClientOptions) {
  return createGroups(createClient(options));
}

export { PosthornError, type Issue } from './errors.ts';
export { verifyWebhook, WebhookError, type WebhookEvent, type WebhookHeaders } from './webhooks.ts';
export type { ClientOptions, Options, UploadBody } from './client.ts';
export type { Page, Pages } from './pages.ts';
export type * from './types.ts';
