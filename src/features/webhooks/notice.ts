import type { CallError } from './calls.schema.ts';

/** What people are told about an endpoint that fails: in the dashboard, and in the mail to the team's owners. */
export interface Health {
  status: string;
  reason: string | null;
  failures: number;
  failingSince: Date | null;
  lastError: string | null;
}

const REASONS: Record<CallError, string> = {
  timeout: 'the endpoint did not answer in time',
  dns: 'its host name was not found',
  refused: 'no connection could be made',
  private_address: 'its address is not public',
  tls: 'the TLS connection failed',
  reset: 'the connection was closed',
  protocol: 'the answer was not HTTP',
  redirect: 'the endpoint answered with a redirect, which is not followed',
  http_error: 'the endpoint refused the call',
};
const STORED_ERROR = /^([a-z_]+)(?: \((\d{3})\))?$/;

/** In words: `dns`, or `http_error (500)`, as it is stored. */
export function describeCallError(stored: string): string {
  const [, error = '', status] = STORED_ERROR.exec(stored) ?? [];
  if (error === 'http_error' && status) return `the endpoint answered with status ${status}`;
  return Object.hasOwn(REASONS, error) ? REASONS[error as CallError] : stored;
}

/** From here on it is asked at most once a minute, and worth a word. */
export const FAILURES_UNTIL_REST = 5;

/** Null when all is well. */
export function noticeOf({ status, reason, failures, failingSince, lastError }: Health): string | null {
  if (reason === 'gone') {
    return 'The endpoint answered 410 Gone, so it is called no more. Set status to active to try it again.';
  }
  const why = lastError === null ? '' : `; the last one, because ${describeCallError(lastError)}`;
  const story = `${failures} calls in a row have failed since ${failingSince?.toISOString()}${why}.`;
  if (reason === 'failures') {
    return `Paused: ${story} What happens meanwhile waits; set status to active once the endpoint works.`;
  }
  return status === 'active' && failures >= FAILURES_UNTIL_REST ? story : null;
}
