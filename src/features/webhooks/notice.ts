/** What people are told about an endpoint that fails: in the dashboard, and in the mail to the team's owners. */
export interface Health {
  status: string;
  reason: string | null;
  failures: number;
  failingSince: Date | null;
  lastError: string | null;
}

/** From here on it is asked at most once a minute, and worth a word. */
export const FAILURES_UNTIL_REST = 5;

/** Null when all is well. */
export function noticeOf({ status, reason, failures, failingSince, lastError }: Health): string | null {
  if (reason === 'gone') {
    return 'The endpoint answered 410 Gone, so it is called no more. Set status to active to try it again.';
  }
  const story = `${failures} calls in a row have failed since ${failingSince?.toISOString()}; the last: ${lastError}.`;
  if (reason === 'failures') {
    return `Paused: ${story} What happens meanwhile waits; set status to active once the endpoint works.`;
  }
  return status === 'active' && failures >= FAILURES_UNTIL_REST ? story : null;
}
