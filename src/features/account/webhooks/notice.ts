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
  private_address: 'the address is not public',
  tls: 'the TLS connection failed',
  reset: 'the connection was closed',
  protocol: 'the response was not valid HTTP',
  redirect: 'the endpoint returned a redirect, and redirects are not followed',
  http_error: 'the endpoint returned an error',
};
const STORED_ERROR = /^([a-z_]+)(?: \((\d{3})\))?$/;

/** Describes a stored error, such as `dns` or `http_error (500)`, in words. */
export function describeCallError(stored: string): string {
  const [, error = '', status] = STORED_ERROR.exec(stored) ?? [];
  if (error === 'http_error' && status) return `the endpoint returned status ${status}`;
  return Object.hasOwn(REASONS, error) ? REASONS[error as CallError] : stored;
}

/** Names a webhook in notices and emails. The query often holds a token, so it is left out. */
export function urlWithoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** From this many failures in a row, an endpoint is called at most once a minute and the dashboard shows a notice. */
export const FAILURES_UNTIL_REST = 5;

/** Returns null when the endpoint works. */
export function noticeOf({ status, reason, failures, failingSince, lastError }: Health): string | null {
  if (reason === 'gone') {
    return 'The endpoint returned 410 Gone, so the webhook was disabled. Set status to active to try again.';
  }
  const why = lastError === null ? '' : `. Last error: ${describeCallError(lastError)}`;
  const summary = `${failures} deliveries in a row have failed since ${failingSince?.toISOString()}${why}.`;
  if (reason === 'failures') {
    return `Paused: ${summary} New events are queued. Set status to active when the endpoint works again.`;
  }
  return status === 'active' && failures >= FAILURES_UNTIL_REST ? summary : null;
}
