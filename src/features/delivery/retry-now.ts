import { sql } from 'kysely';
import type { Db } from '../../platform/database/database.ts';

/**
 * Repairs the queue after the clock was set back. Deliveries that were never attempted become due now, and so do
 * retries whose time is further away than the longest retry delay. Workers renew their own leases, and deliveries that
 * an operator holds are not changed. Destinations have no limit that ends later than a new one would.
 */
export async function retryDeliveriesNow(db: Db): Promise<void> {
  await sql`
    with late as (
      select team_id, email_id, recipient_no from deliveries
      where due_at > now() and due_at < 'infinity' and leased_by is null
        and (attempts = 0 or first_tried_at > now() or due_at > now() + interval '5 hours')
      for update skip locked
    )
    update deliveries d set due_at = now() from late
    where d.team_id = late.team_id and d.email_id = late.email_id and d.recipient_no = late.recipient_no
  `.execute(db);
  // A grant lasts for a minute at most, and a slot for less.
  await sql`update destination_rates set next_at = now() where next_at > now() + interval '1 minute'`.execute(
    db,
  );
  await sql`
    update destination_connections set expires_at = now() + interval '1 minute'
    where expires_at > now() + interval '1 minute'
  `.execute(db);
}
