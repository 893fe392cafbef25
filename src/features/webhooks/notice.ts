/** What people are told about an endpoint that fails: in the dashboard, and in the mail to the team's owners. */
import type { Db } from '../../platform/database.ts';

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

/**
 * The seam to the people of a team: sends its owners a mail. Called in the transaction that paused the webhook, so
 * that they are told exactly once; what it does must be part of that transaction.
 */
export type TellOwners = (
  trx: Db,
  teamId: number,
  message: { subject: string; text: string },
) => Promise<void>;
