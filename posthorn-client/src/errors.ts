/** A problem with the input. `path` is a JSON pointer to the field. */
export interface Issue {
  path: string;
  message: string;
}

/** An error response of the server, or a request without a response. */
export class PosthornError extends Error {
  override readonly name = 'PosthornError';
  /**
   * `NOT_FOUND`, `BAD_REQUEST`, …; `NETWORK` and `TIMEOUT` if there was no complete response, `BAD_RESPONSE` if it is not
   * JSON, and `BAD_SETTING` if a setting of the client is missing or wrong.
   */
  readonly code: string;
  /** The HTTP status; 0 if there was no complete response. */
  readonly status: number;
  readonly issues: Issue[];
  /** The seconds to wait before the next attempt, if the server sent them. */
  readonly retryAfter: number | null;

  constructor(
    message: string,
    details: { code: string; status: number; issues?: Issue[]; retryAfter?: number | null; cause?: unknown },
  ) {
    super(message, { cause: details.cause });
    this.code = details.code;
    this.status = details.status;
    this.issues = details.issues ?? [];
    this.retryAfter = details.retryAfter ?? null;
  }
}

const CODES: Record<number, string> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  413: 'TOO_LARGE',
  422: 'IDEMPOTENCY_MISMATCH',
  429: 'RATE_LIMITED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'UNAVAILABLE',
};

/** Reads both forms of errors: `{"error": {code, message}}` and `{"error": "message"}`. */
export async function readError(response: Response): Promise<PosthornError> {
  const { status } = response;
  const text = await response.text();
  const retryAfter = readRetryAfter(response.headers.get('retry-after'));
  const fallback = { code: CODES[status] ?? 'INTERNAL', status, retryAfter };
  try {
    const { error } = JSON.parse(text) as {
      error: string | { code?: string; message?: string; issues?: Issue[] };
    };
    if (typeof error === 'string') return new PosthornError(error, fallback);
    const { code = fallback.code, message = describe(response), issues = [] } = error;
    return new PosthornError(message, { ...fallback, code, issues });
  } catch {
    return new PosthornError(describe(response), fallback);
  }
}

/** For the error page of a proxy, or of another server. */
function describe({ status, statusText }: Response): string {
  return `The server responded with ${status}${statusText ? ` (${statusText})` : ''} and no error in JSON.`;
}

/** The value is a number of seconds or a date (RFC 9110, section 10.2.3). */
function readRetryAfter(value: string | null): number | null {
  if (value === null) return null;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}
