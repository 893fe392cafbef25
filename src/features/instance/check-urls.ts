/**
 * Checks whether URLs from a caller can be reached. It follows a few redirects and reads no content. Private addresses
 * are rejected unless the operator allows them for webhooks; every connection is checked, also after a redirect.
 */
import { Agent, request } from 'undici';
import type { Dns } from '../../mail/auth/dns.ts';
import { createConnector } from './connector.ts';
import { classifyNetworkError, type NetworkError } from './network-errors.ts';

export interface UrlCheck {
  /** The status of the last response. Null if there was none. */
  statusCode: number | null;
  /** The content type of the last response, without its parameters. */
  contentType: string | null;
  /** Null if there was a response. */
  problem: NetworkError | 'redirects' | null;
}

/** Returns the checks in the order of the URLs, with null for those not checked before `signal` was aborted. */
export type CheckUrls = (urls: string[], signal: AbortSignal) => Promise<(UrlCheck | null)[]>;

const TIMEOUT_MS = 6_000;
const PARALLEL = 10;
/** Limits connections per site, so that a check of many links does not look like an attack. */
const CONNECTIONS_PER_SITE = 4;
const MAX_REDIRECTS = 5;
/** Some servers do not support HEAD, or respond to it differently from GET. */
const HEAD_REFUSED = new Set([400, 403, 404, 405, 406, 410, 500, 501, 503]);

export function createUrlChecker(dns: Dns, { allowPrivate }: { allowPrivate: boolean }): CheckUrls {
  const connect = createConnector(dns, allowPrivate);
  return async (urls, signal) => {
    const agent = new Agent({ connect, connections: CONNECTIONS_PER_SITE });
    const checks = urls.map((): UrlCheck | null => null);
    // The loops share one iterator, so each takes the next URL that no other has taken.
    const entries = urls.entries();
    const runLane = async (): Promise<void> => {
      for (const [at, url] of entries) {
        if (signal.aborted) return;
        checks[at] = await checkUrl(url, agent, signal);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, runLane));
    await agent.destroy();
    return checks;
  };
}

async function checkUrl(url: string, agent: Agent, signal: AbortSignal): Promise<UrlCheck | null> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await follow(url, agent, AbortSignal.any([timeout, signal]));
  } catch (error) {
    if (signal.aborted) return null;
    return {
      statusCode: null,
      contentType: null,
      problem: timeout.aborted ? 'timeout' : classifyNetworkError(error),
    };
  }
}

async function follow(url: string, agent: Agent, signal: AbortSignal): Promise<UrlCheck> {
  let target = new URL(url);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const head = await ask('HEAD', target, agent, signal);
    const answer = HEAD_REFUSED.has(head.statusCode) ? await ask('GET', target, agent, signal) : head;
    const next = answer.location && URL.canParse(answer.location, target.href);
    if (answer.statusCode < 300 || answer.statusCode >= 400 || !next) {
      return { statusCode: answer.statusCode, contentType: answer.contentType, problem: null };
    }
    target = new URL(answer.location!, target);
    if (!/^https?:$/.test(target.protocol)) break;
  }
  return { statusCode: null, contentType: null, problem: 'redirects' };
}

interface Answer {
  statusCode: number;
  location: string | undefined;
  contentType: string | null;
}

async function ask(method: 'HEAD' | 'GET', target: URL, agent: Agent, signal: AbortSignal): Promise<Answer> {
  const bare = new URL(target);
  bare.username = '';
  bare.password = '';
  const { statusCode, headers, body } = await request(bare, {
    method,
    headers: { 'user-agent': 'Mozilla/5.0 (compatible; Posthorn)', accept: '*/*' },
    dispatcher: agent,
    signal,
  });
  // Destroying the stream without reading it emits an error that can be ignored.
  body.on('error', () => {});
  body.destroy();
  const [contentType = ''] = [headers['content-type']].flat();
  return {
    statusCode,
    location: [headers.location].flat()[0],
    contentType: contentType.split(';')[0]!.trim().toLowerCase() || null,
  };
}
