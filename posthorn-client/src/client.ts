/**
 * Sends requests. A request that got no usable response is repeated, at most `maxRetries` times, with growing random
 * delays or after the time in Retry-After: no response at all, one that was cut off or is not JSON, or the status 429,
 * 502, 503 or 504. Requests that change something have an Idempotency-Key, so the server does the work only once for all
 * attempts.
 */
import { getCrypto } from './crypto.ts';
import { attempt, readJson } from './attempt.ts';
import { PosthornError } from './errors.ts';
import { createPages, type Page, type Pages } from './pages.ts';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 20_000;
/** If the server asks for a longer delay, the request is not repeated. */
const MAX_RETRY_AFTER_SECONDS = 120;

/** Required settings may be undefined, as `process.env.POSTHORN_KEY` may be. `createPosthorn` then throws. */
export interface ClientOptions {
  apiKey: string | undefined;
  /** The URL of the server: `https://posthorn.example.com`. */
  baseUrl: string | undefined;
  /** How long one attempt may take, until its body has arrived. For files, between two pieces. Default: 60 seconds. */
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
  const base = readBaseUrl(settings.baseUrl);
  if (!settings.apiKey) throw missing('apiKey', 'an API key, such as ph_…');
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

  /** Reads the response within the attempt, so that a response that breaks off is one that can be repeated. */
  async function run<Answer>(
    call: Call,
    options: Options,
    read: (response: Response) => Promise<Answer>,
  ): Promise<Answer> {
    const { url, init, isStream } = await toRequest(call, options);
    const maxRetries = isStream ? 0 : (options.maxRetries ?? settings.maxRetries ?? 3);
    const timeoutMs = options.timeoutMs ?? settings.timeoutMs ?? 60_000;
    const once = { send, url, init: init as RequestInit, timeoutMs, signal: options.signal };
    for (let retries = 0; ; retries++) {
      const result = await attempt(once, read);
      if (!(result instanceof PosthornError)) return result;
      const delayMs = retries < maxRetries ? delayBefore(result, retries) : null;
      if (delayMs === null) throw result;
      await wait(delayMs, options.signal);
    }
  }

  const request = <Answer>(call: Call, options: Options = {}) =>
    run(call, options, (response) => readJson<Answer>(response));

  return {
    request,
    download: (call, options = {}) => run(call, options, (response) => Promise.resolve(response)),
    pages: (call, options) =>
      createPages(
        (cursor) => request<Page<never>>({ ...call, query: { ...call.query, cursor } }, options),
        call.query?.cursor as string | undefined,
      ),
  };
}

function readBaseUrl(text: string | undefined): string {
  if (!text) throw missing('baseUrl', 'the URL of your server, such as https://posthorn.example.com');
  if (!isHttpUrl(text))
    throw new PosthornError(`baseUrl is not an http or https URL: ${text}`, {
      code: 'BAD_SETTING',
      status: 0,
    });
  return text.replace(/\/+$/, '');
}

function isHttpUrl(text: string): boolean {
  try {
    return /^https?:$/.test(new URL(text).protocol);
  } catch {
    return false;
  }
}

function missing(name: string, what: string): PosthornError {
  return new PosthornError(`${name} is missing. Set it to ${what}.`, { code: 'BAD_SETTING', status: 0 });
}

/** The statuses of a server or proxy that is overloaded, or has lost the response. */
const REPEATED = [0, 429, 502, 503, 504];

/** Returns null if the request must not be repeated. */
function delayBefore({ status, code, message, retryAfter }: PosthornError, retries: number): number | null {
  // After a lost connection, the first attempt may still be running.
  const isStillRunning =
    status === 409 && code === 'CONFLICT' && retries > 0 && message.includes('Idempotency-Key');
  if (!REPEATED.includes(status) && code !== 'BAD_RESPONSE' && !isStillRunning) return null;
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
