/** A campaign is held when it has started and does not run now: nothing of it is sent, retries included. */
import { Fragment } from '../../platform/database/database.ts';

const HELD_STATUSES = ['SCHEDULED', 'PAUSED'];

/** A condition on campaigns. */
export const CAMPAIGN_IS_HELD = new Fragment(
  `status in (${HELD_STATUSES.map((status) => `'${status}'`).join(', ')}) and begun_at is not null`,
);

/** For a campaign that has started. */
export function isHeldStatus(status: string): boolean {
  return HELD_STATUSES.includes(status);
}
