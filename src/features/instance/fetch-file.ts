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

interface FetchedFile {
  body: Buffer;
  contentType: string;
  etag: string | null;
  lastModified: string | null;
  /** Where it was in the end. */
  url: string;
}

/** Returns null if nothing has changed since the response with this `etag` or `lastModified`. */
export type FetchChanged = (
  url: string,
  options: { maxBytes: number; signal: AbortSignal; etag: string | null; lastModified: string | null },
) => Promise<FetchedFile | FetchFailure | null>;

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
  return async (url, limits) => {
    const answer = await requestFile(connect, url, { ...limits, headers: {} });
    if (answer instanceof FetchFailure) return answer;
    return answer.kind === 'file' ? answer.file.body : new FetchFailure('redirects are not followed');
  };
}

const MAX_REDIRECTS = 3;

/** Each address of a redirect is checked like the first. */
export function createChangedFetcher(dns: Dns, { allowPrivate }: { allowPrivate: boolean }): FetchChanged {
  const connect = createConnector(dns, allowPrivate);
  return async (given, { etag, lastModified, ...limits }) => {
    const headers = {
      ...(etag ? { 'if-none-match': etag } : {}),
      ...(lastModified ? { 'if-modified-since': lastModified } : {}),
    };
    let url = given;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const answer = await requestFile(connect, url, { ...limits, headers });
      if (answer instanceof FetchFailure) return answer;
      if (answer.kind === 'file') return answer.file;
      if (answer.status === 304 && (etag ?? lastModified) !== null) return null;
      if (!answer.location || !URL.canParse(answer.location, url))
        return new FetchFailure(`its server answered with status ${answer.status}`);
      url = new URL(answer.location, url).href;
    }
    return new FetchFailure('it redirects too often');
  };
}

interface RequestLimits {
  maxBytes: number;
  signal: AbortSignal;
  headers: Record<string, string>;
}

type FileAnswer =
  { kind: 'file'; file: FetchedFile } | { kind: 'elsewhere'; status: number; location: string | null };

async function requestFile(
  connect: ReturnType<typeof createConnector>,
  url: string,
  { maxBytes, signal, headers: sent }: RequestLimits,
): Promise<FileAnswer | FetchFailure> {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (!parsed || !/^https?:$/.test(parsed.protocol))
    return new FetchFailure('it is not an http or https URL');
  if (parsed.username || parsed.password) return new FetchFailure('it contains a user name or password');
  const agent = new Agent({ connect });
  try {
    const { statusCode, headers, body } = await request(parsed, {
      headers: { 'user-agent': 'Posthorn', ...sent },
      dispatcher: agent,
      signal,
    });
    body.on('error', () => {});
    const first = (name: string): string | null => [headers[name]].flat()[0] ?? null;
    if (statusCode >= 300 && statusCode < 400)
      return { kind: 'elsewhere', status: statusCode, location: first('location') };
    if (statusCode !== 200) return new FetchFailure(`its server answered with status ${statusCode}`);
    const read = await readLimited(body, Number(headers['content-length']), maxBytes);
    if (!read) return new FetchFailure('it is too large');
    const file = {
      body: read,
      contentType: first('content-type') ?? '',
      etag: shortField(first('etag')),
      lastModified: shortField(first('last-modified')),
      url: parsed.href,
    };
    return { kind: 'file', file };
  } catch {
    return new FetchFailure(signal.aborted ? 'its server took too long' : NOT_REACHED);
  } finally {
    await agent.destroy();
  }
}

/** What is longer is not worth keeping for the next request. */
function shortField(value: string | null): string | null {
  return value && value.length <= 500 ? value : null;
}

/** Returns null if there is more. */
async function readLimited(
  body: AsyncIterable<Buffer>,
  announced: number,
  maxBytes: number,
): Promise<Buffer | null> {
  if (announced > maxBytes) return null;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
