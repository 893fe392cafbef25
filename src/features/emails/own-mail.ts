/** What mail that Posthorn writes by itself, in the name of a team, has in common. */
import { parseMailbox, type Mailbox } from '../../mail/address.ts';
import type { Db } from '../../platform/database.ts';
import { findOldestHeldDomain } from '../domains/find-domain.ts';

/** RFC 3834 section 5: nobody's holiday note should answer it. */
export const AUTOMATIC = { 'Auto-Submitted': 'auto-generated' };

/** An address that is known to be one, as an email takes it. */
export function toMailbox(address: string): Mailbox & { given: string } {
  return { ...parseMailbox(address)!, given: address };
}

/** Nobody in particular, of the team's oldest domain; null while it holds none. */
export async function findNoReply(db: Db, teamId: number): Promise<(Mailbox & { given: string }) | null> {
  const domain = await findOldestHeldDomain(db, teamId);
  return domain === undefined ? null : toMailbox(`no-reply@${domain}`);
}
