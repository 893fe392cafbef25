/**
 * Fetches a file from a URL that a caller named. It follows no redirect, and its size and time are limited. Private
 * addresses are rejected unless the operator allows them for webhooks.
 */
import { Agent, request } from 'undici';
import type { Dns } from '../../mail/auth/dns.ts';
import { createConnector } from './connector.ts';

export type FetchFile = (
  url: string,
  limits: { maxBytes: number; signal: AbortSignal },
) => Promise<Buffer | FetchFailure>;

/** Why there is no file, as the end of a sentence. */
export class FetchFailure {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

const NOT_REACHED = 'its server cannot be reached';

export function createFileFetcher(dns: Dns, options: { allowPrivate: boolean }): FetchFile {
  const connect = createConnector(dns, options.allowPrivate);
  return async (url, { maxBytes, signal }) => {
    const parsed = URL.canParse(url) ? new URL(url) : null;
    if (!parsed || !/^https?:$/.test(parsed.protocol))
      return new FetchFailure('it is not an http or https URL');
    if (parsed.username || parsed.password) return new FetchFailure('it contains a user name or password');
    const agent = new Agent({ connect });
    try {
      const { statusCode, headers, body } = await request(parsed, {
        headers: { 'user-agent': 'Posthorn' },
        dispatcher: agent,
        signal,
      });
      body.on('error', () => {});
      if (statusCode >= 300 && statusCode < 400) return new FetchFailure('redirects are not followed');
      if (statusCode !== 200) return new FetchFailure(`its server answered with status ${statusCode}`);
      const tooLarge = new FetchFailure('it is too large');
      if (Number(headers['content-length']) > maxBytes) return tooLarge;
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of body as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > maxBytes) return tooLarge;
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    } catch {
      return new FetchFailure(signal.aborted ? 'its server took too long' : NOT_REACHED);
    } finally {
      await agent.destroy();
    }
  };
}
