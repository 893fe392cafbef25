import type { Mailbox } from '../../mail/address.ts';
import { keepSenderToDomain } from '../../platform/bound-keys.ts';
import type { Db } from '../../platform/database.ts';
import { badRequest } from '../../platform/errors.ts';
import type { Caller } from '../../platform/route.ts';
import { findSendingDomain } from '../domains/find-domain.ts';

export interface Sender {
  domainId: number;
  domain: string;
  tracksOpens: boolean;
  tracksClicks: boolean;
}

/** The domain of the sender, which the caller's team must hold; a key bound to a domain sends from that one alone. */
export async function requireSender(
  db: Db,
  caller: Pick<Caller, 'teamId' | 'domainId'>,
  from: Mailbox,
  field = 'from',
): Promise<Sender> {
  return requireHeld(await findSender(db, caller, from), from, field);
}

/** Null for a domain that the team does not hold: that is told last, after what does not exist. */
export async function findSender(
  db: Db,
  caller: Pick<Caller, 'teamId' | 'domainId'>,
  from: Mailbox,
): Promise<Sender | null> {
  const found = await findSendingDomain(db, caller.teamId, from.domain);
  keepSenderToDomain(caller, found?.id);
  if (!found) return null;
  const { id: domainId, tracksOpens, tracksClicks } = found;
  return { domainId, domain: from.domain, tracksOpens, tracksClicks };
}

export function requireHeld(sender: Sender | null, from: Mailbox, field = 'from'): Sender {
  if (sender) return sender;
  throw badRequest(`${field} must use a domain that your team has verified; ${from.domain} is not one.`);
}
