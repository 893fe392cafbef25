/** The pools that a domain chooses for its mail. */
import { sql } from 'kysely';
import { badRequest } from '../../../platform/errors.ts';
import type { Facts } from '../../instance/facts.ts';
import { findUnknownName, MAIL_KINDS } from '../egress/choose-egress.ts';
import type { DomainUpdate } from './domains.schema.ts';

export function requireKnownPools({ pools }: DomainUpdate, { egresses }: Pick<Facts, 'egresses'>): void {
  for (const kind of MAIL_KINDS) {
    const unknown = findUnknownName(pools?.[kind], egresses);
    if (unknown !== null)
      throw badRequest(
        `pools.${kind} names "${unknown}", but the server has no egress or pool of that name.`,
      );
  }
}

/** Kinds that the update does not name stay. */
export function poolChanges({ pools }: DomainUpdate) {
  return pools ? { pools: sql<string>`pools || ${JSON.stringify(pools)}::jsonb` } : {};
}
