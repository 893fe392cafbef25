import type { CallError } from './calls.schema.ts';

/** The state that the notice about a failing endpoint describes, in the dashboard and in the email to the owners. */
export interface Health {
  status: string;
  reason: string | null;
  failures: number;
  failingSince: Date | null;
  lastError: string | null;
}

const REASONS: Record<CallError, string> = {
  timeout: 'the endpoint did not respond in time',
  dns: 'the host name was not found',
  refused: 'could not connect to the endpoint',
  private_address: 'the address is not public, which needs WEBHOOK_ALLOW_PRIVATE=true',
  tls: 'the TLS connection failed',
  reset: 'the connection was closed',
  protocol: 'the response was not valid HTTP',
  redirect: 'the endpoint returned a redirect, and redirects are not followed',
  http_error: 'the endpoint returned an error',
  internal: 'the request could not be made because of an error on the server',
};
const STORED_ERROR = /^([a-z_]+)(?: \((\d{3})\))?$/;

/** Describes a stored error, such as `dns` or `http_error (500)`, in words. */
export function describeCallError(stored: string): string {
  const [, error = '', status] = STORED_ERROR.exec(stored) ?? [];
  if (error === 'http_error' && status) return `the endpoint returned status ${status}`;
  return Object.hasOwn(REASONS, error) ? REASONS[error as CallError] : stored;
}

/** A part of a path that is a word such as `hooks` or `v1`. Tokens have digits or capitals, or are longer. */
const PATH_WORD = /^(?:[a-z]{1,16}(?:[-_.][a-z]{1,16})?|v\d{1,3})$/;
const MAX_PATH_WORDS = 2;

/**
 * Names a webhook in lists, notices and emails. The query often holds a token, and so does the path with many
 * services, so only the words at the beginning of the path are shown.
 */
export function urlWithoutSecrets(url: string): string {
  const { origin, pathname, search } = new URL(url);
  const parts = pathname.split('/').filter(Boolean);
  const end = parts.findIndex((part) => !PATH_WORD.test(part));
  const words = parts.slice(0, Math.min(MAX_PATH_WORDS, end === -1 ? parts.length : end));
  const shown = [origin, ...words].join('/');
  if (words.length < parts.length) return `${shown}/…`;
  return search === '' ? shown : `${shown}?…`;
}

/** From this many failures in a row, an endpoint is called at most once a minute and the dashboard shows a notice. */
export const FAILURES_UNTIL_REST = 5;

/** Returns null when the endpoint works. */
export function noticeOf({ status, reason, failures, failingSince, lastError }: Health): string | null {
  if (reason === 'gone') {
    return 'The endpoint returned 410 Gone, so the webhook was disabled. Resume it to try again.';
  }
  const why = lastError === null ? '' : `. Last error: ${describeCallError(lastError)}`;
  const summary = `${failures} deliveries in a row have failed since ${failingSince?.toISOString()}${why}.`;
  if (reason === 'failures') {
    return `Paused: ${summary} New events are queued. Resume the webhook when the endpoint works again.`;
  }
  return status === 'active' && failures >= FAILURES_UNTIL_REST ? summary : null;
}
