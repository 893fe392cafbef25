/** The class of a failed attempt, as its event, the log and the queue show it. */
import { failureClass } from '../../mail/bounces/failure-class.ts';
import type { FailureClass } from '../../mail/bounces/failure-classes.ts';
import { enhancedOf } from './to-report.ts';
import type { AttemptResult, NotAttempted } from './transports/attempt.ts';

/** Returns nothing for an attempt that succeeded, or that was never made. */
export function classOfAttempt(attempt: AttemptResult | NotAttempted): { class?: FailureClass } {
  if (attempt.outcome !== 'deferred' && attempt.outcome !== 'bounced') return {};
  const { reply, reason } = attempt;
  // Reports without a reply may quote one, as for a failed login.
  const text = reply?.text || reason;
  return { class: failureClass({ code: reply?.code ?? null, enhanced: enhancedOf(attempt), text }) };
}
