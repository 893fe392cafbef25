/** Shared parts of the email that Posthorn itself sends on behalf of a team. */
import { parseMailbox, type NamedAddress } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import { findOldestHeldDomain } from '../domains/find-domain.ts';

/** RFC 3834 section 5: prevents automatic replies. */
export const AUTOMATIC = { 'Auto-Submitted': 'auto-generated' };

/** Expects a valid address. */
export function toMailbox(address: string): NamedAddress & { given: string } {
  return { ...parseMailbox(address)!, given: address };
}

/** A no-reply address at the team's oldest verified domain, or null when it has none. */
export async function findNoReply(
  db: Db,
  teamId: number,
): Promise<(NamedAddress & { given: string }) | null> {
  const domain = await findOldestHeldDomain(db, teamId);
  return domain === undefined ? null : toMailbox(`no-reply@${domain}`);
}
