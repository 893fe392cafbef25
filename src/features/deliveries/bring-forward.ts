import { sql } from 'kysely';
import type { Db } from '../../platform/database.ts';

/**
 * After the clock was set back: deliveries that nobody has tried or claimed are due now, and those that were put off
 * do not wait for a time that is further away than any wait between two attempts. Leases that are held are renewed by
 * their holder.
 */
export async function bringDeliveriesForward(db: Db): Promise<void> {
  await sql`
    with late as (
      select team_id, email_id, recipient_no from deliveries
      where due_at > now() and leased_by is null
        and (attempts = 0 or first_tried_at > now() or due_at > now() + interval '5 hours')
      for update skip locked
    )
    update deliveries d set due_at = now() from late
    where d.team_id = late.team_id and d.email_id = late.email_id and d.recipient_no = late.recipient_no
  `.execute(db);
}
