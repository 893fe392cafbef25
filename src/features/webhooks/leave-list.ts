/** Calls the URL by which a mailing list is left (RFC 8058 section 3.2). The job is retried while the server fails. */
import type { EndpointCaller } from './endpoint.ts';

export async function leaveByOneClick(endpoints: EndpointCaller, { url }: { url: string }): Promise<void> {
  const attempt = await endpoints.post(
    url,
    { headers: {}, contentType: 'application/x-www-form-urlencoded', body: 'List-Unsubscribe=One-Click' },
    new AbortController().signal,
  );
  if (attempt?.error !== null && (attempt?.statusCode ?? 500) >= 500)
    throw new Error(`A mailing list could not be left: ${attempt?.error ?? 'closing'}`);
}
