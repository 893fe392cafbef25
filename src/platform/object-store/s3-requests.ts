/**
 * Sends requests to an S3-compatible server.
 * - Every request ends within the timeout. A request without a response, or with a 5xx, is tried once more.
 * - A failure is an AppError with the code UNAVAILABLE; its cause has the details.
 * - After a request without a response, requests fail immediately for BACK_OFF_MS, so that callers that hold a
 *   database connection do not all wait for the timeout.
 */
import { performance } from 'node:perf_hooks';
import { Agent, request } from 'undici';
import { AppError } from '../errors.ts';
import { EMPTY_HASH, encodePart, signRequest, writeQuery, type Credentials } from './sign-request.ts';
import { readTag } from './read-list.ts';

export interface ObjectStoreSettings extends Credentials {
  /** The origin, such as `https://s3.example.com:9000`. */
  origin: string;
  bucket: string;
  /** The prefix has no slashes at its ends. It may be empty. */
  prefix: string;
  timeoutMs: number;
  /** The folder of this instance under the prefix, so that instances can share a bucket. */
  namespace: string;
}

export type StoreOperation = 'put' | 'get' | 'delete' | 'list';

interface S3Request {
  method: 'PUT' | 'GET' | 'DELETE';
  /** The key with the prefix; empty for the bucket itself. */
  key: string;
  query?: Record<string, string>;
  body?: Buffer;
  /** The SHA-256 of the body in hexadecimal. */
  bodyHash?: string;
}

export interface S3Answer {
  status: number;
  /** The time of the server. */
  date: string | undefined;
  body: Buffer;
}

export interface S3Requests {
  /** Throws unless `accepts` returns true for the response. */
  send(operation: StoreOperation, sent: S3Request, accepts: (answer: S3Answer) => boolean): Promise<S3Answer>;
  close(): Promise<void>;
}

type OnRequest = (operation: StoreOperation, outcome: 'ok' | 'failed', reason?: string) => void;

const CONNECTIONS = 32;
const CONNECT_MS = 5_000;
const BACK_OFF_MS = 2_000;
const RETRY_AFTER_SECONDS = 5;

export function createS3Requests(settings: ObjectStoreSettings, onRequest: OnRequest): S3Requests {
  const { timeoutMs } = settings;
  const agent = new Agent({ connections: CONNECTIONS, connect: { timeout: CONNECT_MS } });
  let blockedUntil = 0;
  let lastFailure = '';

  /** Returns the failure if the request should be tried again. */
  async function tryOnce(sent: S3Request): Promise<S3Answer | { failure: string }> {
    try {
      return await sendOnce(agent, settings, sent);
    } catch (error) {
      return { failure: describeFailure(error) };
    }
  }

  return {
    async send(operation, sent, accepts) {
      if (performance.now() < blockedUntil) throw unavailable(lastFailure);
      const startedAt = performance.now();
      let answer = await tryOnce(sent);
      // The server may just have closed a kept-alive connection, so the first failure is retried.
      const isRetryable = 'failure' in answer || answer.status >= 500;
      if (isRetryable && performance.now() - startedAt < timeoutMs / 2) answer = await tryOnce(sent);
      if (!('failure' in answer) && accepts(answer)) {
        onRequest(operation, 'ok');
        return answer;
      }
      if ('failure' in answer) blockedUntil = performance.now() + BACK_OFF_MS;
      lastFailure = 'failure' in answer ? answer.failure : `${answer.status} ${errorCodeOf(answer) ?? ''}`;
      onRequest(operation, 'failed', lastFailure);
      throw unavailable(lastFailure);
    },
    close: () => agent.destroy(),
  };
}

async function sendOnce(
  agent: Agent,
  settings: ObjectStoreSettings,
  { method, key, query = {}, body, bodyHash = EMPTY_HASH }: S3Request,
): Promise<S3Answer> {
  const { origin, bucket, timeoutMs } = settings;
  const path = `/${[bucket, ...(key === '' ? [] : key.split('/'))].map(encodePart).join('/')}`;
  const unsigned = { method, host: new URL(origin).host, path, query, headers: {}, bodyHash };
  const answer = await request(`${origin}${path}?${writeQuery(query)}`, {
    method,
    headers: signRequest(unsigned, settings, new Date()),
    body,
    dispatcher: agent,
    signal: AbortSignal.timeout(timeoutMs),
  });
  const content = Buffer.from(await answer.body.arrayBuffer());
  return { status: answer.statusCode, date: answer.headers.date?.toString(), body: content };
}

function unavailable(reason: string): AppError {
  return new AppError('UNAVAILABLE', 'The object store is not available right now. Try again in a moment.', {
    cause: new Error(`object store: ${reason}`),
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    // onRequest has told of it.
    isReported: true,
  });
}

function describeFailure(error: unknown): string {
  const { name, message, code } = error as Error & { code?: unknown };
  if (name === 'TimeoutError' || String(code).endsWith('_TIMEOUT')) return 'no answer in time';
  return typeof code === 'string' ? `${code}: ${message}` : message;
}

/** The code in an error document, such as NoSuchKey. */
export function errorCodeOf({ body }: S3Answer): string | null {
  return readTag(body.subarray(0, 4_096).toString('utf8'), 'Code');
}
