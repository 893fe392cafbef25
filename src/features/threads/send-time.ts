/** From when to when a message may wait. */
import { badRequest } from '../../platform/errors.ts';

const SOONEST_MS = 60_000;
/** What a request may take on its way, so that a minute by the caller's clock is a minute. */
const ON_THE_WAY_MS = 500;

/** A minute from now to the same moment of next year. */
export function refuseOutOfRange(sendAt: Date, now: Date): void {
  const soonest = now.getTime() + SOONEST_MS - ON_THE_WAY_MS;
  const latest = new Date(now.getTime() + ON_THE_WAY_MS);
  latest.setUTCFullYear(latest.getUTCFullYear() + 1);
  const at = sendAt.getTime();
  if (at < soonest || at > latest.getTime())
    throw badRequest('send_at must be at least one minute from now and within one year.', [
      { path: '/send_at', message: 'must be at least one minute from now and within one year' },
    ]);
}

/** Null: at once. */
export function chooseSendTime(
  { sendAt, undoSeconds }: { sendAt: Date | null; undoSeconds: number },
  now: Date,
): Date | null {
  if (sendAt) refuseOutOfRange(sendAt, now);
  return sendAt ?? (undoSeconds > 0 ? new Date(now.getTime() + undoSeconds * 1000) : null);
}
