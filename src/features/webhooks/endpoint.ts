/**
 * Makes one request to a webhook's endpoint and returns the result as a value, with network errors reduced to a few
 * kinds. A request takes at most 15 seconds, reads at most 64 kB of the response and follows no redirect.
 */
import { Agent, request, type Dispatcher } from 'undici';
import type { Dns } from '../../mail/auth/dns.ts';
import { createConnector } from '../instance/connector.ts';
import { classifyNetworkError } from '../instance/network-errors.ts';
import type { CallError } from './calls.schema.ts';
import type { WebhookRequest } from './format.ts';
import { readRetryAfter } from './retry.ts';

export interface EndpointAttempt {
  durationMs: number;
  statusCode: number | null;
  /** The beginning of the response body. Null if there was no response. */
  answer: string | null;
  /** Null when the endpoint accepted the call. */
  error: CallError | null;
  retryAfterMs: number | null;
}

export interface EndpointCaller {
  /** Returns null when `closing` aborted the request, because its outcome is then unknown. */
  post(url: string, request: WebhookRequest, closing: AbortSignal): Promise<EndpointAttempt | null>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 15_000;
const MAX_READ_BYTES = 64 * 1024;
const MAX_KEPT_BYTES = 2 * 1024;
/** Shorter than most servers' keep-alive, so that they rarely close a connection just as we reuse it. */
const KEEP_ALIVE_MS = 1_000;

export function createEndpointCaller(
  dns: Dns,
  options: { allowPrivate: boolean; timeoutMs?: number },
): EndpointCaller {
  const { allowPrivate, timeoutMs = TIMEOUT_MS } = options;
  const agent = new Agent({
    connect: createConnector(dns, allowPrivate),
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  });
  return {
    async post(url, { headers, contentType, body }, closing) {
      const startMs = performance.now();
      const sent = { ...headers, 'content-type': contentType, 'user-agent': 'Posthorn' };
      const result = await sendRequest(url, { headers: sent, body, agent, closing, timeoutMs });
      if (closing.aborted && result.error !== null && result.statusCode === null) return null;
      return {
        durationMs: Math.round(performance.now() - startMs),
        ...result,
        retryAfterMs: readRetryAfter(result.retryAfter, new Date()),
      };
    },
    close: () => agent.destroy(),
  };
}

interface RequestResult {
  statusCode: number | null;
  answer: string | null;
  error: CallError | null;
  retryAfter?: string;
}

async function sendRequest(
  url: string,
  options: {
    headers: Record<string, string>;
    body: string | Buffer;
    agent: Agent;
    closing: AbortSignal;
    timeoutMs: number;
  },
): Promise<RequestResult> {
  const { headers, body, agent, closing, timeoutMs } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const target = withoutCredentials(url);
  try {
    const response = await request(target.url, {
      method: 'POST',
      headers: { ...headers, ...target.headers },
      body,
      dispatcher: agent,
      signal: AbortSignal.any([timeout, closing]),
    });
    const { statusCode } = response;
    const answer = await readBeginning(response.body);
    const error =
      statusCode >= 200 && statusCode < 300
        ? null
        : statusCode >= 300 && statusCode < 400
          ? 'redirect'
          : 'http_error';
    return { statusCode, answer, error, retryAfter: [response.headers['retry-after']].flat()[0] };
  } catch (error) {
    return {
      statusCode: null,
      answer: null,
      error: timeout.aborted ? 'timeout' : classifyNetworkError(error),
    };
  }
}

/** A user name and password in the URL are sent as HTTP Basic authentication (RFC 7617). */
function withoutCredentials(text: string): { url: URL; headers: Record<string, string> } {
  const url = new URL(text);
  const { username, password } = url;
  if (username === '' && password === '') return { url, headers: {} };
  url.username = '';
  url.password = '';
  const pair = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return { url, headers: { authorization: `Basic ${pair.toString('base64')}` } };
}

/** Stops reading at MAX_READ_BYTES. */
async function readBeginning(body: Dispatcher.ResponseData['body']): Promise<string> {
  // Leaving the loop early destroys the stream, which then emits an error that we ignore.
  body.on('error', () => {});
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (bytes < MAX_KEPT_BYTES) chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_READ_BYTES) break;
  }
  const kept = Buffer.concat(chunks).subarray(0, MAX_KEPT_BYTES);
  // PostgreSQL text cannot hold NUL, and the cut may split a character.
  return kept
    .toString('utf8')
    .replaceAll('\0', '')
    .replace(/\uFFFD{1,3}$/, '');
}
