/** The actions and codes of delivery reports. */
import type { ReportedDelivery } from '../../jobs/jobs.ts';

/** Which value of NOTIFY asks for the report. */
export const ASKED_BY = {
  failed: 'FAILURE',
  delayed: 'DELAY',
  delivered: 'SUCCESS',
  relayed: 'SUCCESS',
} as const;

/** The class of the code must fit the action (RFC 3464 section 2.3.4). */
export function statusOf(action: ReportedDelivery['action'], enhanced: string | null): string {
  if (action === 'delivered' || action === 'relayed') return '2.0.0';
  const classes = action === 'failed' ? ['5', '4'] : ['4'];
  if (enhanced && classes.includes(enhanced.charAt(0))) return enhanced;
  return action === 'failed' ? '5.0.0' : '4.4.7';
}
