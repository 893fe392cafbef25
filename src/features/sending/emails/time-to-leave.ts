/** When an email leaves: at its scheduledAt, after the time for undo, or now. The clock of the database decides. */
import { databaseNow, type Db } from '../../../platform/database/database.ts';
import { badRequest } from '../../../platform/errors.ts';
import type { EmailInput } from './emails.schema.ts';

/** Allows for clock differences and slow requests. */
const PAST_COUNTS_AS_NOW_MS = 60_000;

type Timing = Pick<EmailInput, 'scheduledAt' | 'undoSeconds'>;

/** Null means now. */
export async function chooseTimeToLeave(db: Db, email: Timing): Promise<Date | null> {
  if (!email.scheduledAt && !email.undoSeconds) return null;
  return timeToLeave(email, await databaseNow(db));
}

/** Null means now. */
export function timeToLeave(email: Timing, now: Date): Date | null {
  const undoUntil = now.getTime() + (email.undoSeconds ?? 0) * 1000;
  const requested = email.scheduledAt?.getTime() ?? undoUntil;
  if (requested < now.getTime() - PAST_COUNTS_AS_NOW_MS)
    throw badRequest('scheduledAt must not be in the past.');
  const leavesAt = Math.max(requested, undoUntil);
  return leavesAt > now.getTime() ? new Date(leavesAt) : null;
}
