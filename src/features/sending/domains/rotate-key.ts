/**
 * Replaces the DKIM key of a domain without a gap. The new key gets its own selector and waits until its record is
 * found in DNS. Then it signs, and the record of the old key stays published for email that is in transit.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { keepToDomain } from '../../api/bound-keys.ts';
import type { Caller } from '../../api/caller.ts';
import type { Facts } from '../../instance/facts.ts';
import { makeDomainKey, type NewDomainKey } from './domain-keys.ts';
import type { Domain } from './domains.schema.ts';
import { getDomain } from './domains.ts';
import { isTrustedName } from './sandbox-domains.ts';
import { useNextKey } from './use-next-key.ts';
import { verifyDomainLater } from './verify-domain.ts';

/** If a new key already waits for its record, the domain keeps that one. */
export async function rotateKey(db: Db, caller: Caller, facts: Facts, id: number): Promise<Domain> {
  keepToDomain(caller, id);
  const key = await makeDomainKey(facts);
  return inTransaction(db, async (trx) => {
    const domain = await trx
      .selectFrom('domains')
      .select(['name', 'held', 'dkim_selector', 'next_selector'])
      .where('team_id', '=', caller.teamId)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!domain) throw notFound('Domain');
    if (!domain.next_selector) await storeNextKey(trx, caller.teamId, id, domain.dkim_selector, key);
    // The key of a domain that was never verified has signed nothing, and a trusted name needs no records.
    if (!domain.held || isTrustedName(domain.name, facts)) await useNextKey(trx, caller.teamId, id);
    else if (!domain.next_selector) await verifyDomainLater(trx, caller.teamId, id);
    return getDomain(trx, caller, facts, id);
  });
}

async function storeNextKey(
  trx: Db,
  teamId: number,
  id: number,
  selector: string,
  key: NewDomainKey,
): Promise<void> {
  await trx
    .updateTable('domains')
    .set({
      next_selector: selectorAfter(selector),
      next_public_key: key.publicKey,
      next_private_key: key.encryptedPrivateKey,
      next_since: sql`now()`,
      updated_at: sql`now()`,
    })
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .execute();
}

/** Selectors are never reused, because resolvers may have cached an old record. */
function selectorAfter(selector: string): string {
  return `ph${Number(selector.slice('ph'.length)) + 1}`;
}
