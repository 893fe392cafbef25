import { sql } from 'kysely';
import type { Db } from '../../platform/database/database.ts';

/**
 * Removes the content of entries about an erased person. Their hashes stay, so the chain stays whole. The name of who
 * acted is kept: otherwise members could remove their own traces by erasing their address.
 */
export async function eraseFromAudit(db: Db, teamId: number, addressKey: string): Promise<void> {
  await sql`
    update audit_entries set content = null
    where team_id = ${teamId} and content is not null and position(${addressKey} in lower(content)) > 0
      and position(${addressKey} in lower(concat(content::jsonb -> 'before', content::jsonb -> 'after'))) > 0
  `.execute(db);
}
