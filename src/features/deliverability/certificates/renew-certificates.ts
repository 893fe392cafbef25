/**
 * Runs every ten minutes. It asks the authority when certificates should be renewed, and queues the orders of those that
 * are due, and first orders that have failed before. A window that has moved into the past, as after a mass revocation,
 * makes a certificate due at once (RFC 9773 section 4.2).
 */
import { sql } from 'kysely';
import { fetchRenewalWindow, findRenewalInfo } from '../../../platform/certificates/renewal-info.ts';
import { DAY_MS } from '../../../platform/durations.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { queueOrder, timeWithin, type OrderTools } from './order-host-certificate.ts';

const ASKED_PER_ROUND = 50;
const QUEUED_PER_ROUND = 100;

export async function renewCertificates(tools: OrderTools): Promise<void> {
  if (tools.facts.hostCertificates === null) return;
  await askForWindows(tools);
  const { rows } = await sql<Row<'host_certificates', 'host'>>`
    select c.host from host_certificates c join link_hosts h on h.host = c.host
    where (c.renew_at <= now() or c.chain is null) and h.is_ready and h.lost_since is null
      and coalesce(c.retry_at <= now(), true)
    order by c.ends_at nulls last, c.created_at limit ${QUEUED_PER_ROUND}
  `.execute(tools.db);
  for (const { host } of rows) await queueOrder(tools.db, host);
}

async function askForWindows({ db, facts }: OrderTools): Promise<void> {
  const { rows } = await sql<
    Row<'host_certificates', 'host'> & {
      chain: NonNullable<Row<'host_certificates'>['chain']>;
      renew_at: NonNullable<Row<'host_certificates'>['renew_at']>;
    }
  >`
    select c.host, c.chain, c.renew_at from host_certificates c join link_hosts h on h.host = c.host
    where c.ask_at <= now() and c.chain is not null and c.renew_at > now() and h.is_ready
    order by c.ask_at limit ${ASKED_PER_ROUND}
  `.execute(db);
  if (rows.length === 0) return;
  const renewalInfo = await findRenewalInfo(facts.acmeDirectoryUrl);
  for (const { host, chain, renew_at } of rows) {
    const window = await fetchRenewalWindow(renewalInfo, chain);
    const isMoved = window !== null && (renew_at < window.start || renew_at > window.end);
    await db
      .updateTable('host_certificates')
      .set({
        ask_at: window?.askAgainAt ?? new Date(Date.now() + DAY_MS),
        ...(isMoved ? { renew_at: timeWithin(window) } : {}),
      })
      .where('host', '=', host)
      .execute();
  }
}
