/** The one way to the server: the same API as everyone's, by the session's cookie instead of a key. */
import { noteServerTime } from './server-clock.ts';

export interface FieldIssue {
  path: string;
  message: string;
}

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly issues: FieldIssue[];

  constructor(status: number, code: string, message: string, issues: FieldIssue[] = []) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.issues = issues;
  }
}

let onStranger = () => false;

/** Asked whenever the server knows nobody, in whichever way it was called: was there a session that has ended? */
export function whenSessionEnds(listener: () => boolean): void {
  onStranger = listener;
}

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
  const init =
    body === undefined
      ? { headers }
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } };
  return (await request(method, apiUrl(path), init)) as Answer;
}

async function request(method: string, url: string, init: RequestInit): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(url, { ...init, method, credentials: 'same-origin' });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, 'OFFLINE', '');
  }
  noteServerTime(response.headers.get('date'));
  const text = await response.text();
  if (response.ok) return text === '' ? null : JSON.parse(text);
  throw toApiError(response.status, text);
}

/** Errors come in two forms: an object with a code, or a bare sentence. */
export function toApiError(status: number, text: string): ApiError {
  // What the server says then is meant for programs with a key.
  if (status === 401 && onStranger()) return new ApiError(status, 'SESSION_ENDED', '');
  try {
    const { error } = JSON.parse(text) as {
      error: string | { code: string; message: string; issues?: FieldIssue[] };
    };
    if (typeof error === 'string') return new ApiError(status, '', error);
    return new ApiError(status, error.code, error.message, error.issues);
  } catch {
    return new ApiError(status, '', '');
  }
}
