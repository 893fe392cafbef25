/** Decides whether the sender of an email gets a delivery report about an outcome (RFC 3461). */
import type { ReportedDelivery } from '../jobs/jobs.ts';
import type { ClaimedDelivery } from './claim.ts';
import { ASKED_BY, statusOf } from './reports/report-status.ts';
import type { AttemptResult, NotAttempted } from './transports/attempt.ts';

/** Greylisting and short outages end before this attempt, which is about 20 minutes after the first. */
const LATE_ATTEMPT = 4;

interface RecordedOutcome {
  delivery: ClaimedDelivery;
  attempt: AttemptResult | NotAttempted;
}

/** Returns null if the sender did not ask for this report, or if the next server sends it. */
export function toReport({ delivery, attempt }: RecordedOutcome, recorded: string): ReportedDelivery | null {
  const { envelope, teamId, emailId, recipientNo } = delivery;
  const notify = envelope?.notify ?? null;
  if (!envelope || envelope.sender === '' || notify === null) return null;
  const action = findAction(delivery, attempt, recorded);
  if (!action || !notify.includes(ASKED_BY[action])) return null;
  return {
    teamId,
    emailId,
    recipientNo,
    action,
    status: statusOf(action, enhancedOf(attempt)),
    diagnostic: describe(attempt),
    host: attempt.host ?? null,
  };
}

function findAction(
  { attempts }: ClaimedDelivery,
  attempt: AttemptResult | NotAttempted,
  recorded: string,
): ReportedDelivery['action'] | null {
  if (attempt.outcome === 'delivered') {
    if (attempt.isDsnPassedOn) return null;
    return attempt.isFinal ? 'delivered' : 'relayed';
  }
  if (recorded !== 'DELIVERY_DELAYED') return 'failed';
  return attempts + 1 >= LATE_ATTEMPT ? 'delayed' : null;
}

export function enhancedOf(attempt: AttemptResult | NotAttempted): string | null {
  return attempt.reply?.enhanced ?? ('enhanced' in attempt ? (attempt.enhanced ?? null) : null);
}

function describe(attempt: AttemptResult | NotAttempted): string | null {
  const { reply } = attempt;
  if (reply) return [reply.code, reply.enhanced, reply.text].filter(Boolean).join(' ');
  return 'reason' in attempt ? attempt.reason : null;
}
