/** Adds up the connections of a day to the servers of a domain, by the policy that decided about the encryption. */
import { sql } from 'kysely';
import type { SentTlsPolicy } from '../../../mail/reports/compose-tls-report.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';

const MAX_ROWS = 1_000;

export async function readPolicies(db: Db, day: string, domain: string): Promise<SentTlsPolicy[]> {
  const { rows } = await sql<
    Row<
      'tls_sessions',
      'policy_type' | 'result' | 'mx' | 'receiving_ip' | 'policy' | 'policy_hosts' | 'reason'
    > & {
      count: number;
    }
  >`
    select policy_type, result, mx, receiving_ip, policy, policy_hosts, reason, sessions::double precision as count
    from tls_sessions where day = ${day}::date and domain = ${domain}
    order by policy_type, result, sessions desc limit ${MAX_ROWS}
  `.execute(db);
  const policies = new Map<string, SentTlsPolicy>();
  for (const row of rows) {
    const known = policies.get(row.policy_type);
    const policy = known ?? {
      type: row.policy_type,
      lines: row.policy,
      hosts: row.policy_hosts,
      succeeded: 0,
      failures: [],
    };
    policies.set(row.policy_type, policy);
    if (row.result === 'success') policy.succeeded += row.count;
    else
      policy.failures.push({
        type: row.result,
        mx: row.mx,
        ip: row.receiving_ip,
        reason: row.reason,
        sessions: row.count,
      });
  }
  return [...policies.values()];
}
