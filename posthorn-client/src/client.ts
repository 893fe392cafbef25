/**
 * Sends requests. A request that got no response, 429 or 503 is repeated, at most `maxRetries` times, with growing
 * random delays or after the time in Retry-After. Requests that change something have an Idempotency-Key, so the
 * server does the work only once for all attempts.
 */
import { getCrypto } from './crypto.ts';
import { PosthornError, readError } from './errors.ts';
import { createPages, type Page, type Pages } from './pages.ts';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 20_000;
/** If the server asks for a longer delay, the request is not repeated. */
const MAX_RETRY_AFTER_SECONDS = 120;

export interface ClientOptions {
  apiKey: string;
  /** The URL of the server: `https://posthorn.example.com`. */
  baseUrl: string;
  /** How long one attempt may take. Default: 60 seconds. */
  timeoutMs?: number;
  /** Default: 3. */
  maxRetries?: number;
  /** Another implementation of fetch. */
  fetch?: typeof fetch;
}

/** Options of one call. */
export interface Options {
  signal?: AbortSignal;
  timeoutMs?: number;
  maxRetries?: number;
  /** Default: a new key for each call. Pass your own to make a call safe that your application repeats. */
  idempotencyKey?: string;
}

/** A file to send. A stream cannot be sent again, so its request is not repeated. */
export type UploadBody = string | Uint8Array | Blob | ReadableStream<Uint8Array>;

interface Call {
  method: string;
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  /** Default: JSON. */
  contentType?: string;
}

export interface Client {
  request<Answer>(call: Call, options?: Options): Promise<Answer>;
  pages<Item>(call: Call, options?: Options): Pages<Item>;
  /** Returns the raw response, for content that is not JSON. */
  download(call: Call, options?: Options): Promise<Response>;
}

export function createClient(settings: ClientOptions): Client {
  const base = settings.baseUrl.replace(/\/+$/, '');
  const send = settings.fetch ?? fetch;

  async function toRequest({ method, path, query, body, contentType }: Call, options: Options) {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query ?? {}))
      if (value !== undefined) search.set(name, String(value));
    const headers: Record<string, string> = { authorization: `Bearer ${settings.apiKey}` };
    if (body !== undefined) headers['content-type'] = contentType ?? 'application/json';
    if (method === 'POST' || method === 'PUT' || method === 'PATCH')
      headers['idempotency-key'] = options.idempotencyKey ?? (await getCrypto()).randomUUID();
    const isStream = contentType !== undefined && body instanceof ReadableStream;
    const sent = contentType === undefined ? JSON.stringify(body) : body;
    const init = { method, headers, body: sent, ...(isStream ? { duplex: 'half' } : {}) };
    const text = search.toString();
    return { url: `${base}/api${path}${text === '' ? '' : `?${text}`}`, init, isStream };
  }

  async function download(call: Call, options: Options = {}): Promise<Response> {
    const { url, init, isStream } = await toRequest(call, options);
    const maxRetries = isStream ? 0 : (options.maxRetries ?? settings.maxRetries ?? 3);
    const timeoutMs = options.timeoutMs ?? settings.timeoutMs ?? 60_000;
    for (let retries = 0; ; retries++) {
      const result = await attempt(send, url, init as RequestInit, timeoutMs, options.signal);
      if (result instanceof Response) return result;
      const delayMs = retries < maxRetries ? delayBefore(result, retries) : null;
      if (delayMs === null) throw result;
      await wait(delayMs, options.signal);
    }
  }

  async function request<Answer>(call: Call, options?: Options): Promise<Answer> {
    return (await (await download(call, options)).json()) as Answer;
  }

  return {
    request,
    download,
    pages: (call, options) =>
      createPages(
        (cursor) => request<Page<never>>({ ...call, query: { ...call.query, cursor } }, options),
        call.query?.cursor as string | undefined,
      ),
  };
}

/** The timeout ends when the head of the response arrives, so that large files have time to arrive. */
async function attempt(
  send: typeof fetch,
  url: string,
  init: RequestInit,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Response | PosthornError> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  signal?.addEventListener('abort', abort);
  try {
    const response = await send(url, { ...init, signal: controller.signal });
    return response.ok ? response : await readError(response);
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    if (controller.signal.aborted)
      return new PosthornError(`No answer within ${timeoutMs} ms`, { code: 'TIMEOUT', status: 0, cause });
    return new PosthornError('The server cannot be reached', { code: 'NETWORK', status: 0, cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** Returns null if the request must not be repeated. */
function delayBefore({ status, code, message, retryAfter }: PosthornError, retries: number): number | null {
  // After a lost connection, the first attempt may still be running.
  const isStillRunning =
    status === 409 && code === 'CONFLICT' && retries > 0 && message.includes('Idempotency-Key');
  if (status !== 0 && status !== 429 && status !== 503 && !isStillRunning) return null;
  if (retryAfter !== null && retryAfter > MAX_RETRY_AFTER_SECONDS) return null;
  const backoffMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** retries);
  return Math.max((retryAfter ?? 0) * 1_000, backoffMs / 2) + (Math.random() * backoffMs) / 2;
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    function abort(): void {
      clearTimeout(timer);
      reject(signal!.reason);
    }
    signal?.addEventListener('abort', abort, { once: true });
  });
}
