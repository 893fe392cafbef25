/** One attempt of a request. The timeout and the caller's signal hold until the body has been read. */
import { PosthornError, readError } from './errors.ts';

interface Attempt {
  send: typeof fetch;
  url: string;
  init: RequestInit;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

/** Returns what `read` returns, or the error. Throws the reason of the signal if the caller has aborted. */
export async function attempt<Answer>(
  { send, url, init, timeoutMs, signal }: Attempt,
  read: (response: Response) => Promise<Answer>,
): Promise<Answer | PosthornError> {
  signal?.throwIfAborted();
  const watch = new Watch(timeoutMs, signal);
  try {
    const response = await send(url, { ...init, signal: watch.signal });
    if (!response.ok) return await readError(response);
    const answer = await read(response);
    return (answer as unknown) === response ? (watch.follow(response) as Answer) : answer;
  } catch (cause) {
    return watch.explain(cause);
  } finally {
    watch.end();
  }
}

export async function readJson<Answer>(response: Response): Promise<Answer> {
  const text = await response.text();
  try {
    return JSON.parse(text) as Answer;
  } catch (cause) {
    const type = response.headers.get('content-type')?.split(';')[0] ?? 'no content type';
    throw new PosthornError(
      `The response is not JSON but ${type}. Check that baseUrl is the URL of a Posthorn server.`,
      { code: 'BAD_RESPONSE', status: response.status, cause },
    );
  }
}

/** Aborts the request when its time is up or when the caller aborts. */
class Watch {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;
  readonly #caller: AbortSignal | undefined;
  readonly #abort = () => this.#controller.abort(this.#caller?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isFollowing = false;

  constructor(timeoutMs: number, caller: AbortSignal | undefined) {
    this.#timeoutMs = timeoutMs;
    this.#caller = caller;
    caller?.addEventListener('abort', this.#abort);
    this.#start();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** A file may take long to arrive, so the time for it begins anew with each piece. */
  follow(response: Response): Response {
    if (!response.body) return response;
    this.#isFollowing = true;
    const reader = response.body.getReader();
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        this.#start();
        try {
          const { done, value } = await reader.read();
          // The caller may take any time until it asks for the next piece.
          clearTimeout(this.#timer);
          if (!done) return controller.enqueue(value);
          this.#stop();
          return controller.close();
        } catch (cause) {
          this.#stop();
          throw this.explain(cause);
        }
      },
      cancel: async (reason) => {
        this.#stop();
        await reader.cancel(reason);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  }

  /** Returns the error to report. Throws the reason of the caller's signal if that was the cause. */
  explain(cause: unknown): PosthornError {
    if (this.#caller?.aborted) throw this.#caller.reason;
    if (this.signal.aborted)
      return new PosthornError(`No complete response within ${this.#timeoutMs} ms`, {
        code: 'TIMEOUT',
        status: 0,
        cause,
      });
    if (cause instanceof PosthornError) return cause;
    return new PosthornError('The server cannot be reached, or closed the connection', {
      code: 'NETWORK',
      status: 0,
      cause,
    });
  }

  /** Ends the watch, unless the body is still being read. */
  end(): void {
    if (!this.#isFollowing) this.#stop();
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(), this.#timeoutMs);
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.#abort);
  }
}
