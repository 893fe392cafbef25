/** A webhook request with a form (multipart/form-data, RFC 7578). */
import { createHash } from 'node:crypto';
import type { WebhookRequest } from '../../../features/webhooks/format.ts';

/** `id` is the event. The boundary depends on it, so that every attempt sends the same bytes. */
export function formRequest(
  id: string,
  fields: Record<string, string | Buffer>,
  headers: Record<string, string> = {},
): WebhookRequest {
  const boundary = `posthorn-${createHash('sha256').update(`form ${id}`).digest('hex')}`;
  const parts = Object.entries(fields).flatMap(([name, value]) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`),
    Buffer.from(value as string),
    Buffer.from('\r\n'),
  ]);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
    headers,
  };
}
