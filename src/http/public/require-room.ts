import type { Facts } from '../../features/instance/facts.ts';
import { requireSpace } from '../../features/instance/require-space.ts';
import { AppError } from '../../platform/errors.ts';

/** Roughly the size of a contact, or of a confirmation. */
const SIGN_UP_BYTES = 1_000;

/**
 * For pages that store something for a visitor, who cannot do anything about the storage of the team: both a full disk
 * and a team over its limit are 503.
 */
export async function requireRoom(facts: Pick<Facts, 'disk' | 'storage'>, teamId: number): Promise<void> {
  await requireSpace(facts, teamId, SIGN_UP_BYTES).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.reason !== 'over-quota') throw error;
    const message = 'This page does not accept sign-ups at the moment. Try again later.';
    throw new AppError('UNAVAILABLE', message, { isReported: true });
  });
}
