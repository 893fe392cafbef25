/** Sends one request and reads its answer. Every request of the fuzzing goes through here. */
import { Agent, request } from 'node:http';
import type { Exchange } from '../findings.ts';
import type { Target } from '../target.ts';

export interface HttpRequest {
  name: string;
  group: string;
  method: string;
  /** Behind `/api`, as it goes over the wire. */
  path: string;
  headers: Record<string, string>;
  body: Buffer | null;
}

export interface HttpAnswer {
  status: number;
  contentType: string;
  cookie: string | null;
  body: Buffer;
}

/** How long an answer may take; the machine's load is added to it. */
const ANSWER_LIMIT_MS = 2_000;
/** Nobody waits for longer than this: an answer that never comes is a fault as well. */
const GIVE_UP_MS = 90_000;

const agent = new Agent({ keepAlive: true });

/** Null when there was no answer. */
export async function send(target: Target, asked: HttpRequest): Promise<HttpAnswer | null> {
  return target.observe(toExchange(target, asked), ANSWER_LIMIT_MS, () => exchangeBytes(target.url, asked));
}

export function toExchange(
  target: Target,
  { name, group, method, path, headers, body }: HttpRequest,
): Exchange {
  return { name, group, http: { method, url: `${target.url}/api${path}`, headers, body } };
}

function exchangeBytes(url: string, { method, path, headers, body }: HttpRequest): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const length = body === null ? {} : { 'content-length': String(body.length) };
    const sent = request(
      `${url}/api${path}`,
      { method, headers: { ...headers, ...length }, agent, timeout: GIVE_UP_MS },
      (response) => {
        const chunks: Buffer[] = [];
        const contentType = response.headers['content-type'] ?? '';
        const answer = () => ({
          status: response.statusCode!,
          contentType,
          cookie: response.headers['set-cookie']?.[0]?.split(';')[0] ?? null,
          body: Buffer.concat(chunks),
        });
        // A stream of events has no end.
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
    sent.on('timeout', () => sent.destroy(new Error(`No answer within ${GIVE_UP_MS} ms.`)));
    sent.on('error', reject);
    sent.end(body ?? undefined);
  });
}
