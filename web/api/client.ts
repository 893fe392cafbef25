/** Calls the server's public API with the session cookie instead of a key. */
import { texts } from '../texts/en.ts';
import { noteServerTime } from './server-clock.ts';

export interface FieldIssue {
  path: string;
  message: string;
}

/** What some errors say in addition: the messages that a writer has not seen, and the person who has a draft. */
export interface ErrorDetails {
  newMessages?: string[];
  owner?: { user_id: string; name: string };
}

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly issues: FieldIssue[];
  readonly details: ErrorDetails;

  constructor(
    status: number,
    code: string,
    message: string,
    issues: FieldIssue[] = [],
    details: ErrorDetails = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.issues = issues;
    this.details = details;
  }
}

let onUnauthorized = () => false;

/** The listener is called on every 401 and returns whether a session has ended. */
export function whenSessionEnds(listener: () => boolean): void {
  onUnauthorized = listener;
}

/** A dialog stays open while its request runs, so a connection that has gone silent must not hold it forever. */
const SEND_TIMEOUT_MS = 60_000;

type Query = Record<string, string | number | boolean | null | undefined>;

export function apiUrl(path: string, query: Query = {}): string {
  const pairs = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  const search = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return `/api/v1${path}${search === '' ? '' : `?${search}`}`;
}

export async function getJson<Answer>(path: string, query?: Query, signal?: AbortSignal): Promise<Answer> {
  return (await request('GET', apiUrl(path, query), { signal })) as Answer;
}

export async function sendJson<Answer>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const signal = AbortSignal.timeout(SEND_TIMEOUT_MS);
  const init =
    body === undefined
      ? { headers, signal }
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers }, signal };
  return (await request(method, apiUrl(path), init)) as Answer;
}

/** Sends the file as the body of the request. */
export async function sendFile<Answer>(path: string, file: File, query?: Query): Promise<Answer> {
  const init = { body: file, headers: { 'content-type': file.type || 'application/octet-stream' } };
  return (await request('POST', apiUrl(path, query), init)) as Answer;
}

async function request(method: string, url: string, init: RequestInit): Promise<unknown> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { ...init, method, credentials: 'same-origin', keepalive: isLeaving(init) });
    noteServerTime(response.headers.get('date'));
    text = await response.text();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, 'OFFLINE', '');
  }
  if (response.ok) return text === '' ? null : JSON.parse(text);
  throw await toApiError(response.status, text);
}

/** Browsers let requests of up to 64 kB finish after their tab was closed. */
const MAX_KEPT_ALIVE = 64 * 1024;

function isLeaving({ body }: RequestInit): boolean {
  if (document.visibilityState !== 'hidden' || typeof body !== 'string') return false;
  return new TextEncoder().encode(body).length < MAX_KEPT_ALIVE;
}

/** The error of an answer, in the language of the app. */
export async function toApiError(status: number, text: string): Promise<ApiError> {
  return translateError(readError(status, text));
}

/** Errors have two formats: an object with a code, or a plain sentence. */
function readError(status: number, text: string): ApiError {
  // The server's message for 401 is written for applications that use a key.
  if (status === 401 && onUnauthorized()) return new ApiError(status, 'SESSION_ENDED', '');
  try {
    const { error } = JSON.parse(text) as {
      error: string | ({ code: string; message: string; issues?: FieldIssue[] } & ErrorDetails);
    };
    if (typeof error === 'string') return new ApiError(status, '', error);
    return new ApiError(status, error.code, error.message, error.issues, error);
  } catch {
    return new ApiError(status, '', '');
  }
}

/**
 * The server writes English. Its sentences are loaded with the first error, so that no page waits for them. The message of
 * a fault in a field begins with the name of the field.
 */
async function translateError(error: ApiError): Promise<ApiError> {
  if (texts.language === 'en' || error.message === '') return error;
  try {
    const { serverErrors } = await import('../texts/en/server-errors.ts');
    const issues = error.issues.map(({ path, message }) => ({
      path,
      message: serverErrors.translate(message),
    }));
    const [first] = issues;
    const own = serverErrors.translate(error.message);
    const isKnown =
      own !== error.message || first === undefined || first.message === error.issues[0]!.message;
    const message = isKnown ? own : `${first.path.slice(1).replaceAll('/', '.')} ${first.message}.`;
    return new ApiError(error.status, error.code, message, issues, error.details);
  } catch {
    return error;
  }
}
