/** Finds the MTA-STS policy that is served under a host (RFC 8461 section 3.2). */
import { domainOfPolicyHost } from '../../../mail/auth/dns-records.ts';
import { renderPolicy } from '../../../mail/auth/served-policy.ts';
import type { Db } from '../../../platform/database/database.ts';
import { servedPolicyOf } from '../../sending/domains/domain-hosts.ts';

export const POLICY_PATH = '/.well-known/mta-sts.txt';

/** Of several teams with the domain, the one that has verified it decides. Null if there is no policy. */
export async function findServedPolicy(db: Db, host: string, mailHost: string): Promise<string | null> {
  const name = domainOfPolicyHost(host);
  if (name === null) return null;
  const row = await db
    .selectFrom('domains')
    .select(['mta_sts', 'mta_sts_hosts', 'mta_sts_until'])
    .where('name', '=', name)
    .orderBy('held', 'desc')
    .orderBy('id')
    .executeTakeFirst();
  const policy = row && servedPolicyOf(row, mailHost);
  return policy ? renderPolicy(policy) : null;
}
