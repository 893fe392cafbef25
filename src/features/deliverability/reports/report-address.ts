/** The address and the URL to which other servers send reports about a domain. Both end with the domain's secret token. */
import type { Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { bareHost } from '../../../platform/network/bare-host.ts';

export type ReportedDomain = CamelRow<'domains', 'team_id'> & {
  domainId: Row<'domains'>['id'];
  name: Row<'domains'>['name'];
};

const TOKEN = /^[0-9a-f]{32}$/;

/** Returns null for all other addresses, and for those of deleted domains. */
export async function findReportAddress(
  db: Db,
  address: string,
  reportHost: string,
): Promise<ReportedDomain | null> {
  const at = address.lastIndexOf('@');
  if (bareHost(address.slice(at + 1).toLowerCase()) !== reportHost.toLowerCase()) return null;
  return findReportToken(db, address.slice(0, at).toLowerCase());
}

export async function findReportToken(db: Db, token: string): Promise<ReportedDomain | null> {
  if (!TOKEN.test(token)) return null;
  const row = await db
    .selectFrom('domains')
    .select(['team_id as teamId', 'id as domainId', 'name'])
    .where('report_token', '=', token)
    .executeTakeFirst();
  return row ?? null;
}
