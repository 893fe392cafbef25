import type { NamedAddress } from '../../../mail/mime/address.ts';
import { keepSenderToDomain } from '../../api/bound-keys.ts';
import type { Db } from '../../../platform/database/database.ts';
import { badRequest } from '../../../platform/errors.ts';
import type { Caller } from '../../api/caller.ts';
import { findSendingDomain } from '../domains/find-domain.ts';

export interface Sender {
  domainId: number;
  domain: string;
  tracksOpens: boolean;
  tracksClicks: boolean;
  /** The host of its links. Null for that of BASE_URL. */
  linkHost: string | null;
}

/** Returns the sending domain, which the team must have verified. A domain-bound key can only use its own domain. */
export async function requireSender(
  db: Db,
  caller: Pick<Caller, 'teamId' | 'domainIds'>,
  from: NamedAddress,
  field = 'from',
): Promise<Sender> {
  return requireHeld(await findSender(db, caller, from), from, field);
}

/** Returns null for a domain that is not verified. The caller reports that last, after missing objects. */
export async function findSender(
  db: Db,
  caller: Pick<Caller, 'teamId' | 'domainIds'>,
  from: NamedAddress,
): Promise<Sender | null> {
  const found = await findSendingDomain(db, caller.teamId, from.domain);
  keepSenderToDomain(caller, found?.id);
  if (!found) return null;
  const { id: domainId, ...settings } = found;
  return { ...settings, domainId, domain: from.domain };
}

export function requireHeld(sender: Sender | null, from: NamedAddress, field = 'from'): Sender {
  if (sender) return sender;
  throw badRequest(
    `${field} must use a verified domain of your team. ${from.domain} is not verified.`,
    undefined,
    'unverified-sender',
  );
}

/** Finds each sender once, so that a hundred emails from one domain need one query. For one caller. */
export function createSenderFinder(): typeof findSender {
  const found = new Map<string, Promise<Sender | null>>();
  return (db, caller, from) => {
    const sender = found.get(from.domain) ?? findSender(db, caller, from);
    found.set(from.domain, sender);
    return sender;
  };
}
