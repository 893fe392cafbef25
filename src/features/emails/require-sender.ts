import type { Mailbox } from '../../mail/address.ts';
import type { Db } from '../../platform/database.ts';
import { AppError, badRequest } from '../../platform/errors.ts';
import type { Caller } from '../../platform/route.ts';
import { findHeldDomain } from '../domains/find-domain.ts';

export interface Sender {
  domainId: number;
  domain: string;
}

/** The domain of the sender, which the caller's team must hold; a key bound to a domain sends from that one alone. */
export async function requireSender(
  db: Db,
  caller: Pick<Caller, 'teamId' | 'domainId'>,
  from: Mailbox,
): Promise<Sender> {
  const domainId = await findHeldDomain(db, caller.teamId, from.domain);
  if (caller.domainId !== null && domainId !== caller.domainId) {
    throw new AppError(
      'FORBIDDEN',
      'This API key is bound to another domain than the one it would send from.',
    );
  }
  if (domainId === undefined) {
    throw badRequest(`from must use a domain that your team has verified; ${from.domain} is not one.`);
  }
  return { domainId, domain: from.domain };
}
