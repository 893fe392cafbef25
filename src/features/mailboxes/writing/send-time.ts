/** Limits on the send time of a message. */
import { badRequest } from '../../../platform/errors.ts';

const MIN_DELAY_MS = 60_000;
/** Allows for the time that a request takes, so that exactly one minute by the caller's clock is accepted. */
const NETWORK_ALLOWANCE_MS = 500;

/** Throws unless the time is between one minute and one year from now. */
export function refuseOutOfRange(sendAt: Date, now: Date): void {
  const soonest = now.getTime() + MIN_DELAY_MS - NETWORK_ALLOWANCE_MS;
  const latest = new Date(now.getTime() + NETWORK_ALLOWANCE_MS);
  latest.setUTCFullYear(latest.getUTCFullYear() + 1);
  const at = sendAt.getTime();
  if (at < soonest || at > latest.getTime())
    throw badRequest('send_at must be at least one minute from now and within one year.', [
      { path: '/send_at', message: 'must be at least one minute from now and within one year' },
    ]);
}

/** Returns null to send immediately. */
export function chooseSendTime(
  { sendAt, undoSeconds }: { sendAt: Date | null; undoSeconds: number },
  now: Date,
): Date | null {
  if (sendAt) refuseOutOfRange(sendAt, now);
  return sendAt ?? (undoSeconds > 0 ? new Date(now.getTime() + undoSeconds * 1000) : null);
}
