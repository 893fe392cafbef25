import type { Db } from '../../../platform/database/database.ts';
import { queueOrder } from './order-host-certificate.ts';

export type CertificateState = { kind: 'valid' } | { kind: 'ordering' } | { kind: 'failed'; error: string };

/** Queues an order if the host has no valid certificate. A failed order is tried again by itself. */
export async function ensureCertificate(db: Db, host: string): Promise<CertificateState> {
  const row = await db
    .selectFrom('host_certificates')
    .select(['ends_at', 'error', 'retry_at'])
    .where('host', '=', host)
    .executeTakeFirst();
  if (row?.ends_at && row.ends_at > new Date()) return { kind: 'valid' };
  if (row?.error && row.retry_at && row.retry_at > new Date())
    return { kind: 'failed', error: describeFailure(host, row.error, row.retry_at) };
  await db
    .insertInto('host_certificates')
    .values({ host })
    .onConflict((conflict) => conflict.column('host').doNothing())
    .execute();
  await queueOrder(db, host);
  return { kind: 'ordering' };
}

function describeFailure(host: string, error: string, retryAt: Date): string {
  const at = retryAt.toISOString().slice(0, 16).replace('T', ' ');
  return `No certificate could be ordered for ${host}: ${error.replace(/\.$/, '')}. It is tried again after ${at} UTC.`;
}
