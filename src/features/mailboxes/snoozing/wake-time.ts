/** The range of the times at which threads come back: the same as for messages that wait. */
import { invalidField } from '../../../platform/errors.ts';

const MIN_DELAY_MS = 60_000;
/** Allows for the time that a request takes. */
const NETWORK_ALLOWANCE_MS = 500;

export function refuseOutOfRange(field: 'until' | 'remind_at', at: Date, now: Date): void {
  const soonest = now.getTime() + MIN_DELAY_MS - NETWORK_ALLOWANCE_MS;
  const latest = new Date(now.getTime() + NETWORK_ALLOWANCE_MS);
  latest.setUTCFullYear(latest.getUTCFullYear() + 1);
  if (at.getTime() < soonest || at > latest)
    throw invalidField(field, 'must be at least one minute from now and within one year');
}
