/** Sends one request and reads its response. All HTTP fuzzing uses this function. */
import { Agent, request } from 'node:http';
import type { Exchange } from '../findings.ts';
import type { Target } from '../target.ts';

export interface HttpRequest {
  name: string;
  group: string;
  method: string;
  /** The path after `base`, as sent over the network. */
  path: string;
  /** The beginning of the path; `/api` if not set. */
  base?: string;
  headers: Record<string, string>;
  body: Buffer | null;
}

export interface HttpAnswer {
  status: number;
  contentType: string;
  cookie: string | null;
  retryAfter: string | null;
  body: Buffer;
}

/** How long a response may take on an idle machine. */
const ANSWER_LIMIT_MS = 2_000;
/** Finding the primes of a DKIM key takes a random time, but does not delay other requests. */
const NEW_KEY_LIMIT_MS = 10_000;
const NEW_KEY = /\/domains(?:\/[^/?]+\/rotate-key)?(?:\?|$)/;
/** A response that has not arrived by then is a fault. */
const GIVE_UP_MS = 90_000;

const agent = new Agent({ keepAlive: true });

/** Returns null if there was no response. */
export async function send(
  target: Target,
  asked: HttpRequest,
  answerLimitMs = ANSWER_LIMIT_MS,
): Promise<HttpAnswer | null> {
  const makesKey = asked.method === 'POST' && NEW_KEY.test(asked.path);
  const limitMs = makesKey ? NEW_KEY_LIMIT_MS : answerLimitMs;
  return target.observe(toExchange(target, asked), limitMs, () => exchangeBytes(target.url, asked));
}

export function toExchange(
  target: Target,
  { name, group, method, path, base = '/api', headers, body }: HttpRequest,
): Exchange {
  return { name, group, http: { method, url: target.url + base + path, headers, body } };
}

function exchangeBytes(
  url: string,
  { method, path, base = '/api', headers, body }: HttpRequest,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const length = body === null ? {} : { 'content-length': String(body.length) };
    const sent = request(
      url + base + path,
      { method, headers: { ...headers, ...length }, agent, timeout: GIVE_UP_MS },
      (response) => {
        const chunks: Buffer[] = [];
        const contentType = response.headers['content-type'] ?? '';
        const answer = () => ({
          status: response.statusCode!,
          contentType,
          cookie: response.headers['set-cookie']?.[0]?.split(';')[0] ?? null,
          retryAfter: response.headers['retry-after'] ?? null,
          body: Buffer.concat(chunks),
        });
        // An event stream has no end.
        if (contentType.startsWith('text/event-stream')) {
          resolve(answer());
          response.destroy();
          return;
        }
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(answer()));
        response.on('error', reject);
      },
    );
    sent.on('timeout', () => sent.destroy(new Error(`No response within ${GIVE_UP_MS} ms.`)));
    sent.on('error', reject);
    sent.end(body ?? undefined);
  });
}
